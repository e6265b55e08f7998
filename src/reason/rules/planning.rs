//! Plans: the sweep first, then the runbook; a revision adds the checks that separate open hypotheses.

use super::{aspects, calls, sweep};
use crate::agent::model::{
    Aspect, Confidence, DeviceName, Draft, Hypothesis, HypothesisId, Passage, Provenance, Scope, Standing,
    Step, StepId, StepKind,
};
use crate::agent::state::State;
use crate::diagnosis;
use crate::diagnosis::network::Counter;
use crate::diagnosis::ontology::Resource;

/// Beyond so many targets a runbook step looks at them together instead of in lanes.
const LANES: usize = 12;
/// Steps taken over from a runbook, at most.
const RUNBOOK_STEPS: usize = 20;

/// A draft for where the session stands.
pub fn plan(state: &State) -> Draft {
    let reading = state.intake.reading.as_ref();
    let intent = reading.map_or("general_device_health_check", |r| r.intent.0.as_str());
    let objective = reading.map_or_else(String::new, |r| r.objective.clone());
    let revision = state.planning.revision.as_deref();
    let (steps, strategy, rationale) = match revision {
        Some(reason) => (
            revise(state, reason),
            "exploratory",
            format!("Further checks: {reason}"),
        ),
        None => (first(state, intent), "conservative", rationale(state, intent)),
    };
    Draft {
        objective,
        runbook: Some(intent.to_owned()),
        strategy: strategy.to_owned(),
        steps: number(steps),
        rationale,
    }
}

fn rationale(state: &State, intent: &str) -> String {
    if sweep::is_possible(state) {
        format!(
            "One sweep shows the whole network, so causes away from the symptom are seen too; then runbook {intent}, step by step."
        )
    } else {
        format!(
            "No tool reads several routers at once: runbook {intent} on the routers asked about, and their neighbours in brief."
        )
    }
}

fn number(steps: Vec<Step>) -> Vec<Step> {
    steps
        .into_iter()
        .enumerate()
        .map(|(n, step)| Step {
            id: StepId(u32::try_from(n).unwrap_or(0)),
            ..step
        })
        .collect()
}

fn step(
    title: &str,
    instruction: String,
    scope: Scope,
    aspects: Vec<Aspect>,
    provenance: Provenance,
) -> Step {
    Step {
        id: StepId(0),
        title: title.to_owned(),
        instruction,
        kind: StepKind::Instruction,
        scope,
        aspects,
        provenance: vec![provenance],
    }
}

fn first(state: &State, intent: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    if sweep::is_possible(state) {
        let text = "Read interfaces, IS-IS, BGP, labels, VRFs, system and logs of every router in one go. A fault may lie away from where it hurts: compare what should be alike (SRGB, route targets, MTU, levels) and look for sessions and adjacencies that are missing.";
        steps.push(step(
            "Sweep the network",
            text.to_owned(),
            Scope::Network,
            sweep::covers(state),
            Provenance::Reasoner,
        ));
    } else {
        let text = "Read routing and interfaces of every router, then of those asked about the rest, so that causes away from the symptom are seen.";
        let aspects = looked_at(state, intent);
        steps.push(step(
            "Look around",
            text.to_owned(),
            Scope::Network,
            aspects,
            Provenance::Reasoner,
        ));
    }
    let scope = || targets_scope(state);
    for (number, passage) in runbook(state, intent).into_iter().enumerate() {
        let provenance = Provenance::Runbook {
            intent: intent.to_owned(),
            step: u32::try_from(number + 1).unwrap_or(0),
        };
        let title = passage
            .heading
            .split_once("· ")
            .map_or(passage.heading.as_str(), |(_, t)| t);
        let mut wanted = aspects::main_aspects(&passage.text);
        wanted.retain(|a| !matches!(a, Aspect::Counters));
        steps.push(step(title, passage.text.clone(), scope(), wanted, provenance));
    }
    if steps.len() == 1 {
        for aspect in aspects::required(intent) {
            let text = format!(
                "Look at {aspect} of the routers asked about: everything up, nothing that differs from its neighbours."
            );
            steps.push(step(
                &format!("Look at {aspect}"),
                text,
                scope(),
                vec![*aspect],
                Provenance::Reasoner,
            ));
        }
    }
    steps.extend(missed(state, scope()));
    steps
}

