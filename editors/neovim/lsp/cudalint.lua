-- Configuration of the cudalint language server, for Neovim 0.11 and later.

-- Runs a command of the server and shows the Markdown that it answers with, if any.
local function show(command, ctx)
  local client = assert(vim.lsp.get_client_by_id(ctx.client_id))
  local params = { command = command.command, arguments = command.arguments }
  client:request('workspace/executeCommand', params, function(err, text)
    if err then
      vim.notify('cudalint: ' .. err.message, vim.log.levels.ERROR)
    elseif type(text) == 'string' then
      local options = { border = 'rounded', focus_id = 'cudalint', max_width = 120 }
      vim.lsp.util.open_floating_preview(vim.split(text, '\n'), 'markdown', options)
    end
  end, ctx.bufnr)
end

-- `:CudalintLaunch KERNEL 32 8` analyses a kernel as if launched so; without numbers, as the text says.
local function launch(client, bufnr)
  vim.api.nvim_buf_create_user_command(bufnr, 'CudalintLaunch', function(call)
    local kernel = table.remove(call.fargs, 1)
    local block = vim.tbl_map(tonumber, call.fargs)
    local command = #block == 0 and { command = 'cudalint.forgetLaunch', arguments = { kernel } }
      or { command = 'cudalint.chooseLaunch', arguments = { { kernel = kernel, block = block } } }
    show(command, { client_id = client.id, bufnr = bufnr })
  end, { nargs = '+', desc = 'Choose the launch to analyse a kernel with' })
end

return {
  cmd = { 'cudalint', 'lsp' },
  filetypes = { 'cuda' },
  root_markers = { 'cudalint.toml', '.cudalint.toml', 'compile_commands.json', '.git' },
  settings = { cudalint = vim.empty_dict() },
  commands = {
    ['cudalint.showAccesses'] = show,
    ['cudalint.explain'] = show,
    ['cudalint.explainAccess'] = show,
  },
  on_attach = launch,
}
