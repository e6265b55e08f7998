//! The verdict, and before it stands the hypotheses that compete for it.

use ratatui::layout::Rect;

use super::words::{confidence, glyph, standing};
use super::{Cx, Pane, Prose};
use crate::agent::model::{Cause, Citation, Hypothesis, Outcome, Verdict};
use crate::tui::rows::{Link, ListState, Row};
use crate::tui::story::Story;
use crate::tui::theme::Role;

/// The verdict pane.
#[derive(Debug, Default)]
pub struct VerdictPane {
    list: ListState,
    rows: Prose,
    hero: usize,
    key: (u64, u64, u16),
}

impl VerdictPane {
    /// How many rows tell the verdict itself, without hypotheses: what the overview makes room for.
    pub fn hero_rows(&self) -> usize {
        self.hero
    }

    /// Goes back to the verdict's first line.
    pub fn list_mut_top(&mut self) {
        self.list.first();
    }

    fn build_verdict(&mut self, story: &Story, verdict: &Verdict, cells: usize) {
        let (mark, word, role) = match (verdict.anomaly, verdict.causes.is_empty()) {
            (true, false) => (glyph::BAD, "FAULT FOUND", Role::Bad),
            (true, true) => (glyph::WARN, "ANOMALY WITHOUT A NAMED CAUSE", Role::Warn),
            (false, _) => (glyph::OK, "HEALTHY", Role::Ok),
        };
        let (bar, tone) = confidence(verdict.confidence);
        self.rows.push(
            Row::text(format!(" {mark} {word}  "), role)
                .put(format!("{bar} {}", verdict.confidence), tone)
                .put(
                    format!("  {:.0} %", verdict.confidence.probability() * 100.0),
                    Role::Dim,
                ),
        );
        if let Some(prose) = &story.state.ending.prose {
            // A headline that only names the one cause would say twice what stands below.
            let said = |c: &Cause| {
                prose.headline.contains(c.fault.name()) && prose.headline.contains(&c.resource.to_string())
            };
            if !matches!(verdict.causes.as_slice(), [one] if said(one)) {
                self.rows
                    .wrapped(("   ", Role::Text), &prose.headline, Role::Title, cells);
            }
        }
        for cause in &verdict.causes {
            self.build_cause(story, cause, cells);
        }
        let lead = |label: &str| format!("   {label:<14}");
        for text in &verdict.ruled_out {
            self.rows
                .wrapped((&lead("ruled out"), Role::Dim), text, Role::Dim, cells);
        }
        for gap in &verdict.unobserved {
            let words = format!("{}: {}", gap.device, gap.reason);
            self.rows
                .wrapped((&lead("not seen"), Role::Unknown), &words, Role::Unknown, cells);
        }
        for text in &verdict.remarks {
            self.rows
                .wrapped((&lead("remark"), Role::Info), text, Role::Text, cells);
        }
        for text in &verdict.would_change {
            self.rows
                .wrapped((&lead("would change"), Role::Dim), text, Role::Dim, cells);
        }
    }

    fn build_cause(&mut self, story: &Story, cause: &Cause, cells: usize) {
        self.rows.gap();
        let link = cause
            .citations
            .first()
            .map(|c| Link::Evidence(c.evidence, c.pointer.clone()));
        let linked = |row: Row| match &link {
            Some(link) => row.link(link.clone()),
            None => row,
        };
        self.rows.push(linked(
            Row::text(" ◆ ", Role::Bad)
                .put(cause.fault.name(), Role::Bad)
                .put("  on  ", Role::Dim)
                .put(cause.resource.to_string(), Role::Accent)
                .end(marks(&cause.citations), Role::Accent),
        ));
        self.rows
            .wrapped_with(("   ", Role::Text), &cause.statement, Role::Text, cells, linked);
        for id in &cause.consequences {
            if let Some(finding) = story.state.finding(*id) {
                let link = finding
                    .citations
                    .first()
                    .map(|c| Link::Evidence(c.evidence, c.pointer.clone()));
                self.rows.wrapped_with(
                    ("   consequence   ", Role::Warn),
                    &finding.statement,
                    Role::Dim,
                    cells,
                    |r| match &link {
                        Some(link) => r.link(link.clone()),
                        None => r,
                    },
                );
            }
        }
        if let Some(change) = &cause.suggested_change {
            for (i, line) in change.lines().enumerate() {
                let label = if i == 0 {
                    "   for you to do  "
                } else {
                    "                  "
                };
                self.rows
                    .wrapped((label, Role::Human), line.trim_end(), Role::Text, cells);
            }
        }
    }

