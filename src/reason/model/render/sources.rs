//! What plans are made of: tools, the runbook, the handbook, past incidents.
//!
//! A passage that the role reads elsewhere on its page, as a step of the runbook or of the draft, is not
//! shown again and can't be cited.

use std::fmt::Write as _;

use super::super::{
    Runbook,
    quote::{clipped, quoted, shortened},
};
use crate::agent::{
    model::{Incident, Passage, ToolSpec},
    state::State,
};

/// Most passages and incidents that are listed.
const MAX_PASSAGES: usize = 5;
const MAX_INCIDENTS: usize = 3;
/// Characters of a passage.
const PASSAGE: usize = 700;
/// Characters by which a passage is known again.
const HEAD: usize = 80;

/// How much of a tool a role must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::reason::model) enum Detail {
    /// That it is there and what for: to judge whether a plan can be carried out.
    Purpose,
    /// What it can read: to plan with.
    Words,
    /// Its arguments too: to call it from a script.
    Arguments,
}

/// Tools by name.
pub(in crate::reason::model) fn tools(state: &State, detail: Detail) -> String {
    let tools = state.intake.tools.iter().flatten();
    let rows: Vec<String> = tools.map(|tool| row(tool, detail)).collect();
    if rows.is_empty() {
        String::new()
    } else {
        format!("## Tools\n{}", quoted("tools", &rows.join("\n"), 8_000))
    }
}

fn row(tool: &ToolSpec, detail: Detail) -> String {
    let said = tool.description.lines().next().unwrap_or_default();
    match detail {
        Detail::Purpose => format!("{}: {}", tool.id, shortened(said, 60)),
        Detail::Words => format!("{}: {}", tool.id, shortened(said, 110)),
        Detail::Arguments => {
            let arguments: Vec<&str> = tool.input_schema["properties"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name.as_str())
                .collect();
            format!("{}({}): {}", tool.id, arguments.join(", "), shortened(said, 90))
        }
    }
}

/// The runbook of an intent, its steps numbered as plans cite them.
pub(in crate::reason::model) fn runbook(runbook: Option<&Runbook>) -> String {
    let Some(runbook) = runbook else {
        return String::new();
    };
    let mut text = format!(
        "## Runbook {}\n{}",
        runbook.intent,
        clipped(&runbook.description, 400)
    );
    for (n, step) in runbook.steps.iter().enumerate() {
        let _ = write!(text, "\nrunbook:{} {}", n + 1, clipped(step, 500));
    }
    text
}

/// What the corpus had for a draft, numbered as plans cite it; without what `elsewhere` holds already.
pub(in crate::reason::model) fn passages(state: &State, draft: u32, elsewhere: &[String]) -> String {
    let rows: Vec<String> = listed(state, draft)
        .iter()
        .enumerate()
        .filter(|(_, p)| !is_among(p, elsewhere))
        .map(|(n, p)| {
            let label = format!("passage:{} {} / {}", n + 1, p.source, p.heading);
            quoted(&label, &p.text, PASSAGE)
        })
        .collect();
    if rows.is_empty() {
        String::new()
    } else {
        format!("## From the handbook\n{}", rows.join("\n"))
    }
}

/// The passage with a number, from 0, if it was shown.
pub(in crate::reason::model) fn passage<'s>(
    state: &'s State,
    draft: u32,
    elsewhere: &[String],
    n: usize,
) -> Option<&'s Passage> {
    listed(state, draft).get(n).filter(|p| !is_among(p, elsewhere))
}

fn listed(state: &State, draft: u32) -> &[Passage] {
    let record = state.planning.draft(draft);
    let passages = record.and_then(|d| d.passages.as_deref()).unwrap_or_default();
    &passages[..passages.len().min(MAX_PASSAGES)]
}

fn is_among(passage: &Passage, elsewhere: &[String]) -> bool {
    let text = passage.text.trim();
    let head = text.char_indices().nth(HEAD).map_or(text, |(at, _)| &text[..at]);
    elsewhere.iter().any(|shown| shown.contains(head))
}

/// Similar incidents, numbered as plans cite them.
pub(in crate::reason::model) fn incidents(state: &State) -> String {
    let rows: Vec<String> = state
        .intake
        .incidents
        .iter()
        .flatten()
        .take(MAX_INCIDENTS)
        .enumerate()
        .map(|(n, i)| {
            quoted(
                &format!("incident:{}", n + 1),
                &format!("{}\n{}", i.query, i.summary),
                400,
            )
        })
        .collect();
    if rows.is_empty() {
        String::new()
    } else {
        format!("## Similar incidents of the past\n{}", rows.join("\n"))
    }
}

/// The incident with a number, from 0, if it was shown.
pub(in crate::reason::model) fn incident(state: &State, n: usize) -> Option<&Incident> {
    state
        .intake
        .incidents
        .as_ref()?
        .get(n)
        .filter(|_| n < MAX_INCIDENTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reason::model::tests::fixture;

    #[test]
    fn a_passage_that_stands_elsewhere_is_not_shown_and_not_cited() {
        let state = fixture();
        assert!(passages(&state, 0, &[]).contains("passage:1"));
        assert!(passage(&state, 0, &[], 0).is_some());
        let runbook = ["Before. Look. After.".to_owned()];
        assert_eq!(passages(&state, 0, &runbook), "");
        assert!(passage(&state, 0, &runbook, 0).is_none());
    }

    #[test]
    fn a_role_is_told_of_tools_what_it_needs() {
        let state = fixture();
        let lines = |detail| tools(&state, detail);
        assert!(lines(Detail::Arguments).contains("lab.get_bgp_info(device_name)"));
        assert!(!lines(Detail::Words).contains("device_name"));
        assert!(lines(Detail::Purpose).len() <= lines(Detail::Words).len());
    }
}
