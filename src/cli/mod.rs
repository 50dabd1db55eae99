//! The command line. One verb is one file: its arguments and one function; `Verb` lists them.

pub mod completions;
pub mod config;
mod config_file;
pub mod context;
pub mod explain;
pub mod family;
pub mod fork;
mod known;
mod lookup;
pub mod ls;
pub mod man;
pub mod migrate;
mod new_file;
mod output;
mod progress;
pub mod repair;
pub mod restore;
mod session;
mod settings;
pub mod show;
mod signals;
mod sinks;
pub mod stats;
pub mod tools;
pub mod tree;
pub mod validate;
mod when;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ColorChoice, Parser, Subcommand};
use std::io::{self, Write};
use std::process::ExitCode;

/// Nothing to complain of.
const CLEAN: ExitCode = ExitCode::SUCCESS;
/// The answer is bad news: findings.
const FINDINGS: u8 = 1;
/// The job could not be done: usage, reading, writing.
const FAILED: u8 = 2;

/// Reads the name of a row of a table; `told` gives the row's name, and what it is in a few words.
fn by_name<T: Send + Sync>(
    table: &'static [T],
    told: fn(&T) -> (&'static str, &'static str),
) -> impl TypedValueParser<Value = &'static T> {
    let names = table.iter().map(told).map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names)
        .try_map(move |name| table.iter().find(|row| told(row).0 == name).ok_or("there is none of that name"))
}

/// Find what is broken in the JSONL session files of coding agents, and what their readers do with it.
#[derive(Debug, Parser)]
#[command(name = "sesstool", version, long_version = VERSION, arg_required_else_help = true, after_help = EXAMPLES)]
struct Cli {
    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    #[command(subcommand)]
    verb: Verb,
}

/// With the commit of a release that was built from git.
const VERSION: &str = match option_env!("SESSTOOL_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

const EXAMPLES: &str = "\
Examples:
  sesstool validate                    check pi's own session store
  sesstool validate session.jsonl      check one file
  sesstool tree session.jsonl          its branches, and which one is current
  sesstool context latest              what the model sees in the newest session of pi's store
  sesstool tools latest                what became of each tool call
  sesstool ls --since 7d               the sessions of the last week, and which of them are damaged
  sesstool stats --by day              tokens and cost of pi's own store, day by day
  sesstool explain dangling-parent     what a finding means, and what to do
  sesstool migrate old.jsonl           version 1 or 2 to version 3, in a new file
  sesstool restore old.v3.jsonl        the original, bit for bit, from that file and its manifest

Exit status: 0 nothing found, 1 findings, 2 the job could not be done.
No file that is read is ever written to.";

/// The verbs.
#[derive(Debug, Subcommand)]
enum Verb {
    Validate(validate::Args),
    Tree(tree::Args),
    Show(show::Args),
    Context(context::Args),
    Tools(tools::Args),
    Ls(ls::Args),
    Family(family::Args),
    Stats(stats::Args),
    Explain(explain::Args),
    Repair(repair::Args),
    Migrate(migrate::Args),
    Fork(fork::Args),
    Restore(restore::Args),
    Config(config::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Verb {
    fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Verb::Validate(args) => validate::run(args),
            Verb::Tree(args) => tree::run(args),
            Verb::Show(args) => show::run(args),
            Verb::Context(args) => context::run(args),
            Verb::Tools(args) => tools::run(args),
            Verb::Ls(args) => ls::run(args),
            Verb::Family(args) => family::run(args),
            Verb::Stats(args) => stats::run(args),
            Verb::Explain(args) => explain::run(args),
            Verb::Repair(args) => repair::run(args),
            Verb::Migrate(args) => migrate::run(args),
            Verb::Fork(args) => fork::run(args),
            Verb::Restore(args) => restore::run(args),
            Verb::Config(args) => config::run(args),
            Verb::Completions(args) => completions::run(args),
            Verb::Man(args) => man::run(args),
        }
    }
}

/// Why a job could not be done.
#[derive(Debug)]
enum Failure {
    /// What was asked for makes no sense; the sentence says what does.
    Usage(String),
    /// The answer could not be written.
    Output(io::Error),
}

impl Failure {
    fn usage(error: impl ToString) -> Self {
        Failure::Usage(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refused(&error),
    };
    output::choose_colors(cli.color);
    match cli.verb.run() {
        Ok(code) => code,
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => CLEAN,
        Err(Failure::Output(error)) => failed(&format!("cannot write the output: {}", output::reason(&error))),
        Err(Failure::Usage(sentence)) => failed(&sentence),
    }
}

/// Help and version are an answer, the rest is wrong usage.
fn refused(error: &clap::Error) -> ExitCode {
    // whoever closed the pipe does not want to read it
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(FAILED) } else { CLEAN }
}

fn failed(sentence: &str) -> ExitCode {
    output::error(sentence);
    ExitCode::from(FAILED)
}

/// Writes what there is to say beside the answer to standard error, which may be closed.
fn say(sentence: &str) {
    let _ = writeln!(anstream::stderr(), "{sentence}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
