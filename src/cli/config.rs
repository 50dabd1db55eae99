//! `sesstool config`: what is in force, and where each value comes from.

use super::settings::{Chosen, Row, Settings, file_sentence};
use super::{CLEAN, Failure, output};
use crate::report::clean::clean;
use crate::report::text::{table, write_table};
use crate::report::write_json;
use clap::{Subcommand, ValueEnum};
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;

/// Show what `validate` would do: settings and where they come from, or the schema of sesstool.toml.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

const EXAMPLES: &str = "\
Examples:
  sesstool config show
  sesstool config show --fail-on info --format json
  sesstool config schema > sesstool.schema.json";

#[derive(Debug, Subcommand)]
enum What {
    /// Print the settings in force, and where each comes from; takes the options of `validate`.
    #[command(after_help = FILE)]
    Show(Box<Show>),
    /// Print the JSON schema of sesstool.toml, for editors.
    Schema,
}

const FILE: &str = "\
sesstool.toml, all of it optional:
  paths = [\"sessions\"]            # what is checked where no path is given
  exclude = [\"tmp\", \"old/*.jsonl\"]
  fail-on = \"warning\"             # error, warning, info or never
  reader = \"pi\"                   # sesstool, pi or agent-core
  baseline = \"known.json\"
  select = [\"L\", \"G\"]
  ignore = [\"L015\"]

  [severity]
  L016 = \"off\"                    # error, warning, info or off
  dangling-parent = \"warning\"

  [[override]]
  paths = [\"archive/**\"]
  severity = { G = \"info\" }
  ignore = [\"H007\"]";

#[derive(Debug, clap::Args)]
struct Show {
    #[command(flatten)]
    chosen: Chosen,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A table.
    Text,
    /// One JSON document, schema sesstool.config/1.
    Json,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: Option<String>,
    values: &'a [Row],
}

/// Prints it.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let out = &mut output::stdout();
    match &args.what {
        What::Schema => write!(out, "{}", include_str!("../../docs/sesstool.schema.json"))?,
        What::Show(show) => {
            let settings = Settings::new(&show.chosen)?;
            match show.format {
                Format::Text => {
                    writeln!(out, "{}\n", file_sentence(&settings))?;
                    let mut table = table(&["KEY", "VALUE", "FROM"], output::width());
                    for Row { key, value, from } in &settings.rows {
                        table.add_row([clean(key), clean(value), clean(from)]);
                    }
                    write_table(out, &table)?;
                }
                Format::Json => {
                    let file = settings.file.as_ref().map(|path| path.to_string_lossy().into_owned());
                    write_json(out, &Document { schema: "sesstool.config/1", file, values: &settings.rows })?;
                    writeln!(out)?;
                }
            }
        }
    }
    out.flush()?;
    Ok(CLEAN)
}
