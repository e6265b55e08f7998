//! The report in words, rendered from its Markdown.

use ratatui::layout::Rect;

use super::{Cx, Pane};
use crate::tui::markdown;
use crate::tui::rows::{ListState, Row};

/// Lines longer than this are tiring to read.
const MAX_CELLS: usize = 100;

/// The report pane.
#[derive(Debug, Default)]
pub struct Report {
    list: ListState,
    rows: Vec<Row>,
    key: (u64, u16),
}

impl Pane for Report {
    fn title(&self, _: &Cx) -> (String, String) {
        ("Report".to_owned(), String::new())
    }

    fn prepare(&mut self, cx: &Cx, area: Rect) {
        let key = (cx.story.versions.knowledge, area.width);
        if key == self.key {
            return;
        }
        self.key = key;
        let cells = usize::from(area.width).saturating_sub(2).min(MAX_CELLS);
        self.rows = match &cx.story.state.ending.prose {
            Some(prose) => markdown::rows(&format!("# {}\n\n{}", prose.headline, prose.body), cells),
            None => Vec::new(),
        };
        self.list.set_len(self.rows.len());
    }

    fn row(&self, _: &Cx, index: usize) -> Row {
        self.rows.get(index).cloned().unwrap_or_default()
    }

    fn list(&self) -> &ListState {
        &self.list
    }

    fn list_mut(&mut self) -> &mut ListState {
        &mut self.list
    }

    fn empty(&self, _: &Cx) -> String {
        "The report is written from the verdict, at the end.".to_owned()
    }

    fn plain(&self, cx: &Cx) -> String {
        let prose = cx.story.state.ending.prose.as_ref();
        prose
            .map(|p| format!("# {}\n\n{}", p.headline, p.body))
            .unwrap_or_default()
    }
}