/// What looking around is for: routing and interfaces, and what the runbook looks at.
fn looked_at(state: &State, intent: &str) -> Vec<Aspect> {
    let mut all = vec![Aspect::Interfaces, Aspect::Isis, Aspect::Bgp];
    let steps = runbook(state, intent);
    let mut wanted: Vec<Aspect> = steps
        .iter()
        .flat_map(|p| aspects::main_aspects(&p.text))
        .collect();
    if steps.is_empty() {
        wanted.extend(aspects::required(intent));
    }
    for aspect in wanted {
        let read = !matches!(aspect, Aspect::Counters | Aspect::Topology | Aspect::Profile);
        if read && !all.contains(&aspect) {
            all.push(aspect);
        }
    }
    all
}

/// What the critic missed in the last draft becomes a step.
fn missed(state: &State, scope: Scope) -> Vec<Step> {
    let planning = &state.planning;
    let last = planning
        .drafts
        .get(planning.first_of_version..)
        .unwrap_or_default()
        .iter()
        .rev()
        .find_map(|d| d.critique.as_ref());
    let missing = last.map(|c| c.missing.clone()).unwrap_or_default();
    missing
        .into_iter()
        .map(|words| {
            let wanted = aspects::aspects(&words);
            step(
                &words,
                format!("The critic missed this: {words}."),
                scope.clone(),
                wanted,
                Provenance::Critic {
                    missing: words.clone(),
                },
            )
        })
        .collect()
}

fn targets_scope(state: &State) -> Scope {
    let count = state.intake.targets.as_ref().map_or(0, Vec::len);
    if count > LANES {
        Scope::Network
    } else {
        Scope::Targets
    }
}

/// The runbook's steps as the search found them, in their order.
fn runbook<'a>(state: &'a State, intent: &str) -> Vec<&'a Passage> {
    let source = format!("plans/{intent}.json");
    let found = state
        .planning
        .drafts
        .iter()
        .filter_map(|d| d.passages.as_ref())
        .flatten();
    let mut steps: Vec<(u32, &Passage)> = Vec::new();
    for passage in found.filter(|p| p.source == source) {
        let number = passage
            .heading
            .split_whitespace()
            .nth(1)
            .and_then(|n| n.parse().ok());
        let Some(number) = number.filter(|n| steps.iter().all(|(known, _)| known != n)) else {
            continue;
        };
        steps.push((number, passage));
    }
    steps.sort_by_key(|(n, _)| *n);
    steps.into_iter().map(|(_, p)| p).take(RUNBOOK_STEPS).collect()
}

/// Hypotheses a check step was made for already.
fn checked(state: &State) -> Vec<HypothesisId> {
    let steps = state.planning.versions.iter().flat_map(|v| &v.steps);
    let from = steps.flat_map(|s| &s.provenance).filter_map(|p| match p {
        Provenance::Hypothesis { hypothesis } => Some(*hypothesis),
        _ => None,
    });
    from.collect()
}

/// Hypotheses that another look would settle and that were not looked at yet: those about devices asked about
/// first, then those with the most to show for them.
pub fn open(state: &State) -> Vec<&Hypothesis> {
    let done = checked(state);
    let settled = state
        .diagnosed
        .hypotheses
        .iter()
        .any(|h| h.standing == Standing::Supported && h.confidence == Confidence::Confirmed);
    let worth = |h: &&Hypothesis| {
        let unsettled = h.standing == Standing::Open
            || h.standing == Standing::Supported && h.confidence < Confidence::Confirmed;
        let answers = |d: &DeviceName| {
            let facts = state.diagnosed.network.device(d.as_str());
            state.intake.knows(d) && facts.is_none_or(|f| !f.is_silent())
        };
        unsettled
            && !done.contains(&h.id)
            && h.check.as_ref().is_some_and(|c| c.devices.iter().any(answers))
            && (!settled || matters(state, h))
    };
    let mut open: Vec<&Hypothesis> = state.diagnosed.hypotheses.iter().filter(worth).collect();
    let asked = |h: &Hypothesis| {
        let targets = state.intake.targets.iter().flatten();
        targets
            .into_iter()
            .any(|t| h.resource.devices().contains(&t.as_str()))
    };
    open.sort_by_key(|h| (!asked(h), std::cmp::Reverse(counted(state, h))));
    open
}

