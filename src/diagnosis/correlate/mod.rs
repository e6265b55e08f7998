//! From signs to hypotheses: what is a cause, what follows from it, what is ruled out, what is open.
//!
//! Uses the topology that was learnt. A hypothesis that could be settled by another look says which.

mod explain;
mod guess;
mod reach;
mod rivals;

use crate::agent::model::{Confidence, Finding, FindingId, Hypothesis, HypothesisId, Severity, Standing};

use super::detect::{Sign, View, signs};
use super::focus::Focus;
use super::network::Network;
use reach::Reachability;

/// Hypotheses that are ruled out and told, at most.
const RIVALS: usize = 8;

/// Signs with their place in the chain of cause and effect.
pub struct Judged {
    /// Every sign, guesses included.
    pub signs: Vec<Sign>,
    /// For each sign, the one that explains it.
    pub by: Vec<Option<usize>>,
}

impl Judged {
    /// Signs of a fault that nothing else explains.
    pub fn causes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.signs.len()).filter(|i| self.signs[*i].fault.is_some() && self.by[*i].is_none())
    }

    /// What a sign explains, directly or not.
    pub fn effects(&self, cause: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.signs.len()).filter(move |i| *i != cause && self.root(*i) == cause)
    }

    fn root(&self, mut at: usize) -> usize {
        for _ in 0..self.signs.len() {
            match self.by[at] {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }
}

/// True for a sign that only says what should be looked at.
pub fn is_open(sign: &Sign) -> bool {
    sign.sure == Confidence::Inconclusive && sign.severity == Severity::Info
}

/// Looks at everything that is known and puts it in order.
pub fn judge(view: &View<'_>) -> Judged {
    let reach = Reachability::of(view);
    let mut signs = merge(signs(view));
    let mut by = explain::all(view, &reach, &signs);
    let guesses = guess::guesses(view, &reach, &signs, &by);
    for (symptom, guess) in guesses {
        let known = signs
            .iter()
            .position(|s| s.fault == guess.fault && s.resource == guess.resource);
        let index = known.unwrap_or_else(|| {
            signs.push(guess);
            by.push(None);
            signs.len() - 1
        });
        by[symptom] = Some(index);
    }
    Judged { signs, by }
}

/// Two detectors may see one fault: the surer one speaks, with the evidence of both.
fn merge(signs: Vec<Sign>) -> Vec<Sign> {
    let mut merged: Vec<Sign> = Vec::with_capacity(signs.len());
    for sign in signs {
        let same = merged
            .iter_mut()
            .find(|m| m.fault.is_some() && m.fault == sign.fault && m.resource == sign.resource);
        match same {
            Some(first) if first.sure >= sign.sure => {
                let citations = sign.citations;
                *first = first.clone().cites(citations);
            }
            Some(first) => *first = sign.cites(first.citations.clone()),
            None => merged.push(sign),
        }
    }
    merged
}

/// Possible causes, best first.
pub fn rank(network: &Network, findings: &[Finding], focus: &Focus) -> Vec<Hypothesis> {
    let view = View::new(network, focus);
    let judged = judge(&view);
    let ids = |sign: &Sign| {
        findings
            .iter()
            .filter(|f| sign.is(f))
            .map(|f| f.id)
            .collect::<Vec<FindingId>>()
    };
    let mut hypotheses: Vec<Hypothesis> = Vec::new();
    for (index, sign) in judged.signs.iter().enumerate() {
        let Some(fault) = sign.fault else { continue };
        let standing = match judged.by[index] {
            Some(_) => Standing::Consequence,
            None if sign.sure == Confidence::Inconclusive => Standing::Open,
            None => Standing::Supported,
        };
        let reasoning = match judged.by[index] {
            Some(cause) => format!("follows from: {}", judged.signs[cause].statement),
            None => sign.statement.clone(),
        };
        let explains: Vec<FindingId> = judged
            .effects(index)
            .flat_map(|i| ids(&judged.signs[i]))
            .collect();
        hypotheses.push(Hypothesis {
            id: HypothesisId(0),
            resource: sign.resource.clone(),
            fault,
            standing,
            weight: weight(standing, sign.sure),
            confidence: sign.sure,
            supports: findings
                .iter()
                .filter(|f| f.fault == sign.fault && f.resource == sign.resource)
                .map(|f| f.id)
                .collect(),
            explains,
            reasoning,
            citations: match judged.by[index] {
                Some(cause) => judged.signs[cause].citations.clone(),
                None => sign.citations.clone(),
            },
            check: sign.check.clone().filter(|_| standing != Standing::Consequence),
        });
    }
    let mut ruled_out = rivals::rivals(&view, &judged);
    ruled_out.retain(|r| {
        !hypotheses
            .iter()
            .any(|h| h.fault == r.fault && h.resource == r.resource)
    });
    ruled_out.truncate(RIVALS);
    hypotheses.extend(ruled_out);
    hypotheses.sort_by(|a, b| {
        b.weight
            .total_cmp(&a.weight)
            .then_with(|| a.resource.cmp(&b.resource))
            .then_with(|| a.fault.cmp(&b.fault))
    });
    hypotheses
}

fn weight(standing: Standing, sure: Confidence) -> f64 {
    match standing {
        Standing::Supported | Standing::Open => sure.probability(),
        Standing::Consequence => 0.1,
        Standing::RuledOut => 0.0,
    }
}
