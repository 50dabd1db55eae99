//! Counts, tokens, cost, tools, over a session and over a store.
//!
//! Every entry is measured once, while its line is hot ([`collect`]), into a packed [`row`]. Rows are added up
//! ([`tally`]) on three bases that are never mixed: everything in the file, the branch of the leaf, the
//! context that the model sees ([`mod@file`]). [`store`] adds up files, with the entries that forks share counted
//! once. Sums are exact ([`sum`]), so nothing depends on the order.

pub mod by;
pub mod collect;
pub mod file;
pub mod outputs;
pub mod row;
pub mod shape;
pub mod store;
pub mod sum;
pub mod tally;

pub use by::By;
pub use file::{Base, ContextTally, FileStats, Heavy, NotCounted, Options};
pub use shape::Shape;
pub use store::{Added, Group, Store, Versions};
pub use tally::{LevelSum, ModelSum, Tally, ToolSum, UsageSum};
