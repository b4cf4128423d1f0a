-- Configuration of the cudalint language server, for Neovim 0.11 and later.
return {
  cmd = { 'cudalint', 'lsp' },
  filetypes = { 'cuda' },
  root_markers = { 'cudalint.toml', '.cudalint.toml', '.git' },
  settings = { cudalint = vim.empty_dict() },
}
