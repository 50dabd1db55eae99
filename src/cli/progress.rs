//! How far the work is: on standard error, on a terminal only, and only if it takes a while.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Work that is done sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a bar moves.
const TICK: Duration = Duration::from_millis(100);

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
        Progress::new(files as u64, quiet, "{spinner} {pos} of {len} files, {elapsed}", None)
    }

    /// For so many bytes, of which `read` tells how many are read: with the rate and the time left.
    pub(super) fn of_bytes(bytes: u64, read: &Arc<AtomicU64>, quiet: bool) -> Self {
        let template =
            "{spinner} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left, {elapsed} so far";
        Progress::new(bytes, quiet, template, Some(read.clone()))
    }

    fn new(length: u64, quiet: bool, template: &str, read: Option<Arc<AtomicU64>>) -> Self {
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let _done = (!quiet && io::stderr().is_terminal()).then(|| show_later(bar.clone(), read));
        Progress { bar, _done }
    }

    /// Lets `write` write to the terminal.
    pub(super) fn pause<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
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

fn show_later(bar: ProgressBar, read: Option<Arc<AtomicU64>>) -> Sender<()> {
    let (done, waiting) = mpsc::channel();
    thread::spawn(move || {
        let is_over = |time| waiting.recv_timeout(time) != Err(RecvTimeoutError::Timeout);
        if is_over(PATIENCE) {
            return;
        }
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.enable_steady_tick(TICK);
        let Some(read) = read else { return };
        while !is_over(TICK) {
            let most = bar.length().unwrap_or(u64::MAX);
            bar.set_position(read.load(Ordering::Relaxed).min(most));
        }
    });
    done
}
