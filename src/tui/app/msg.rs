//! What comes in and what is to be done: the two vocabularies of the update function.

use std::sync::Arc;

use crossterm::event::MouseEvent;

use crate::agent::event::Recorded;
use crate::agent::model::{Query, QuestionId, SessionId};
use crate::tui::keymap::Key;
use crate::tui::source::{Answers, ExportFormat, Feed, Say, SessionRow};
use crate::tui::story::Story;
use crate::tui::terminal::CopyRoute;

/// Names a tab for as long as the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TabId(pub u32);

/// Something happened.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The mouse did something.
    Mouse(MouseEvent),
    /// The screen has a new size.
    Resize(u16, u16),
    /// The terminal window got or lost the focus.
    WindowFocus(bool),
    /// Time went by: something may be due.
    Wake,
    /// News of a session.
    Feed(TabId, Feed),
    /// A session was opened, or could not be.
    Opened(TabId, Result<SessionId, String>),
    /// A recording was read, or could not be.
    Loaded(TabId, Result<Arc<[Recorded]>, String>),
    /// The sessions there are.
    Sessions(Result<Vec<SessionRow>, String>),
    /// Something done in the background ended: what to tell.
    Done(Result<String, String>),
    /// An export for the clipboard is ready.
    Exported(String),
    /// A copy left.
    Copied(String, CopyRoute),
    /// The external editor came back with a text.
    Edited(Result<String, String>),
    /// Two recordings were read for a comparison, or could not be.
    Compared(Result<Box<[Story; 2]>, String>),
    /// The answers of the set-up were written, or could not be.
    Configured(Result<String, String>),
    /// Themes and keymap were read again; problems are lines to show.
    Reloaded(Box<super::Looks>, Vec<String>),
}

/// Something is to be done by the event loop.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Open a session.
    Open(TabId, Query),
    /// Resume a session.
    Resume(TabId, SessionId),
    /// Read a recording.
    Load(TabId, SessionId),
    /// Say something to a session.
    Say(TabId, Say),
    /// Leave a session: it goes on disk.
    Leave(TabId),
    /// List the sessions.
    ListSessions,
    /// Name a session.
    Rename(SessionId, String),
    /// Delete a session.
    Delete(SessionId),
    /// Write a session out: to the clipboard or to a file.
    Export(SessionId, ExportFormat, ExportTo),
    /// Copy a text; the second says what it is.
    Copy(String, String),
    /// Open the external editor.
    Edit(String),
    /// Keep a query in the history file.
    Remember(String),
    /// Ring, and tell what for.
    Alert(Occasion, String),
    /// Take or release the mouse.
    Mouse(bool),
    /// Read themes and keymap again. With `true` only when their files changed.
    Reload {
        /// Whether unchanged files are left alone.
        if_changed: bool,
    },
    /// Read two sessions side by side.
    Compare(SessionId, SessionId),
    /// Write the answers of the set-up.
    Configure(Answers),
    /// Stop the process group.
    Suspend,
    /// Paint everything again.
    Repaint,
    /// End the screen.
    End(Ending),
}

/// How the user ended the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It is over.
    Quit,
    /// Go on with the demo.
    Demo,
    /// Go on with the program proper.
    Open,
}

/// Why it rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// A question waits.
    Question,
    /// A session ended.
    End,
    /// A session broke or could not go on.
    Failure,
}

/// Where an export goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportTo {
    /// A file in the working directory.
    File,
    /// The clipboard.
    Clipboard,
}

/// What an editor's text becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditFor {
    /// An answer in words.
    Words(QuestionId),
    /// New arguments of the failed call, as JSON.
    Arguments(QuestionId),
    /// The result, supplied by hand.
    Result(QuestionId),
    /// The arguments that an "always" covers.
    Scope(QuestionId),
}
