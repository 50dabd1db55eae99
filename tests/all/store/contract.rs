//! What the store promises beyond what pi does.
