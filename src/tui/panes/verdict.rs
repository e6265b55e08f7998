//! The verdict, and before it stands the hypotheses that compete for it.

use super::words::{confidence, glyph, standing};
use super::{Cx, ProsePane, Sheet, Stamp};
use crate::agent::model::{Cause, Citation, Hypothesis, Outcome, Verdict};
use crate::tui::rows::{Link, Row};
use crate::tui::story::Story;
use crate::tui::text;
use crate::tui::theme::Role;

/// The verdict pane.
#[derive(Debug, Default)]
pub struct VerdictPane {
    sheet: Sheet,
    hero: usize,
}

impl VerdictPane {
    /// How many rows tell the verdict itself, without hypotheses: what the overview makes room for.
    pub fn hero_rows(&self) -> usize {
        self.hero
    }

    /// Goes back to the verdict's first line.
    pub fn list_mut_top(&mut self) {
        self.sheet.list.first();
    }

    fn build_verdict(&mut self, story: &Story, verdict: &Verdict, cells: usize) {
        let (mark, word, role) = match (verdict.anomaly, verdict.causes.is_empty()) {
            (true, false) => (glyph::BAD, "FAULT FOUND", Role::Bad),
            (true, true) => (glyph::WARN, "ANOMALY WITHOUT A NAMED CAUSE", Role::Warn),
            (false, _) => (glyph::OK, "HEALTHY", Role::Ok),
        };
        let (bar, tone) = confidence(verdict.confidence);
        let head = Row::text(format!(" {mark} {word}  "), role)
            .put(format!("{bar} {}", verdict.confidence), tone)
            .put(
                format!("  {:.0} %", verdict.confidence.probability() * 100.0),
                Role::Dim,
            );
        let first = verdict.causes.iter().find_map(|c| c.citations.first());
        self.sheet.rows.push(match first {
            Some(c) => head.link(Link::Evidence(c.evidence, c.pointer.clone())),
            None => head,
        });
        if let Some(prose) = &story.state.ending.prose {
            // A headline that only names the one cause would say twice what stands below.
            let said = |c: &Cause| {
                prose.headline.contains(c.fault.name()) && prose.headline.contains(&c.resource.to_string())
            };
            if !matches!(verdict.causes.as_slice(), [one] if said(one)) {
                self.sheet
                    .rows
                    .wrapped(("   ", Role::Text), &prose.headline, Role::Title, cells);
            }
        }
        for cause in &verdict.causes {
            self.build_cause(story, cause, cells);
        }
        let lead = |label: &str| format!("   {label:<14}");
        for statement in &verdict.unexplained {
            let said = statement.to_string();
            self.sheet
                .rows
                .wrapped((&lead("unexplained"), Role::Title), &said, Role::Text, cells);
        }
        for statement in &verdict.ruled_out {
            let said = statement.to_string();
            self.sheet
                .rows
                .wrapped((&lead("ruled out"), Role::Dim), &said, Role::Dim, cells);
        }
        for (device, reason, others) in unseen(verdict) {
            let more = match others {
                0 => String::new(),
                n => format!(" (and {n} more)"),
            };
            let room = cells.saturating_sub(17).max(8) * 2;
            let words = text::fit(
                &text::one_line(&format!("{device}: {reason}")),
                room - more.len().min(room),
            );
            self.sheet.rows.wrapped(
                (&lead("not seen"), Role::Unknown),
                &(words + &more),
                Role::Unknown,
                cells,
            );
        }
        for text in &verdict.would_change {
            self.sheet
                .rows
                .wrapped((&lead("would change"), Role::Dim), text, Role::Dim, cells);
        }
    }

    fn build_heading(&mut self, words: &str) {
        if !self.sheet.rows.is_empty() {
            self.sheet.rows.gap();
        }
        self.sheet
            .rows
            .push(Row::text(format!(" {words}"), Role::Title).heading());
    }

