//! Passes: functions from a session to a plan, or to the content of a new session.

pub mod fork;
mod health;
pub mod migrate;
mod records;
pub mod repair;

pub use health::Health;

use crate::edit::Members;
use crate::session::HeaderField;

/// A header's version as it stands there, a string in its quotes.
fn version_text(field: Option<&HeaderField>) -> String {
    field.map_or_else(|| "none".to_string(), HeaderField::shown)
}
