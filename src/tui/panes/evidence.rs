//! The inspector: one piece of evidence in full - call, arguments, way through the guard, result as a
//! foldable tree with the cited places marked.

use ratatui::layout::Rect;

use super::json::{Folds, JsonLine, lines};
use super::words::{glyph, time_of_day};
use super::{Cx, Pane, Prose};
use crate::agent::model::{Evidence, EvidenceId, Origin};
use crate::tui::rows::{Link, ListState, Row};
use crate::tui::story::Story;
use crate::tui::text;
use crate::tui::theme::Role;

/// The evidence pane.
#[derive(Debug, Default)]
pub struct EvidencePane {
    list: ListState,
    shown: Option<EvidenceId>,
    head: Prose,
    tree: Vec<JsonLine>,
    folds: Folds,
    /// Cited places: pointer and what cites it.
    cited: Vec<(String, String)>,
    wanted: Option<String>,
    key: (Option<EvidenceId>, u64, u64, u16),
}

impl EvidencePane {
    /// The evidence on show.
    pub fn shown(&self) -> Option<EvidenceId> {
        self.shown
    }

    /// Shows a piece of evidence with the place `pointer` selected.
    pub fn show(&mut self, story: &Story, id: EvidenceId, pointer: &str) {
        if let Some(evidence) = story.evidence(id) {
            if self.shown != Some(id) {
                self.folds = Folds::for_value(&evidence.value);
                self.list = ListState::top();
            }
            self.folds.reveal(pointer);
            self.shown = Some(id);
            self.wanted = (!pointer.is_empty()).then(|| pointer.to_owned());
        }
    }

    /// Shows the next or previous evidence.
    pub fn turn(&mut self, story: &Story, step: i64) {
        let count = i64::try_from(story.state.evidence.len()).unwrap_or(0);
        if count == 0 {
            return;
        }
        let now = self.shown.map_or(0, |id| i64::from(id.0));
        let next = (now - 1 + step).rem_euclid(count) + 1;
        self.show(story, EvidenceId(u32::try_from(next).unwrap_or(1)), "");
    }

    /// Goes to the next cited place.
    pub fn next_citation(&mut self) -> bool {
        let here = self.line(self.list.selected()).map_or(0, |l| l + 1);
        let is_cited = |l: &JsonLine| !l.closes() && self.cited.iter().any(|(p, _)| *p == l.pointer);
        let from = here.min(self.tree.len());
        let found = self.tree[from..]
            .iter()
            .position(is_cited)
            .map(|i| i + from)
            .or_else(|| self.tree.iter().position(is_cited));
        if let Some(line) = found {
            self.list.select(self.head.len() + line);
            return true;
        }
        // It may be folded away.
        match self.cited.first().map(|(p, _)| p.clone()) {
            Some(pointer) => {
                self.folds.reveal(&pointer);
                self.wanted = Some(pointer);
                true
            }
            None => false,
        }
    }

    /// What cites the selected place, or this evidence at all.
    pub fn cited_by(&self, story: &Story) -> Option<crate::agent::model::FindingId> {
        let pointer = self
            .line(self.list.selected())
            .map(|l| self.tree[l].pointer.clone());
        let id = self.shown?;
        let findings = &story.state.diagnosed.findings;
        let exact = findings.iter().find(|f| {
            f.citations
                .iter()
                .any(|c| c.evidence == id && Some(&c.pointer) == pointer.as_ref())
        });
        exact
            .or_else(|| {
                findings
                    .iter()
                    .find(|f| f.citations.iter().any(|c| c.evidence == id))
            })
            .map(|f| f.id)
    }

    /// Folds or unfolds the selected line.
    pub fn fold(&mut self, fold: bool) {
        let Some(line) = self.line(self.list.selected()) else {
            return;
        };
        let pointer = self.tree[line].pointer.clone();
        if self.tree[line].folds() && self.folds.set(&pointer, fold) {
            return;
        }
        // Folding a leaf folds what it stands in.
        if fold && let Some((parent, _)) = pointer.rsplit_once('/') {
            let parent = parent.to_owned();
            if let Some(row) = self.tree.iter().position(|l| l.pointer == parent && l.folds()) {
                self.list.select(self.head.len() + row);
                self.folds.set(&parent, true);
            }
        }
    }

    /// Folds or unfolds everything.
    pub fn fold_all(&mut self, story: &Story, fold: bool) {
        let Some(evidence) = self.shown.and_then(|id| story.evidence(id)) else {
            return;
        };
        if fold {
            self.folds.fold_all(&evidence.value, 1)
        } else {
            self.folds.unfold_all()
        }
    }

    fn line(&self, row: usize) -> Option<usize> {
        row.checked_sub(self.head.len()).filter(|l| *l < self.tree.len())
    }

