//! What the rules about several files may ask: the files that are checked together.

use super::leftovers::{Advice, Leftovers};
use super::quote_end;
use crate::session::kin::links::Links;
use crate::source::inputs::Input;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The files that are checked together, named by their place in the list of inputs. What is not asked for is
/// not read.
pub struct Beside {
    inputs: Arc<[Input]>,
    links: OnceLock<Links>,
    leftovers: Leftovers,
}

impl Beside {
    /// Looks at what is left of interrupted rewrites; the rest is read when it is asked for.
    pub fn new(inputs: Vec<Input>) -> Self {
        let leftovers = Leftovers::read(&inputs);
        Beside { inputs: inputs.into(), links: OnceLock::new(), leftovers }
    }

    /// Who was forked from whom.
    pub fn links(&self) -> &Links {
        self.links.get_or_init(|| Links::read(&self.inputs, rayon::current_num_threads()))
    }

    /// What there is to say of a leftover; `None` for a file that is none of a session's.
    pub fn leftover(&self, n: u32) -> Option<&Advice> {
        self.leftovers.get(n)
    }

    /// All of them.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// A file as it was given.
    pub fn input(&self, n: u32) -> &Input {
        &self.inputs[n as usize]
    }

    /// How it is shown.
    pub fn name(&self, n: u32) -> &str {
        display(self.input(n))
    }
}

/// A file's name without its folders, in back-ticks.
pub(super) fn file_name(input: &Input) -> String {
    let path = Path::new(display(input));
    quote_end(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy())
}

/// How an input is shown.
pub fn display(input: &Input) -> &str {
    match input {
        Input::File { display, .. } => display,
        Input::Stdin => "-",
        Input::Error { path, .. } => path,
    }
}
