//! store

pub mod fork;
