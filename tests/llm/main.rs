//! The model room against servers that behave badly: real sockets, both dialects, no sleeps.
//!
//! The fake server plays a script a connection and waits at gates the test opens.

mod fake;
mod faults;
mod flow;
mod transport;
