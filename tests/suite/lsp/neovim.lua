-- Run by headless Neovim: opens a file with the shipped configuration and prints what a user sees.
local file, server = arg[1], arg[2]
local function say(...) io.stdout:write(string.format(...), '\n') end
local function wait(what, fits)
  if not vim.wait(60000, fits, 20) then
    say('waited in vain for %s', what)
    os.exit(1)
  end
end

vim.cmd('filetype on')
vim.lsp.config('cudalint', { cmd = { server, 'lsp' } })
vim.lsp.enable('cudalint')
vim.cmd.edit(file)
wait('the server', function() return #vim.lsp.get_clients({ bufnr = 0, name = 'cudalint' }) == 1 end)
local client = vim.lsp.get_clients({ bufnr = 0, name = 'cudalint' })[1]
say('server %s, filetype %s', client.server_info.name, vim.bo.filetype)

wait('diagnostics', function() return #vim.diagnostic.get(0) > 0 end)
for _, one in ipairs(vim.diagnostic.get(0)) do
  say('diagnostic %d:%d %s %s', one.lnum + 1, one.col + 1, one.code, one.message:match('[^\n]*'))
end

vim.lsp.inlay_hint.enable(true, { bufnr = 0 })
wait('hints', function() return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0 end)
for _, one in ipairs(vim.lsp.inlay_hint.get({ bufnr = 0 })) do
  say('hint %d %s', one.inlay_hint.position.line + 1, one.inlay_hint.label)
end

local at = { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = 12, character = 40 } }
local hover = client:request_sync('textDocument/hover', at, 60000, 0)
say('hover %s', hover.result.contents.value:match('[^\n]*'))

-- Commands answer in a window of their own.
local function float(starts)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local line = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, 1, false)[1] or ''
    if vim.api.nvim_win_get_config(window).relative ~= '' and line:find(starts, 1, true) then
      vim.api.nvim_win_close(window, true)
      return line
    end
  end
end
local function shown(starts)
  local line
  wait('a window with ' .. starts, function() line = float(starts); return line ~= nil end)
  say('window %s', line)
end
local context = { client_id = client.id, bufnr = vim.api.nvim_get_current_buf() }
client:exec_cmd({ title = '', command = 'cudalint.showAccesses', arguments = { vim.uri_from_bufnr(0), 'transpose' } }, context)
shown('Accesses of')
vim.api.nvim_win_set_cursor(0, { 13, 40 })
vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.title == 'Explain this access' end })
shown('Access `tile')

-- Another launch, and back.
local function cost() return client:request_sync('textDocument/hover', at, 60000, 0).result.contents.value:match('%*%*%d+ wavefronts%*%*') end
vim.cmd('CudalintLaunch transpose 8 32')
wait('the chosen launch', function() return cost() == '**8 wavefronts**' end)
say('in a block of 8 x 32 %s', cost())
vim.cmd('CudalintLaunch transpose')
wait('the launch of the text', function() return cost() == '**32 wavefronts**' end)

-- The fix, as a user takes it.
vim.api.nvim_win_set_cursor(0, { 13, 40 })
vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.isPreferred end })
wait('the fix', function() return vim.api.nvim_buf_get_lines(0, 4, 5, true)[1]:find('TILE + 1', 1, true) end)
say('fixed %s', vim.trim(vim.api.nvim_buf_get_lines(0, 4, 5, true)[1]))
wait('fresh diagnostics', function() return #vim.diagnostic.get(0) == 2 end)
say('%d diagnostics are left', #vim.diagnostic.get(0))
-- Nothing is saved.
vim.bo.modified = false
vim.cmd.quitall({ bang = true })
