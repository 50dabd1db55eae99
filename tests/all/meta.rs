//! The tables, the fixtures, the documents and the layers keep what they promise each other.

use super::support::{fixtures, root, stores};
use sesstool::rules::RULES;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Rules without a bad session in `fixtures/`, and why.
const WITHOUT_FIXTURE: &[(&str, &str)] =
    &[("L013", "it takes 512 MiB; `limits::an_oversized_line` makes the limit small")];

#[test]
fn codes_and_names_are_unique_and_in_order() {
    assert!(RULES.is_sorted_by(|a, b| letter(a.code) < letter(b.code) || letter(a.code) == letter(b.code) && a.code < b.code));
    let names: BTreeSet<_> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), RULES.len());
    for rule in RULES {
        let digits = rule.code.len() == 4 && rule.code[1..].bytes().all(|b| b.is_ascii_digit());
        assert!(digits, "{}: a letter and three digits", rule.code);
        let words = rule.name.split('-').all(|word| !word.is_empty() && word.bytes().all(is_name_byte));
        assert!(words && rule.name.contains('-'), "{}: lower-case words with hyphens", rule.name);
    }
}

/// The layers of rules, in the order in which they look.
fn letter(code: &str) -> Option<usize> {
    "LJHEGRMS".find(&code[..1])
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

/// An image is built from what .dockerignore lets through; whatever the sources include has to be there.
#[test]
fn an_image_has_what_the_sources_include() {
    let ignore = std::fs::read_to_string(root().join(".dockerignore")).expect(".dockerignore");
    let passed: Vec<&str> = ignore.lines().filter_map(|line| line.strip_prefix('!')).collect();
    let mut number = 0;
    for entry in walkdir::WalkDir::new(root().join("src")) {
        let path = entry.expect("a folder that can be listed").into_path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        for included in text.split("include_str!(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let file = path.parent().expect("a folder").join(included).canonicalize().expect("a file that is there");
            let name = file.strip_prefix(root().canonicalize().expect("the root")).expect("below the crate");
            assert!(passed.iter().any(|prefix| name.starts_with(prefix)), "{}", name.display());
            number += 1;
        }
    }
    assert!(number > 2, "{number}");
}

/// A name says what is wrong, never what to do.
#[test]
fn names_do_not_command() {
    let commands = ["add", "avoid", "check", "delete", "fix", "move", "no", "remove", "rename", "repair", "use"];
    for rule in RULES {
        let first = rule.name.split('-').next().unwrap_or_default();
        assert!(!commands.contains(&first), "{}", rule.name);
    }
}

#[test]
fn every_rule_is_documented() {
    for rule in RULES {
        let texts = [rule.found, rule.why, rule.readers, rule.remedy];
        for text in texts {
            assert!(text.trim() == text && text.len() > 15 && text.ends_with('.'), "{}: {text:?}", rule.code);
        }
        assert!(!rule.example.trim().is_empty(), "{}: no example", rule.code);
        assert!(!rule.checks.is_empty(), "{}: no check", rule.code);
        assert!(!rule.also.contains(&rule.severity), "{}: its severity is named twice", rule.code);
    }
}

#[test]
fn every_rule_is_in_a_file_of_its_name() {
    for rule in RULES {
        let file = format!("src/rules/{}_{}.rs", rule.code.to_lowercase(), rule.name.replace('-', "_"));
        assert!(root().join(&file).is_file(), "no {file}");
    }
}

#[test]
fn every_rule_has_fixtures() {
    let folders = |kind| {
        let single = fixtures(kind).into_iter().map(|fixture| fixture.folder);
        single.chain(stores(kind).into_iter().map(|store| store.folder)).collect::<BTreeSet<_>>()
    };
    let (bad, good) = (folders("bad"), folders("good"));
    for rule in RULES {
        let folder = format!("{}-{}", rule.code, rule.name);
        let excused = WITHOUT_FIXTURE.iter().any(|(code, _)| *code == rule.code);
        assert_eq!(bad.contains(&folder), !excused, "fixtures/bad/{folder}");
        let twin = good.iter().any(|folder| folder.starts_with(&format!("{}-", rule.code)));
        assert!(twin, "no fixtures/good/{}-… for {}", rule.code, rule.name);
    }
    for folder in bad {
        let known = RULES.iter().any(|rule| folder == format!("{}-{}", rule.code, rule.name));
        assert!(known, "fixtures/bad/{folder} is of no rule");
    }
}

#[cfg(feature = "cli")]
#[test]
fn the_page_of_rules_is_current() {
    let page = std::fs::read_to_string(root().join("docs/rules.md")).expect("docs/rules.md");
    let stale = page != sesstool::cli::explain::markdown(RULES);
    assert!(!stale, "run: cargo run --locked -- explain --format markdown > docs/rules.md");
}

/// The layers; each imports only from itself and from those before it.
const LAYERS: &[&str] = &[
    "source", "line", "json", "record", "dialect", "session", "rules", "edit", "store", "pass", "stats", "report",
    "check", "cli",
];

/// The source files, and the layer each belongs to; `lib.rs` and `main.rs` belong to none.
fn sources() -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    for entry in walkdir::WalkDir::new(root().join("src")).sort_by_file_name() {
        let path = entry.expect("a folder that can be listed").into_path();
        if path.extension().is_some_and(|ext| ext == "rs") {
            let relative = path.strip_prefix(root().join("src")).expect("below src");
            let top = relative.iter().next().map(|part| part.to_string_lossy().into_owned()).unwrap_or_default();
            all.push((path.clone(), top.trim_end_matches(".rs").to_string()));
        }
    }
    all
}

