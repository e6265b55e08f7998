//! What may not travel as it stands: secrets on their way out, control sequences on their way in.
//!
//! Pure functions over strings and JSON values, on the ground floor: every room that writes to disk, screen,
//! log, export or prompt may use them and they know none of those rooms. `secrets` hides passwords, keys and
//! tokens; `controls` makes terminal control characters and invisible characters visible. Size caps for tool
//! results live in `tools::sanitize`.

pub mod controls;
mod keys;
mod patterns;
mod secrets;

pub use controls::{Limits, clean_json, clean_text, neutralise};
pub use keys::is_secret_key;
pub use secrets::{MARK, Redactor, redact_json, redact_text};
