//! What ends a writing verb early leaves nothing behind.

/// From now on Ctrl-C, SIGTERM and SIGHUP remove files under way before they end the process, and a
/// limit on the size of files is an error of writing instead of the end.
#[cfg(unix)]
pub(super) fn clean_up_on_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    // without a handler the system's own behaviour stays, which only leaves a file under way behind
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            crate::edit::remove_drafts(|| end(signal));
        }
    });
}

#[cfg(unix)]
#[allow(clippy::exit, reason = "a signal ends the process, and nothing that runs has to be waited for")]
fn end(signal: i32) {
    super::say("stopped; what was being written is removed");
    std::process::exit(128 + signal);
}

/// Nothing to do: files under way are named as such.
#[cfg(not(unix))]
pub(super) fn clean_up_on_signals() {}
