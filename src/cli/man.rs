//! `sesstool man`: the manual, one page a verb, made from the definition of the arguments.

use super::{CLEAN, Failure, output};
use crate::edit::{self, ReportFile};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print a page of the manual, or write all of them, one a verb.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The verb, such as validate or config show; without one the page of the program.
    #[arg(value_name = "VERB")]
    verb: Vec<String>,
    /// Write every page below this folder; pages of an older version are replaced, nothing else is.
    #[arg(long, value_name = "DIR", conflicts_with = "verb")]
    out_dir: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  sesstool man validate | man -l -
  sesstool man --out-dir ~/.local/share/man/man1";

/// Prints or writes the pages.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut program = super::Cli::command().disable_help_subcommand(true);
    program.build();
    if let Some(folder) = &args.out_dir {
        edit::make_folder(folder).map_err(Failure::usage)?;
        let mut all = Vec::new();
        collect(&program, &mut all);
        for command in all {
            let path = folder.join(format!("{}.1", title(command)));
            let mut file =
                ReportFile::begin(&path, "page of sesstool's manual", is_page, []).map_err(Failure::usage)?;
            file.write_all(page(command)?.as_bytes())?;
            file.finish().map_err(Failure::usage)?;
        }
        return Ok(CLEAN);
    }
    let mut command = &program;
    for verb in &args.verb {
        command = command.find_subcommand(verb).ok_or_else(|| unknown(command, verb))?;
    }
    let out = &mut output::stdout();
    out.write_all(page(command)?.as_bytes())?;
    out.flush()?;
    Ok(CLEAN)
}

/// A command and all below it.
fn collect<'c>(command: &'c Command, all: &mut Vec<&'c Command>) {
    all.push(command);
    command.get_subcommands().for_each(|command| collect(command, all));
}

/// `sesstool-config-show`.
fn title(command: &Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_string()
}

fn page(command: &Command) -> Result<String, Failure> {
    let version = concat!("sesstool ", env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    Man::new(command.clone()).source(version).manual("sesstool").render(&mut page)?;
    let page = String::from_utf8_lossy(&page);
    let Some((before, extra)) = page.split_once("\n.SH EXTRA\n") else { return Ok(page.into_owned()) };
    let (extra, after) = extra.split_at(extra.find("\n.SH ").map_or(extra.len(), |at| at + 1));
    Ok(format!("{before}\n{}{after}", sections(extra)))
}

/// What a help text says at its end, in sections. Lines that begin with blanks stay as they are: filled, the
/// columns of examples would run into each other.
fn sections(extra: &str) -> String {
    let mut out = String::new();
    for paragraph in extra.trim_matches('\n').split("\n\n") {
        let (first, rest) = paragraph.split_once('\n').unwrap_or((paragraph, ""));
        let (title, text) = match first.split_once(':') {
            Some(("Examples", "")) => ("EXAMPLES", rest),
            Some(("Exit status", "")) => ("EXIT STATUS", rest),
            Some(("Exit status", _)) => ("EXIT STATUS", paragraph["Exit status:".len()..].trim_start()),
            _ => ("", paragraph),
        };
        match (title, out.is_empty()) {
            ("", true) => out += ".SH NOTES\n",
            ("", false) => out += ".PP\n",
            ("EXAMPLES", _) => out += ".SH EXAMPLES\n",
            _ => out += &format!(".SH \"{title}\"\n"),
        }
        let mut as_it_is = false;
        for line in text.lines() {
            if line.starts_with(' ') != as_it_is {
                as_it_is = !as_it_is;
                out += if as_it_is { ".nf\n" } else { ".fi\n" };
            }
            out += &format!("{line}\n");
        }
        out += if as_it_is { ".fi\n" } else { "" };
    }
    out
}

fn is_page(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    head.lines().any(|line| line.to_lowercase().starts_with(".th sesstool"))
}

fn unknown(command: &Command, verb: &str) -> Failure {
    let verbs: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    match verbs.is_empty() {
        true => Failure::Usage(format!("'{}' has no verb '{verb}'", title(command))),
        false => Failure::Usage(format!("no verb '{verb}'; there are {}", verbs.join(", "))),
    }
}
