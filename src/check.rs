//! From inputs to reports.

use crate::report::{FileReport, ReadError};
use crate::rules::Policy;
use crate::source::inputs::Input;
use std::io;
use std::num::NonZeroUsize;

/// How files are checked.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which findings count.
    pub policy: Policy,
    /// Whether findings carry the piece of the line around their place.
    pub excerpts: bool,
    /// How many threads; `None`: one a core.
    pub threads: Option<NonZeroUsize>,
}

/// What comes out of one input.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "one at a time, and nearly always the large one")]
pub enum Event {
    /// A file was read.
    File(FileReport),
    /// A file could not be read.
    Error(ReadError),
}

/// Checks the inputs and hands one event for each to `sink`, in the order of the inputs.
///
/// # Errors
/// Only what `sink` returns; it ends the run.
pub fn files(inputs: &[Input], _options: &Options, sink: &mut dyn FnMut(Event) -> io::Result<()>) -> io::Result<()> {
    for input in inputs {
        let path = match input {
            Input::File { display, .. } => display.clone(),
            Input::Stdin => "-".into(),
            Input::Error { path, .. } => path.clone(),
        };
        let message = match input {
            Input::Error { message, .. } => message.clone(),
            _ => "not implemented".into(),
        };
        sink(Event::Error(ReadError { path, message }))?;
    }
    Ok(())
}
