//! What the humans said is known ("on xrd-8, the idle peer is decommissioned") is no cause: it is set aside,
//! with their words, in the hypotheses and in the verdict.

use crate::agent::model::{Fact, Hypothesis, Standing, Verdict};
use crate::agent::state::State;
use crate::diagnosis::ontology::Resource;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// The fact that covers a resource, if any.
fn covering<'a>(state: &'a State, resource: &Resource) -> Option<&'a Fact> {
    state
        .intake
        .facts
        .iter()
        .find(|fact| covers(&fact.scope, resource))
}

/// A node covers everything on it; anything else covers itself.
fn covers(scope: &Resource, resource: &Resource) -> bool {
    match scope {
        Resource::Node(node) => resource.devices() == [node.as_str()],
        other => other == resource,
    }
}

/// The fact with its scope, its number and how much longer it holds.
fn words(state: &State, fact: &Fact) -> String {
    let left = fact
        .expires_at
        .map(|until| until.since_ms(state.opened_at).max(0));
    let holds = match left.map(|ms| (ms / DAY_MS, ms / HOUR_MS)) {
        None => "for good".to_owned(),
        Some((0, hours)) => format!("for {hours} more hours"),
        Some((days, _)) => format!("for {days} more days"),
    };
    format!(
        "known, {}: {} (fact {}, holds {holds})",
        fact.scope, fact.words, fact.id
    )
}

/// Rules out hypotheses that a fact explains.
pub(super) fn set_aside(state: &State, hypotheses: &mut [Hypothesis]) {
    for hypothesis in hypotheses {
        if let Some(fact) = covering(state, &hypothesis.resource) {
            hypothesis.standing = Standing::RuledOut;
            hypothesis.reasoning = words(state, fact);
            hypothesis.check = None;
        }
    }
}

/// Turns causes that a fact explains into remarks.
pub(super) fn excuse(state: &State, verdict: &mut Verdict) {
    let before = verdict.causes.len();
    let mut remarks = Vec::new();
    verdict
        .causes
        .retain(|cause| match covering(state, &cause.resource) {
            Some(fact) => {
                remarks.push(format!("{} [{}]", words(state, fact), cause.fault).into());
                false
            }
            None => true,
        });
    verdict.remarks.extend(remarks);
    if before > 0 && verdict.causes.is_empty() {
        verdict.anomaly = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::model::Timestamp;

    #[test]
    fn a_fact_is_shown_with_scope_number_and_expiry() {
        let fact = |expires_at| Fact {
            id: 3,
            words: "decommissioned".into(),
            scope: "node/xrd-8".parse().unwrap(),
            expires_at,
        };
        let state = State {
            opened_at: Timestamp(1_000),
            ..State::default()
        };
        for (expires_at, holds) in [
            (None, "for good"),
            (Some(Timestamp(1_000 + 2 * HOUR_MS)), "for 2 more hours"),
            (Some(Timestamp(1_000 + 3 * DAY_MS + 5)), "for 3 more days"),
        ] {
            assert_eq!(
                words(&state, &fact(expires_at)),
                format!("known, node/xrd-8: decommissioned (fact 3, holds {holds})")
            );
        }
    }

    #[test]
    fn a_node_covers_what_is_on_it_and_no_link_to_others() {
        let covers =
            |scope: &str, resource: &str| covers(&scope.parse().unwrap(), &resource.parse().unwrap());
        assert!(covers("node/xrd-8", "session/xrd-8--10.0.0.9"));
        assert!(covers("session/xrd-8--10.0.0.9", "session/xrd-8--10.0.0.9"));
        assert!(!covers("session/xrd-8--10.0.0.9", "node/xrd-8"));
        assert!(!covers("node/xrd-8", "link/xrd-1:a--xrd-8:b"));
        assert!(!covers("node/xrd-8", "vrf/xrd-1/A"));
    }
}
