//! The report in words, rendered from its Markdown.

use super::{Cx, ProsePane, Sheet, Stamp};
use crate::tui::markdown;

/// Lines longer than this are tiring to read.
const MAX_CELLS: usize = 100;

/// The report pane.
#[derive(Debug, Default)]
pub struct Report {
    sheet: Sheet,
}

impl ProsePane for Report {
    fn title(&self, _: &Cx) -> (String, String) {
        ("Report".to_owned(), String::new())
    }

    fn stamp(&self, cx: &Cx) -> Stamp {
        [cx.story.versions.knowledge, 0, 0, 0]
    }

    fn fill(&mut self, cx: &Cx, cells: usize) {
        let cells = cells.saturating_sub(2).min(MAX_CELLS);
        if let Some(prose) = &cx.story.state.ending.prose {
            let page = format!("# {}\n\n{}", prose.headline, prose.body);
            self.sheet.rows.extend(markdown::rows(&page, cells));
        }
    }

    fn sheet(&self) -> &Sheet {
        &self.sheet
    }

    fn sheet_mut(&mut self) -> &mut Sheet {
        &mut self.sheet
    }

    fn empty(&self, _: &Cx) -> String {
        "The report is written from the verdict, at the end.".to_owned()
    }

    fn whole(&self, cx: &Cx) -> Option<String> {
        let prose = cx.story.state.ending.prose.as_ref()?;
        Some(format!(
            "# {}

{}",
            prose.headline, prose.body
        ))
    }
}
