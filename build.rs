//! Notes what a release is built from, for `--version`: the commit, its day, and whether files differ from
//! it. A debug build notes nothing, so that a commit does not make everything be built anew; nor does a
//! build without git, or in a repository that is not this one.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    let version = env!("CARGO_PKG_VERSION");
    if let Some(built_from) = packaged().or_else(checked_out) {
        println!("cargo::rustc-env=SESSTOOL_VERSION={version} ({built_from})");
    }
}

/// The commit that a package from a registry was made of.
fn packaged() -> Option<String> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".cargo_vcs_info.json")).ok()?;
    let at = text.find("\"sha1\"")?;
    let sha1: String = text[at + 6..].chars().skip_while(|c| !c.is_ascii_hexdigit()).take(10).collect();
    (sha1.len() == 10 && sha1.bytes().all(|b| b.is_ascii_hexdigit())).then_some(sha1)
}

/// The commit that is checked out.
fn checked_out() -> Option<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().ok()?;
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != here {
        return None;
    }
    for name in
        ["HEAD", "index", "packed-refs"].map(String::from).into_iter().chain(git(&["symbolic-ref", "-q", "HEAD"]))
    {
        if let Some(path) = git(&["rev-parse", "--git-path", &name]).filter(|path| here.join(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=Cargo.lock");
    let commit = git(&["log", "-1", "--abbrev=10", "--format=%h %cs"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changed.is_empty() { commit } else { format!("{commit}, changed since") })
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}