    fn build_head(&mut self, story: &Story, evidence: &Evidence, cells: usize) {
        self.head.clear();
        let tool = evidence.origin.tool();
        let names: Vec<&str> = evidence.devices.iter().map(|d| d.as_str()).collect();
        let mut row = Row::text(format!("{} ", evidence.id), Role::Accent).put(tool, Role::Title);
        row = row
            .put(format!("  {}", names.join(", ")), Role::Accent)
            .end(time_of_day(evidence.at), Role::Dim);
        self.head.push(row);
        match &evidence.origin {
            Origin::Tool { arguments, .. } => self.head.wrapped(
                ("arguments ", Role::Dim),
                &arguments.to_string(),
                Role::Text,
                cells,
            ),
            Origin::Human { .. } => self.head.push(Row::text(
                "supplied by a human in place of the result",
                Role::Human,
            )),
            Origin::Session {
                session, evidence, ..
            } => self.head.push(Row::text(
                format!("read by session {session} as {evidence}, not by this one"),
                Role::Human,
            )),
        }
        let call = evidence
            .origin
            .call()
            .and_then(|id| story.state.execution.call(id));
        if let Some((call, outcome)) = call.and_then(|c| Some((c.call.id, c.outcome()?))) {
            let ms = u64::try_from(outcome.ended_at.since_ms(outcome.started_at)).unwrap_or(0);
            let cached = if outcome.cached { ", from the cache" } else { "" };
            let trace = outcome.trace.0.join(" · ");
            let words = format!("{call} took {}{cached}  {trace}", text::duration(ms));
            self.head
                .wrapped(("way       ", Role::Dim), &words, Role::Dim, cells);
            if let Some(failure) = &outcome.failure {
                let words = format!("{}: {}", failure.kind, failure.message);
                self.head
                    .wrapped((&format!("{} ", glyph::BAD), Role::Bad), &words, Role::Bad, cells);
            }
        }
        if evidence.truncated {
            self.head.push(Row::text(
                "▲ cut to the size cap: what is missing here proves nothing",
                Role::Warn,
            ));
        }
        for (pointer, by) in &self.cited {
            let row_link = Link::Evidence(evidence.id, pointer.clone());
            let place = if pointer.is_empty() {
                "the whole"
            } else {
                pointer.as_str()
            };
            // One row each: the whole place stands in the tree, where the row leads.
            let room = cells.saturating_sub(10);
            let place = text::fit_end(place, room / 3);
            self.head.push(
                Row::text("cited     ", Role::Dim)
                    .put(
                        text::fit(&text::one_line(by), room.saturating_sub(text::width(&place) + 2)),
                        Role::Text,
                    )
                    .end(place, Role::Dim)
                    .raw(format!("{by}  at {pointer}"))
                    .link(row_link),
            );
        }
        self.head.gap();
    }
}

/// What the verdict stands on, or before it stands the newest.
fn first_to_see(story: &Story) -> Option<(EvidenceId, String)> {
    let verdict = story.state.diagnosed.verdict.as_ref();
    let cited = verdict.and_then(|v| v.causes.first()?.citations.first());
    match cited {
        Some(citation) => Some((citation.evidence, citation.pointer.clone())),
        None => story.state.evidence.last().map(|e| (e.id, String::new())),
    }
}

impl Pane for EvidencePane {
    fn title(&self, cx: &Cx) -> (String, String) {
        let all = cx.story.state.evidence.len();
        match self.shown {
            Some(id) if all > 0 => ("Evidence".to_owned(), format!("{id} of {all}")),
            _ => ("Evidence".to_owned(), String::new()),
        }
    }

    fn prepare(&mut self, cx: &Cx, area: Rect) {
        if self.shown.is_none()
            && let Some((id, pointer)) = first_to_see(cx.story)
        {
            self.show(cx.story, id, &pointer);
        }
        let key = (
            self.shown,
            self.folds.version,
            cx.story.versions.knowledge,
            area.width,
        );
        if key != self.key {
            self.key = key;
            let Some(evidence) = self.shown.and_then(|id| cx.story.evidence(id)) else {
                self.list.set_len(0);
                return;
            };
            self.cited = cx
                .story
                .citations_of(evidence.id)
                .into_iter()
                .map(|(c, by)| (c.pointer.clone(), by))
                .collect();
            self.cited.dedup();
            self.build_head(cx.story, evidence, usize::from(area.width));
            self.tree = lines(&evidence.value, &self.folds);
            self.list.set_len(self.head.len() + self.tree.len());
        }
        if let Some(pointer) = self.wanted.take()
            && let Some(line) = self.tree.iter().position(|l| l.pointer == pointer)
        {
            self.list.show(self.head.len() + line);
        }
    }

    fn row(&self, cx: &Cx, index: usize) -> Row {
        let Some(line) = self.line(index) else {
            return self.head.row(index);
        };
        let Some(evidence) = self.shown.and_then(|id| cx.story.evidence(id)) else {
            return Row::new();
        };
        let line = &self.tree[line];
        let by = self
            .cited
            .iter()
            .find(|(p, _)| *p == line.pointer && !line.closes() && !p.is_empty());
        let row = line.row(&evidence.value, by.is_some());
        match by {
            Some((_, by)) => row.end(
                format!(" ◂ {}", by.split([' ', ':']).next().unwrap_or("cited")),
                Role::Accent,
            ),
            None => row,
        }
    }

    fn list(&self) -> &ListState {
        &self.list
    }

    fn list_mut(&mut self) -> &mut ListState {
        &mut self.list
    }

    fn empty(&self, _: &Cx) -> String {
        "Every tool result is kept here in full, numbered E1, E2, …".to_owned()
    }

    fn plain(&self, cx: &Cx) -> String {
        let evidence = self.shown.and_then(|id| cx.story.evidence(id));
        evidence
            .and_then(|e| serde_json::to_string_pretty(&*e.value).ok())
            .unwrap_or_default()
    }
}
