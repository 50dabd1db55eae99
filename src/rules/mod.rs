//! The rules: what can be wrong with a session.
//!
//! One rule is one file: code, name, severity, what it finds, what readers do, the repair, and the
//! check. [`RULES`] lists them; a new rule is one file and one line there.

mod calls;
pub mod check;
mod e001_missing_type;
mod e002_unknown_type;
mod e003_missing_id;
mod e004_missing_parent;
mod e005_wrong_field_type;
mod e006_missing_field;
mod e007_invalid_timestamp;
mod e008_clock_went_back;
mod e009_legacy_role;
pub mod edited;
pub mod file_name;
mod finding;
pub mod first_kept;
mod g001_duplicate_line;
mod g002_duplicate_id;
mod g003_dangling_parent;
mod g004_self_parent;
mod g005_parent_cycle;
mod g006_forward_parent;
mod g007_extra_root;
mod g008_stale_leaf;
mod g009_interleaved_writers;
mod g010_repeated_turn;
mod h001_missing_header;
mod h002_header_not_first;
mod h003_damaged_header;
mod h004_extra_header;
mod h005_header_field;
mod h006_unsupported_version;
mod h007_old_version;
mod h008_version_shape_mismatch;
mod h009_file_name_mismatch;
mod h010_foreign_format;
mod h011_emptied_session;
mod j001_invalid_json;
mod j002_not_an_object;
mod j003_duplicate_key;
mod j004_lone_surrogate;
mod j005_inexact_number;
mod j006_deep_nesting;
mod junk;
pub mod kind;
mod l001_truncated_last_line;
mod l002_unterminated_last_line;
mod l003_glued_records;
mod l004_torn_then_record;
mod l005_torn_record;
mod l006_stray_bytes;
mod l007_split_record;
mod l008_nul_bytes;
mod l009_nul_tail;
mod l010_invalid_utf8;
mod l011_byte_order_mark;
mod l012_not_utf8_text;
mod l013_oversized_line;
mod l014_empty_file;
mod l015_crlf_line_ending;
mod l016_blank_line;
mod l017_unicode_line_separator;
mod l018_blank_file;
mod m001_tool_call_without_result;
mod m002_tool_result_without_call;
mod m003_duplicate_tool_call_id;
mod m004_repeated_tool_result;
mod m005_misplaced_tool_result;
mod m006_null_content;
mod m007_malformed_block;
mod m008_empty_text_block;
mod m009_unknown_role;
mod m010_incomplete_assistant;
mod m011_unsigned_thinking;
mod m012_empty_turns_at_leaf;
mod m013_context_breaks_pair;
pub mod policy;
mod r001_dangling_leaf_target;
mod r002_dangling_label_target;
mod r003_missing_first_kept;
mod r004_first_kept_off_path;
mod r005_first_kept_splits_call;
mod r006_dangling_summary_source;
mod r007_dangling_edit_target;
mod r008_malformed_edit;
mod r009_leaf_readers_differ;
mod settle;

pub use finding::{Anchor, Excerpt, Finding, Place, Related, Repair, Severity};
pub use policy::Policy;
pub use settle::{Findings, judge};

use crate::record::{PieceKind, Pieces};
use crate::session::scan::LineView;
use std::ops::Range;

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// The code: a letter for the layer and three digits. Stable, never reused.
    pub code: &'static str,
    /// The name: what is wrong, in lower case with hyphens. Stable.
    pub name: &'static str,
    /// The severity where nothing else is said.
    pub severity: Severity,
    /// The other severities that single findings of it may carry.
    pub also: &'static [Severity],
    /// When it is found.
    pub found: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// What readers do with it, by name and version.
    pub readers: &'static str,
    /// An example of the damage: lines of a file, shortened.
    pub example: &'static str,
    /// The kind of repair.
    pub repair: Repair,
    /// What the repair does, or why there is none.
    pub remedy: &'static str,
    /// When and how it looks.
    pub checks: &'static [check::Check],
}