/// The layers that a file names: after `crate::`, or after `super::` where that is the crate.
fn named_layers(path: &Path, layer: &str) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a source file");
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let above = path.parent().and_then(Path::file_name).is_some_and(|name| name == "src");
    let roots = if above && layer != "lib" { &["crate::", "super::"][..] } else { &["crate::"] };
    let mut named = Vec::new();
    for root in roots {
        for after in code.split(root).skip(1) {
            match after.strip_prefix('{') {
                // `use crate::{a::B, c}`
                Some(group) => {
                    let group = group.split(';').next().unwrap_or_default();
                    named.extend(group.split([',', '{', '}']).map(first_word));
                }
                None => named.push(first_word(after)),
            }
        }
    }
    named.retain(|word| LAYERS.contains(&word.as_str()));
    named
}

fn first_word(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

#[test]
fn layers_import_only_from_those_before() {
    let rank = |layer: &str| LAYERS.iter().position(|l| *l == layer);
    let mut upward = 0;
    for (path, layer) in sources().iter().filter(|(_, layer)| !matches!(layer.as_str(), "lib" | "main")) {
        let own = rank(layer).unwrap_or_else(|| panic!("{} is in no layer: add it to LAYERS", path.display()));
        for named in named_layers(path, layer) {
            assert!(rank(&named) <= Some(own), "{} ({layer}) imports from {named}", path.display());
            upward += usize::from(rank(&named) < Some(own));
        }
    }
    assert!(upward > 50, "the imports were not found");
}

/// Where `unsafe` is allowed, and what for.
const UNSAFE: &[(&str, &str)] = &[("src/json/kernel.rs", "vector instructions of the processor")];

#[test]
fn unsafe_stays_where_it_is_allowed() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    assert!(manifest.contains("unsafe_code = \"deny\""));
    for (path, _) in sources() {
        let relative = path.strip_prefix(root()).expect("below the crate").to_string_lossy().replace('\\', "/");
        let text = std::fs::read_to_string(&path).expect("a source file");
        let allows = text.contains("allow(unsafe_code") || text.contains("expect(unsafe_code");
        assert!(!allows || UNSAFE.iter().any(|(file, _)| *file == relative), "{relative} allows unsafe code");
    }
}

/// Calls that change files are refused outside the layers that write.
#[test]
fn only_edit_and_store_write() {
    let lints = std::fs::read_to_string(root().join("clippy.toml")).expect("clippy.toml");
    for call in [
        "std::fs::write",
        "std::fs::File::create",
        "std::fs::OpenOptions::new",
        "std::fs::rename",
        "std::fs::remove_file",
    ] {
        assert!(lints.contains(&format!("\"{call}\"")), "clippy.toml does not refuse {call}");
    }
    for (path, layer) in sources() {
        let text = std::fs::read_to_string(&path).expect("a source file");
        let plain = text.split("#[cfg(test)]").next().unwrap_or_default();
        let allows = plain.contains("clippy::disallowed_methods") && layer != "lib";
        assert!(!allows || matches!(layer.as_str(), "edit" | "store"), "{} allows writing", path.display());
    }
}

/// The Rust that the manifest, the README and the image name is enough for every dependency.
#[test]
fn the_stated_rust_is_enough() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let metadata = std::process::Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo");
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).expect("JSON");
    let number = |version: &str| -> Vec<u64> { version.split('.').filter_map(|part| part.parse().ok()).collect() };
    let packages = metadata["packages"].as_array().expect("packages");
    let of = |package: &serde_json::Value| package["rust_version"].as_str().map(String::from);
    let own = packages.iter().find(|package| package["name"] == "sesstool").and_then(of).expect("rust-version");
    for package in packages {
        let needs = of(package).unwrap_or_default();
        assert!(number(&needs) <= number(&own), "{} needs Rust {needs}", package["name"]);
    }
    let page = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    assert!(page.contains(&format!("Rust {own} or later")), "README.md names another Rust than {own}");
    let image = std::fs::read_to_string(root().join("Dockerfile")).expect("Dockerfile");
    assert!(image.contains(&format!("FROM rust:{own}-alpine")), "Dockerfile names another Rust than {own}");
}
