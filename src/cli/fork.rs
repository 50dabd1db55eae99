//! x
use super::*;
/// x
#[derive(Debug, clap::Args)]
pub struct Args {}
pub(super) fn run(_: &Args) -> Result<ExitCode, Failure> {
    Ok(CLEAN)
}
