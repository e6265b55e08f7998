//! The critic's panel: specialists who judge a draft from one side each, and the count of their votes.
//!
//! An undecided panel is a no: the planner is told what each misses. Who gave no usable answer has not
//! voted; when too few have, the critic alone decides.

use super::check::MAX_ITEMS;
use crate::agent::model::{Critique, RiskFlag};
use crate::ensemble::{Ballot, Outcome, Rule, tally};

/// What one member of the panel says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Opinion {
    pub voter: String,
    pub critique: Critique,
}

/// Several opinions as one, and in words how they were counted. The critic's comes first; `asked` is how
/// many were asked, the critic included.
pub(super) fn decide(opinions: Vec<Opinion>, asked: usize) -> Option<(Critique, String)> {
    let ballots: Vec<Ballot<&str>> = opinions.iter().map(ballot).collect();
    let outcome = tally(&ballots, Rule::simple(asked));
    let told = outcome.explain(&ballots);
    let (pass, confidence) = match &outcome {
        Outcome::Decided(c) => (c.choice == PASS, c.confidence * c.share),
        Outcome::Split { .. } => (false, 0.5),
        Outcome::NoQuorum { .. } => {
            let critic = opinions.into_iter().next()?;
            return Some((critic.critique, format!("{told}; the critic decides alone")));
        }
    };
    Some((merged(opinions, pass, confidence), told))
}

const PASS: &str = "pass";

fn ballot(opinion: &Opinion) -> Ballot<&'static str> {
    let critique = &opinion.critique;
    Ballot {
        voter: opinion.voter.clone(),
        choice: if critique.pass { PASS } else { "fail" },
        weight: 1.0,
        confidence: critique.confidence,
    }
}

/// What is missing counts when the plan fails. When it passes, what the outvoted miss is kept as a risk.
fn merged(opinions: Vec<Opinion>, pass: bool, confidence: f64) -> Critique {
    let mut whole = Critique {
        pass,
        confidence,
        missing: Vec::new(),
        next_search: Vec::new(),
        risk_flags: Vec::new(),
    };
    for (n, opinion) in opinions.into_iter().enumerate() {
        let Opinion { voter, critique } = opinion;
        let said = |text: String| if n == 0 { text } else { format!("{voter}: {text}") };
        let sure = critique.confidence;
        for text in critique.missing {
            if pass && !critique.pass {
                whole.risk_flags.push(RiskFlag {
                    risk: said(text),
                    confidence: sure,
                });
            } else {
                whole.missing.push(said(text));
            }
        }
        for flag in critique.risk_flags {
            whole.risk_flags.push(RiskFlag {
                risk: said(flag.risk),
                confidence: flag.confidence,
            });
        }
        for search in critique.next_search {
            if !whole.next_search.contains(&search) {
                whole.next_search.push(search);
            }
        }
    }
    whole.missing.truncate(MAX_ITEMS);
    whole.risk_flags.truncate(MAX_ITEMS);
    whole.next_search.truncate(3);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opinion(voter: &str, pass: bool, confidence: f64, missing: &[&str]) -> Opinion {
        Opinion {
            voter: voter.into(),
            critique: Critique {
                pass,
                confidence,
                missing: missing.iter().map(|m| (*m).to_owned()).collect(),
                next_search: vec![format!("{voter} words")],
                risk_flags: vec![],
            },
        }
    }

    #[test]
    fn the_outvoted_are_heard_as_a_risk() {
        let opinions = vec![
            opinion("critic", true, 0.9, &[]),
            opinion("coverage", false, 0.6, &["The logs."]),
            opinion("cost", true, 0.9, &[]),
        ];
        let (critique, told) = decide(opinions, 3).unwrap();
        assert!(critique.pass && critique.missing.is_empty());
        assert_eq!(critique.risk_flags[0].risk, "coverage: The logs.");
        assert!((critique.confidence - 0.9 * 0.75).abs() < 1e-9);
        assert_eq!(
            told,
            "critic pass 0.90, coverage fail 0.60, cost pass 0.90: pass with 75 % of the votes"
        );
    }

    #[test]
    fn a_panel_that_fails_a_plan_says_what_is_missing_and_who_misses_it() {
        let opinions = vec![
            opinion("critic", false, 0.9, &["Both ends."]),
            opinion("coverage", false, 0.9, &["The logs."]),
            opinion("cost", true, 0.3, &[]),
        ];
        let (critique, _) = decide(opinions, 3).unwrap();
        assert_eq!(
            (critique.pass, critique.missing),
            (
                false,
                vec!["Both ends.".to_owned(), "coverage: The logs.".to_owned()]
            )
        );
        assert_eq!(critique.next_search.len(), 3);
    }

    #[test]
    fn undecided_is_a_no_and_an_empty_room_is_the_critics() {
        let even = vec![
            opinion("critic", true, 0.5, &[]),
            opinion("safety", false, 0.5, &["A reason."]),
        ];
        let (critique, told) = decide(even, 2).unwrap();
        assert!(!critique.pass && told.contains("undecided"), "{told}");
        let alone = vec![opinion("critic", true, 0.8, &[])];
        let (critique, told) = decide(alone.clone(), 4).unwrap();
        assert_eq!(critique, alone[0].critique);
        assert!(told.ends_with("too few; the critic decides alone"), "{told}");
        assert_eq!(decide(vec![], 1), None);
    }
}
