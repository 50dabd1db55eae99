//! `sesstool completions`: what a shell needs to complete commands, options and their values.

use super::{CLEAN, Failure, output};
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;
use std::process::ExitCode;

/// Print what a shell needs to complete commands, options and their values.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell.
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

const EXAMPLES: &str = "\
Where it goes:
  bash        sesstool completions bash > ~/.local/share/bash-completion/completions/sesstool
  zsh         sesstool completions zsh > DIR/_sesstool, with DIR in $fpath
  fish        sesstool completions fish > ~/.config/fish/completions/sesstool.fish
  powershell  sesstool completions powershell >> $PROFILE
  elvish      sesstool completions elvish >> ~/.config/elvish/rc.elv";

/// Prints it.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut super::Cli::command(), "sesstool", &mut text);
    let out = &mut output::stdout();
    out.write_all(&text)?;
    out.flush()?;
    Ok(CLEAN)
}
