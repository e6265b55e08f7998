//! The terminal: everything the engineer sees and presses.