    fn build_cause(&mut self, story: &Story, cause: &Cause, cells: usize) {
        self.sheet.rows.gap();
        let link = cause
            .citations
            .first()
            .map(|c| Link::Evidence(c.evidence, c.pointer.clone()));
        let linked = |row: Row| match &link {
            Some(link) => row.link(link.clone()),
            None => row,
        };
        self.sheet.rows.push(linked(
            Row::text(" ◆ ", Role::Bad)
                .put(cause.fault.name(), Role::Bad)
                .put("  on  ", Role::Dim)
                .put(cause.resource.to_string(), Role::Accent)
                .end(marks(&cause.citations), Role::Accent),
        ));
        self.sheet
            .rows
            .wrapped_with(("   ", Role::Text), &cause.statement, Role::Text, cells, linked);
        for id in &cause.consequences {
            if let Some(finding) = story.state.finding(*id) {
                let link = finding
                    .citations
                    .first()
                    .map(|c| Link::Evidence(c.evidence, c.pointer.clone()));
                self.sheet.rows.wrapped_with(
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
                self.sheet
                    .rows
                    .wrapped((label, Role::Human), line.trim_end(), Role::Text, cells);
            }
        }
    }

    fn build_hypothesis(&mut self, hypothesis: &Hypothesis, cells: usize) {
        let (mark, word, role) = standing(hypothesis.standing);
        let bar = "█".repeat((hypothesis.weight.clamp(0.0, 1.0) * 10.0).round() as usize);
        self.sheet.rows.push(
            Row::text(format!(" {mark} "), role)
                .put(format!("{:<4}", hypothesis.id.to_string()), Role::Dim)
                .column(&format!("{bar} {:.2}", hypothesis.weight), 16, role)
                .put(hypothesis.fault.name(), Role::Text)
                .put("  on  ", Role::Dim)
                .put(hypothesis.resource.to_string(), Role::Accent)
                .end(word, role),
        );
        self.sheet
            .rows
            .wrapped(("       ", Role::Dim), &hypothesis.reasoning, Role::Dim, cells);
        if let Some(check) = &hypothesis.check {
            self.sheet.rows.wrapped(
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
        self.sheet
            .rows
            .push(Row::text(format!(" {mark} {word}"), Role::Bad));
        self.sheet
            .rows
            .wrapped(("   ", Role::Text), reason, Role::Text, cells);
    }
}

/// What could not be seen, a device once: its first reason, and how many more there are.
fn unseen(verdict: &Verdict) -> Vec<(&str, &str, usize)> {
    let mut list: Vec<(&str, &str, usize)> = Vec::new();
    for gap in &verdict.unobserved {
        match list
            .iter_mut()
            .find(|(device, ..)| *device == gap.device.as_str())
        {
            Some((_, _, others)) => *others += 1,
            None => list.push((gap.device.as_str(), &gap.reason, 0)),
        }
    }
    list
}

/// `E4 E7` for a list of citations, each evidence once.
fn marks(citations: &[Citation]) -> String {
    let mut ids: Vec<_> = citations.iter().map(|c| c.evidence).collect();
    ids.dedup();
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

impl ProsePane for VerdictPane {
    fn title(&self, cx: &Cx) -> (String, String) {
        let n = cx.story.state.diagnosed.hypotheses.len();
        let note = if n > 0 {
            text::plural(n, "hypothesis").replace("hypothesiss", "hypotheses")
        } else {
            String::new()
        };
        ("Verdict".to_owned(), note)
    }

    fn stamp(&self, cx: &Cx) -> Stamp {
        let v = cx.story.versions;
        [v.knowledge, v.any.min(u64::from(cx.story.state.is_ended())), 0, 0]
    }

    fn fill(&mut self, cx: &Cx, cells: usize) {
        let cells = cells.saturating_sub(1);
        let diagnosed = &cx.story.state.diagnosed;
        if let Some(verdict) = &diagnosed.verdict {
            self.build_verdict(cx.story, verdict, cells);
        }
        if let Some(outcome) = &cx.story.state.ending.outcome {
            self.build_outcome(outcome, cells);
        }
        self.hero = self.sheet.rows.len();
        if !diagnosed.hypotheses.is_empty() {
            self.build_heading("Hypotheses, best first");
            for hypothesis in &diagnosed.hypotheses {
                self.build_hypothesis(hypothesis, cells);
            }
        }
        if let Some(verdict) = diagnosed.verdict.as_ref().filter(|v| !v.remarks.is_empty()) {
            self.build_heading("Remarks");
            for remark in &verdict.remarks {
                let said = remark.to_string();
                self.sheet
                    .rows
                    .wrapped((" · ", Role::Info), &said, Role::Dim, cells);
            }
        }
    }

    fn sheet(&self) -> &Sheet {
        &self.sheet
    }

    fn sheet_mut(&mut self) -> &mut Sheet {
        &mut self.sheet
    }

    fn empty(&self, _: &Cx) -> String {
        "No verdict yet. Hypotheses and what would tell them apart appear here as findings come in."
            .to_owned()
    }
}
