//! What pi's own tests of its session manager promise, each as a test. Where this store promises something
//! else, the test says so.

mod build_context;
mod custom_session_id;
mod file_operations;
mod labels;
mod save_entry;
mod tree_traversal;
