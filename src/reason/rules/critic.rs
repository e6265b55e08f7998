//! The critic's rules: every step served by a tool, targets valid, nothing that writes, nothing essential missing,
//! no check that separates nothing.

use super::{aspects, calls};
use crate::agent::model::{Aspect, Critique, Draft, Provenance, RiskFlag, Scope, StepKind};
use crate::agent::state::State;

/// A critique that lets everything through.
pub fn pass() -> Critique {
    Critique {
        pass: true,
        confidence: 0.5,
        missing: Vec::new(),
        next_search: Vec::new(),
        risk_flags: Vec::new(),
    }
}

/// Judges a draft.
pub fn criticise(state: &State, number: u32) -> Critique {
    let Some(draft) = state.planning.draft(number).and_then(|d| d.draft.as_ref()) else {
        return pass();
    };
    let mut flags = Vec::new();
    let (missing, search) = if state.planning.revision.is_some() {
        (Vec::new(), Vec::new())
    } else {
        incomplete(state, draft)
    };
    unserved(state, draft, &mut flags);
    writes(draft, &mut flags);
    aimless(state, draft, &mut flags);
    let blocking = flags.iter().any(|f| f.confidence >= 0.9);
    let passes = missing.is_empty() && !blocking;
    let confidence = if passes {
        0.95 - 0.05 * flags.len().min(8) as f64
    } else {
        0.9
    };
    Critique {
        pass: passes,
        confidence,
        missing,
        next_search: search,
        risk_flags: flags,
    }
}

/// What the intent can't do without and no step looks at, while a tool would.
fn incomplete(state: &State, draft: &Draft) -> (Vec<String>, Vec<String>) {
    let intent = state.intake.reading.as_ref().map_or("", |r| r.intent.0.as_str());
    let covered: Vec<Aspect> = draft
        .steps
        .iter()
        .flat_map(|s| s.aspects.iter().copied())
        .collect();
    let lacking: Vec<Aspect> = aspects::required(intent)
        .iter()
        .copied()
        .filter(|a| !covered.contains(a) && calls::unserved(state, &[*a]).is_empty())
        .collect();
    let missing = lacking
        .iter()
        .map(|a| format!("{a} of the window asked about"))
        .collect();
    let search = lacking.iter().map(|a| format!("{a} {intent}")).collect();
    (missing, search)
}

fn unserved(state: &State, draft: &Draft, flags: &mut Vec<RiskFlag>) {
    let wanted: Vec<Aspect> = draft
        .steps
        .iter()
        .flat_map(|s| s.aspects.iter().copied())
        .collect();
    let mut blind = calls::unserved(state, &wanted);
    blind.sort_unstable();
    blind.dedup();
    for aspect in blind {
        flags.push(RiskFlag {
            risk: format!("no tool shows {aspect}: it will be said as unobserved"),
            confidence: 0.6,
        });
    }
}

/// Plans are words for reading; one that orders a change is refused.
fn writes(draft: &Draft, flags: &mut Vec<RiskFlag>) {
    const ORDERS: [&str; 6] = [
        "commit the",
        "reload the router",
        "no shutdown the",
        "delete the",
        "clear the session",
        "push the configuration",
    ];
    for step in &draft.steps {
        let text = step.instruction.to_ascii_lowercase();
        let code =
            matches!(&step.kind, StepKind::Code { source } if source.to_ascii_lowercase().contains("set("));
        if code || ORDERS.iter().any(|o| text.starts_with(o)) {
            flags.push(RiskFlag {
                risk: format!("step \"{}\" would change the network", step.title),
                confidence: 0.95,
            });
        }
    }
}

/// A check without a hypothesis it separates, or for a device nobody knows.
fn aimless(state: &State, draft: &Draft, flags: &mut Vec<RiskFlag>) {
    for step in &draft.steps {
        let known = step.provenance.iter().all(|p| match p {
            Provenance::Hypothesis { hypothesis } => {
                state.diagnosed.hypotheses.iter().any(|h| h.id == *hypothesis)
            }
            _ => true,
        });
        let valid = match &step.scope {
            Scope::Devices(devices) => !devices.is_empty() && devices.iter().all(|d| state.intake.knows(d)),
            Scope::Targets | Scope::Network => true,
        };
        if !known || !valid {
            flags.push(RiskFlag {
                risk: format!("step \"{}\" checks nothing that is open", step.title),
                confidence: 0.9,
            });
        }
    }
}
