//! Everything that is tested from outside: one binary, one module an intent.

#![allow(clippy::disallowed_methods, reason = "tests make the files that they check")]

mod support;

mod boundaries;
mod calls;
mod fixtures;
mod limits;
mod meta;
mod properties;
mod recovery;
mod repair;
mod scanner;
mod store;
mod truncation;

#[cfg(feature = "cli")]
mod baseline;
#[cfg(feature = "cli")]
mod ci;
#[cfg(feature = "cli")]
mod config;
#[cfg(feature = "cli")]
mod edit;
#[cfg(feature = "cli")]
mod inputs;
#[cfg(feature = "cli")]
mod ls;
#[cfg(feature = "cli")]
mod readme;
#[cfg(feature = "cli")]
mod reports;
#[cfg(feature = "cli")]
mod selection;
#[cfg(feature = "cli")]
mod shells;
#[cfg(feature = "cli")]
mod startup;
#[cfg(feature = "cli")]
mod stats;
#[cfg(feature = "cli")]
mod stores;
#[cfg(feature = "cli")]
mod usage;
#[cfg(feature = "cli")]
mod views;
