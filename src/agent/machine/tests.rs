//! The machine, driven by scripts of inputs.
