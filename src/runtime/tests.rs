//! The runtime over scripted ports.
