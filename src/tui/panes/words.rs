//! Glyphs and short words that several panes share. Each state has a glyph, a word and a role, so nothing
//! is told by colour alone.

use crate::agent::model::{Confidence, Provenance, Severity, Standing};
use crate::tui::story::{EntryKind, Health};
use crate::tui::theme::Role;

/// Glyphs, all one cell wide.
pub mod glyph {
    /// Done, healthy, passed.
    pub const OK: &str = "✔";
    /// Failed, faulty, refused.
    pub const BAD: &str = "✘";
    /// Worth a look.
    pub const WARN: &str = "▲";
    /// Seen or present.
    pub const DOT: &str = "●";
    /// Not yet.
    pub const OPEN: &str = "○";
    /// Left out.
    pub const SKIPPED: &str = "◌";
    /// The human.
    pub const HUMAN: &str = "?";
    /// Unfolded.
    pub const UNFOLDED: &str = "▾";
    /// Folded.
    pub const FOLDED: &str = "▸";
}

/// How a device's health looks.
pub fn health(health: Health) -> (&'static str, Role) {
    match health {
        Health::Unseen => (glyph::OPEN, Role::Unknown),
        Health::Healthy => (glyph::DOT, Role::Ok),
        Health::Warning => (glyph::WARN, Role::Warn),
        Health::Critical => (glyph::BAD, Role::Bad),
        Health::Unreachable => ("⊘", Role::Bad),
    }
}

/// How a finding's severity looks.
pub fn severity(severity: Severity) -> (&'static str, &'static str, Role) {
    match severity {
        Severity::Info => ("·", "info", Role::Info),
        Severity::Warning => (glyph::WARN, "warning", Role::Warn),
        Severity::Critical => (glyph::BAD, "critical", Role::Bad),
    }
}

/// How sure: glyph and role.
pub fn confidence(confidence: Confidence) -> (&'static str, Role) {
    match confidence {
        Confidence::Confirmed => ("■■■", Role::Ok),
        Confidence::Likely => ("■■□", Role::Warn),
        Confidence::Inconclusive => ("■□□", Role::Unknown),
    }
}

/// Where a hypothesis stands: glyph, word and role.
pub fn standing(standing: Standing) -> (&'static str, &'static str, Role) {
    match standing {
        Standing::Open => (glyph::OPEN, "open", Role::Info),
        Standing::Supported => (glyph::OK, "supported", Role::Ok),
        Standing::Consequence => ("↳", "consequence", Role::Warn),
        Standing::RuledOut => (glyph::BAD, "ruled out", Role::Unknown),
    }
}

/// How a line of the chronicle looks.
pub fn entry(kind: EntryKind) -> (&'static str, Role) {
    match kind {
        EntryKind::Course => ("─", Role::Dim),
        EntryKind::Plan => ("◇", Role::Planner),
        EntryKind::Call => ("→", Role::Info),
        EntryKind::Failure => (glyph::BAD, Role::Bad),
        EntryKind::Finding(s) => {
            let (glyph, _, role) = severity(s);
            (glyph, role)
        }
        EntryKind::Verdict => ("◆", Role::Accent),
        EntryKind::Human => (glyph::HUMAN, Role::Human),
        EntryKind::Note => ("·", Role::Dim),
    }
}

/// Where a step comes from, in a few words.
pub fn provenance(list: &[Provenance]) -> String {
    let words = |p: &Provenance| match p {
        Provenance::Runbook { intent, step } => format!("{intent}·{step}"),
        Provenance::Passage { source, .. } => source.clone(),
        Provenance::Incident { session } => format!("incident {session}"),
        Provenance::Finding { finding } => format!("after {finding}"),
        Provenance::Hypothesis { hypothesis } => format!("tests {hypothesis}"),
        Provenance::Critic { .. } => "critic".to_owned(),
        Provenance::Human { .. } => "you".to_owned(),
        Provenance::Reasoner => "reasoner".to_owned(),
    };
    list.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// A sparkline of the times of calls against the longest of all, so that lines of several devices compare. The
/// scale is that of the square root; the top level leaves a gap to the line above.
pub fn sparkline(times: impl Iterator<Item = u64>, longest: u64) -> String {
    const LEVELS: [char; 6] = ['▁', '▂', '▃', '▄', '▅', '▆'];
    #[allow(clippy::cast_precision_loss, reason = "a height of six levels")]
    let part = |ms: u64| (ms as f64 / longest.max(1) as f64).sqrt();
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a part of 5 is 0 to 5"
    )]
    let level = |ms: u64| (part(ms).clamp(0.0, 1.0) * 5.0).round() as usize;
    times.map(|ms| LEVELS[level(ms).min(5)]).collect()
}

/// A time of day in UTC: `02:13:07`.
pub fn time_of_day(at: crate::agent::model::Timestamp) -> String {
    let seconds = at.0.div_euclid(1_000).rem_euclid(86_400);
    format!(
        "{:02}:{:02}:{:02}",
        seconds / 3_600,
        seconds / 60 % 60,
        seconds % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::model::Timestamp;

    #[test]
    fn small_pictures_and_clocks() {
        assert_eq!(sparkline([0, 10, 1_000].into_iter(), 1_000), "▁▂▆");
        assert_eq!(
            sparkline([250].into_iter(), 1_000),
            "▄",
            "against the longest of all"
        );
        assert_eq!(sparkline([].into_iter(), 0), "");
        assert_eq!(time_of_day(Timestamp(7_987_000)), "02:13:07");
        assert_eq!(time_of_day(Timestamp(-1_000)), "23:59:59");
    }
}