/// Beside a cause that is confirmed, a counter is worth another look only when it is large enough to be a
/// fault of its own.
fn matters(state: &State, hypothesis: &Hypothesis) -> bool {
    let is_counter = hypothesis
        .check
        .as_ref()
        .is_some_and(|c| c.aspects == [Aspect::Counters]);
    let window = state.intake.reading.as_ref().map_or(60, |r| r.window.minutes());
    !is_counter || diagnosis::is_material(hypothesis.fault, counted(state, hypothesis), window)
}

/// What the counter behind a hypothesis shows; 0 for others.
fn counted(state: &State, hypothesis: &Hypothesis) -> u64 {
    let Resource::Interface(device, interface) = &hypothesis.resource else {
        return 0;
    };
    let facts = state
        .diagnosed
        .network
        .device(device)
        .and_then(|d| d.interfaces.get(interface));
    let counters = facts.map(|i| i.counters.iter()).into_iter().flatten();
    let trouble =
        counters.filter(|(c, _)| matches!(c, Counter::Fcs | Counter::OutDiscards | Counter::InErrors));
    trouble
        .filter_map(|(_, c)| c.last.as_ref())
        .map(|c| c.value)
        .max()
        .unwrap_or(0)
}

/// What one check step is made from.
struct Group {
    aspects: Vec<Aspect>,
    hypotheses: Vec<HypothesisId>,
    instruction: String,
}

/// Check steps for open hypotheses: one a set of aspects, for all devices they name.
fn revise(state: &State, reason: &str) -> Vec<Step> {
    let mut groups: Vec<Group> = Vec::new();
    for hypothesis in open(state) {
        let Some(check) = &hypothesis.check else { continue };
        match groups.iter_mut().find(|g| g.aspects == check.aspects) {
            Some(group) => group.hypotheses.push(hypothesis.id),
            None => groups.push(Group {
                aspects: check.aspects.clone(),
                hypotheses: vec![hypothesis.id],
                instruction: check.instruction.clone(),
            }),
        }
    }
    if groups.is_empty() {
        return vec![look_again(state, reason)];
    }
    let steps = groups.into_iter().map(|group| {
        let names: Vec<String> = group.aspects.iter().map(ToString::to_string).collect();
        let more = match group.hypotheses.len() {
            1 => String::new(),
            n => format!("; likewise for {} more", n - 1),
        };
        let mut check = step(
            &format!("Separate what is open: {}", names.join(", ")),
            format!("{}{more}", group.instruction),
            Scope::Network,
            group.aspects,
            Provenance::Reasoner,
        );
        let of = |hypothesis| Provenance::Hypothesis { hypothesis };
        check.provenance = group.hypotheses.into_iter().map(of).collect();
        check
    });
    steps.collect()
}

/// What the human asked for, where no hypothesis is open.
fn look_again(state: &State, reason: &str) -> Step {
    let wanted = aspects::aspects(reason);
    let wanted = if wanted.is_empty() {
        vec![Aspect::Interfaces, Aspect::Isis, Aspect::Bgp, Aspect::Logs]
    } else {
        wanted
    };
    let blind = calls::unserved(state, &wanted);
    let wanted: Vec<Aspect> = wanted.into_iter().filter(|a| !blind.contains(a)).collect();
    let provenance = Provenance::Human {
        words: reason.to_owned(),
    };
    step(
        "Look again",
        reason.to_owned(),
        targets_scope(state),
        wanted,
        provenance,
    )
}
