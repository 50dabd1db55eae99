//! The binary: everything is in the library's `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    sesstool::cli::main()
}
