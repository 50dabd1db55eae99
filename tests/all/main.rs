//! Everything that is tested from outside: one binary, one module an intent.

#![allow(clippy::disallowed_methods, reason = "tests make the files that they check")]

mod support;

mod boundaries;
mod fixtures;
mod limits;
mod meta;
mod properties;
mod recovery;
mod repair;
mod truncation;

#[cfg(feature = "cli")]
mod edit;
#[cfg(feature = "cli")]
mod inputs;
#[cfg(feature = "cli")]
mod readme;
#[cfg(feature = "cli")]
mod selection;
#[cfg(feature = "cli")]
mod stats;
#[cfg(feature = "cli")]
mod usage;
#[cfg(feature = "cli")]
mod views;
