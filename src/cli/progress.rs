//! How far the work is: on standard error, on a terminal only, and only if it takes a while.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Work that is done sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar that appears after a second, and disappears when it is dropped.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
    /// Closed by dropping, which tells the waiting thread that nobody needs the bar any more.
    _done: Option<Sender<()>>,
}

impl Progress {
    /// For so many files; never seen if `quiet`, or where standard error is no terminal.
    pub(super) fn of_files(files: usize, quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(files as u64), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {pos} of {len} files, {elapsed}") {
            bar.set_style(style);
        }
        let _done = (!quiet && io::stderr().is_terminal()).then(|| show_later(bar.clone()));
        Progress { bar, _done }
    }

    /// One more is done; `write` may write to the terminal meanwhile.
    pub(super) fn step<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.inc(1);
        self.bar.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn show_later(bar: ProgressBar) -> Sender<()> {
    let (done, waiting) = mpsc::channel();
    thread::spawn(move || {
        if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(100));
        }
    });
    done
}
