//! What planner and critic read: runbooks, field notes and tool descriptions, searched with provenance.
//!
//! `runbook` reads and checks plans, `runbooks` layers the built-in, the user's and the project's; `notes`
//! reads Markdown; `index` is a lexical index (SQLite FTS5, BM25) in memory; [`Knowledge`] ties them together
//! behind the `agent::ports::Corpus` port. It calls no tool and writes no file.
//!
//! What a search gives: a runbook's step as `source = "plans/<intent>.json"`, `heading = "step 2 · <title>"`;
//! a note as file and heading path; a tool as its id. A query that is exactly a runbook's intent gives all of
//! that runbook's steps first, in their order.

mod corpus;
mod index;
mod notes;
mod query;
mod runbook;
mod runbooks;

pub use corpus::{Knowledge, KnowledgeError};
pub use notes::{NOTE_EXTENSION, Note, handbook, read_notes};
pub use runbook::{Runbook, RunbookError};
pub use runbooks::{Place, Runbooks};