/// Every rule, in the order of its code.
pub static RULES: &[&Rule] = &[
    &l001_truncated_last_line::RULE,
    &l002_unterminated_last_line::RULE,
    &l003_glued_records::RULE,
    &l004_torn_then_record::RULE,
    &l005_torn_record::RULE,
    &l006_stray_bytes::RULE,
    &l007_split_record::RULE,
    &l008_nul_bytes::RULE,
    &l009_nul_tail::RULE,
    &l010_invalid_utf8::RULE,
    &l011_byte_order_mark::RULE,
    &l012_not_utf8_text::RULE,
    &l013_oversized_line::RULE,
    &l014_empty_file::RULE,
    &l015_crlf_line_ending::RULE,
    &l016_blank_line::RULE,
    &l017_unicode_line_separator::RULE,
    &l018_blank_file::RULE,
    &j001_invalid_json::RULE,
    &j002_not_an_object::RULE,
    &j003_duplicate_key::RULE,
    &j004_lone_surrogate::RULE,
    &j005_inexact_number::RULE,
    &j006_deep_nesting::RULE,
    &h001_missing_header::RULE,
    &h002_header_not_first::RULE,
    &h003_damaged_header::RULE,
    &h004_extra_header::RULE,
    &h005_header_field::RULE,
    &h006_unsupported_version::RULE,
    &h007_old_version::RULE,
    &h008_version_shape_mismatch::RULE,
    &h009_file_name_mismatch::RULE,
    &h010_foreign_format::RULE,
    &h011_emptied_session::RULE,
    &e001_missing_type::RULE,
    &e002_unknown_type::RULE,
    &e003_missing_id::RULE,
    &e004_missing_parent::RULE,
    &e005_wrong_field_type::RULE,
    &e006_missing_field::RULE,
    &e007_invalid_timestamp::RULE,
    &e008_clock_went_back::RULE,
    &e009_legacy_role::RULE,
    &g001_duplicate_line::RULE,
    &g002_duplicate_id::RULE,
    &g003_dangling_parent::RULE,
    &g004_self_parent::RULE,
    &g005_parent_cycle::RULE,
    &g006_forward_parent::RULE,
    &g007_extra_root::RULE,
    &g008_stale_leaf::RULE,
    &g009_interleaved_writers::RULE,
    &g010_repeated_turn::RULE,
    &r001_dangling_leaf_target::RULE,
    &r002_dangling_label_target::RULE,
    &r003_missing_first_kept::RULE,
    &r004_first_kept_off_path::RULE,
    &r005_first_kept_splits_call::RULE,
    &r006_dangling_summary_source::RULE,
    &r007_dangling_edit_target::RULE,
    &r008_malformed_edit::RULE,
    &r009_leaf_readers_differ::RULE,
    &m001_tool_call_without_result::RULE,
    &m002_tool_result_without_call::RULE,
    &m003_duplicate_tool_call_id::RULE,
    &m004_repeated_tool_result::RULE,
    &m005_misplaced_tool_result::RULE,
    &m006_null_content::RULE,
    &m007_malformed_block::RULE,
    &m008_empty_text_block::RULE,
    &m009_unknown_role::RULE,
    &m010_incomplete_assistant::RULE,
    &m011_unsigned_thinking::RULE,
    &m012_empty_turns_at_leaf::RULE,
    &m013_context_breaks_pair::RULE,
];

/// The rule with this code or name.
pub fn find(code_or_name: &str) -> Option<&'static Rule> {
    RULES
        .iter()
        .copied()
        .find(|r| r.code.eq_ignore_ascii_case(code_or_name) || r.name.eq_ignore_ascii_case(code_or_name))
}

/// The cut record that ends a line, whole records before it or none; NULs behind it do not count.
/// A line without a whole record and with junk is no cut record: rule J001 tells of it.
fn tail_cut(line: &LineView<'_>) -> Option<Range<usize>> {
    let pieces = line.pieces.filter(|_| line.joined.is_none())?;
    let last = pieces.list.iter().rev().find(|p| p.kind != PieceKind::Nul)?;
    let junk = pieces.first(|k| k == PieceKind::Junk).is_some();
    match last.kind {
        PieceKind::Cut { .. } if pieces.wholes() > 0 || !junk => Some(last.span.clone()),
        _ => None,
    }
}

/// Whether a cut record is followed by a whole one on its line.
fn has_cut_before_whole(pieces: &Pieces) -> bool {
    let cut = pieces.list.iter().position(|p| matches!(p.kind, PieceKind::Cut { .. }));
    cut.is_some_and(|at| pieces.list[at..].iter().any(|p| p.kind == PieceKind::Whole))
}

/// The first sentence of a paragraph, without its full stop.
pub fn first_sentence(paragraph: &str) -> &str {
    paragraph.split(". ").next().unwrap_or_default().trim_end_matches('.')
}

/// A value of the file in back-ticks, shortened; for messages. Blanks that look like a space, or
/// like nothing, are shown as their number.
fn quote(bytes: &[u8]) -> String {
    const MOST: usize = 60;
    let mut text = String::new();
    for c in String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MOST)]).chars() {
        match c {
            '\u{2000}'..='\u{200D}' | '\u{85}' | '\u{A0}' | '\u{3000}' => text += &format!("<U+{:04X}>", c as u32),
            c => text.push(c),
        }
    }
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("`{}…`", &text[..at]),
        None => format!("`{text}`"),
    }
}

/// A number with its noun: `1 byte`, `2 bytes`.
fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// What a finding adds that stands for `count` places, of which it names the first.
fn first_of(count: u64) -> &'static str {
    if count > 1 { "; this is the first" } else { "" }
}

/// A span of time for people.
pub(crate) fn duration(ms: i64) -> String {
    match ms {
        ..1000 => format!("{ms} ms"),
        1000..60_000 => format!("{:.1} s", ms as f64 / 1000.0),
        60_000..3_600_000 => format!("{:.1} min", ms as f64 / 60_000.0),
        3_600_000..172_800_000 => format!("{:.1} h", ms as f64 / 3_600_000.0),
        _ => format!("{:.1} days", ms as f64 / 86_400_000.0),
    }
}
