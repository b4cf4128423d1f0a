//! Starts `cudalint lsp` for Zed. All analysis is the server's.

use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Cudalint;

impl zed::Extension for Cudalint {
    fn new() -> Self {
        Self
    }

    fn language_server_command(
        &mut self,
        _server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let command = worktree
            .which("cudalint")
            .ok_or("cudalint is not on the PATH; install it, then restart the language server")?;
        Ok(Command {
            command,
            args: vec!["lsp".into()],
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Cudalint);
