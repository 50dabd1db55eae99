//! What people and machines get to see.