    fn build_hypothesis(&mut self, hypothesis: &Hypothesis, cells: usize) {
        let (mark, word, role) = standing(hypothesis.standing);
        let bar = "█".repeat((hypothesis.weight.clamp(0.0, 1.0) * 10.0).round() as usize);
        self.rows.push(
            Row::text(format!(" {mark} "), role)
                .put(format!("{:<4}", hypothesis.id.to_string()), Role::Dim)
                .column(&format!("{bar} {:.2}", hypothesis.weight), 16, role)
                .put(hypothesis.fault.name(), Role::Text)
                .put("  on  ", Role::Dim)
                .put(hypothesis.resource.to_string(), Role::Accent)
                .end(word, role),
        );
        self.rows
            .wrapped(("       ", Role::Dim), &hypothesis.reasoning, Role::Dim, cells);
        if let Some(check) = &hypothesis.check {
            self.rows.wrapped(
                ("       would tell  ", Role::Search),
                &check.instruction,
                Role::Text,
                cells,
            );
        }
    }

    fn build_outcome(&mut self, outcome: &Outcome, cells: usize) {
        let (mark, word, reason) = match outcome {
            Outcome::Reported => return,
            Outcome::Stopped => (glyph::WARN, "STOPPED", "Ended before a verdict stood."),
            Outcome::Failed { reason } => (glyph::BAD, "FAILED", reason.as_str()),
            Outcome::Refused { reason } => (glyph::BAD, "REFUSED", reason.as_str()),
        };
        self.rows.push(Row::text(format!(" {mark} {word}"), Role::Bad));
        self.rows.wrapped(("   ", Role::Text), reason, Role::Text, cells);
    }
}

/// `E4 E7` for a list of citations, each evidence once.
fn marks(citations: &[Citation]) -> String {
    let mut ids: Vec<_> = citations.iter().map(|c| c.evidence).collect();
    ids.dedup();
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

impl Pane for VerdictPane {
    fn title(&self, cx: &Cx) -> (String, String) {
        let n = cx.story.state.diagnosed.hypotheses.len();
        let note = if n > 0 {
            crate::tui::text::plural(n, "hypothesis").replace("hypothesiss", "hypotheses")
        } else {
            String::new()
        };
        ("Verdict".to_owned(), note)
    }

    fn prepare(&mut self, cx: &Cx, area: Rect) {
        let v = cx.story.versions;
        let key = (
            v.knowledge,
            v.any.min(u64::from(cx.story.state.is_ended())),
            area.width,
        );
        if key == self.key {
            return;
        }
        self.key = key;
        self.rows.clear();
        let cells = usize::from(area.width).saturating_sub(1);
        let diagnosed = &cx.story.state.diagnosed;
        if let Some(verdict) = &diagnosed.verdict {
            self.build_verdict(cx.story, verdict, cells);
        }
        if let Some(outcome) = &cx.story.state.ending.outcome {
            self.build_outcome(outcome, cells);
        }
        self.hero = self.rows.len();
        if !diagnosed.hypotheses.is_empty() {
            if self.hero > 0 {
                self.rows.gap();
            }
            self.rows
                .push(Row::text(" Hypotheses, best first", Role::Title).heading());
            for hypothesis in &diagnosed.hypotheses {
                self.build_hypothesis(hypothesis, cells);
            }
        }
        self.list.set_len(self.rows.len());
    }

    fn row(&self, _: &Cx, index: usize) -> Row {
        self.rows.row(index)
    }

    fn list(&self) -> &ListState {
        &self.list
    }

    fn list_mut(&mut self) -> &mut ListState {
        &mut self.list
    }

    fn empty(&self, _: &Cx) -> String {
        "No verdict yet. Hypotheses and what would tell them apart appear here as findings come in."
            .to_owned()
    }
}
