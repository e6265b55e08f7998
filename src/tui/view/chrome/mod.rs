//! What frames the panes: status bar, query line, strip of pages, footer. One file each.

mod footer;
mod query;
mod status;
mod strip;

use ratatui::Frame;

use super::arrange::Arrangement;
use crate::tui::app::App;

pub use query::draw_suggestions;

/// Draws the frame. Returns where the cursor belongs when the query line has it.
pub fn draw(app: &mut App, frame: &mut Frame, plan: &Arrangement) -> Option<(u16, u16)> {
    let buf = frame.buffer_mut();
    status::draw(app, plan.status, buf);
    let cursor = query::draw(app, plan.query, buf);
    if plan.strip.height > 0 {
        strip::draw(app, plan.strip, buf);
    }
    footer::draw(app, plan.footer, buf);
    cursor
}
