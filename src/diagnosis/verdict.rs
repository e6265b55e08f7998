//! The answer: causes with evidence, what was ruled out, what could not be seen, what would change it.

use crate::agent::model::{
    Aspect, Cause, Citation, Confidence, Finding, FindingId, Hypothesis, Severity, Standing, Statement,
    Unobserved, Verdict,
};

use super::correlate::{Judged, is_open, judge};
use super::detect::{Sign, View};
use super::focus::Focus;
use super::network::Network;
use super::remedy::remedy;

/// Consequences whose evidence a cause carries along, at most.
const SHOWN: usize = 6;

/// Remarks told, at most.
const REMARKS: usize = 12;

/// The answer to the question, from everything that is known.
pub fn verdict(
    network: &Network,
    findings: &[Finding],
    hypotheses: &[Hypothesis],
    unobserved: &[Unobserved],
    focus: &Focus,
) -> Verdict {
    let view = View::new(network, focus);
    let judged = judge(&view);
    let named = |i: &usize| judged.signs[*i].sure > Confidence::Inconclusive;
    let mut causes: Vec<Cause> = judged
        .causes()
        .filter(named)
        .map(|index| cause(&view, &judged, index, findings))
        .collect();
    causes.sort_by(|a, b| {
        b.confidence
            .cmp(&a.confidence)
            .then_with(|| a.resource.cmp(&b.resource))
            .then(a.fault.cmp(&b.fault))
    });
    let mut unobserved = unobserved.to_vec();
    unobserved.extend(blind_spots(&view));
    let unobserved = unobserved.as_slice();
    let blind = blind(&view, unobserved);
    let silent = blind.iter().any(|u| {
        view.network
            .device(u.device.as_str())
            .is_none_or(|d| d.is_silent())
    });
    let unexplained = unexplained(&judged);
    let anomaly = !causes.is_empty() || !unexplained.is_empty();
    Verdict {
        anomaly,
        confidence: confidence(&causes, &unexplained, !blind.is_empty(), silent),
        causes,
        unexplained,
        ruled_out: hypotheses
            .iter()
            .filter(|h| h.standing == Standing::RuledOut)
            .map(|h| Statement {
                text: format!("{} on {}: {}", h.fault, h.resource, h.reasoning),
                citations: h.citations.clone(),
            })
            .collect(),
        unobserved: unobserved.to_vec(),
        remarks: remarks(&view, &judged),
        would_change: would_change(&judged, unobserved),
    }
}

/// Symptoms that point somewhere and prove nothing: they are told as they were seen, and no fault is named.
fn unexplained(judged: &Judged) -> Vec<Statement> {
    let mut told: Vec<Statement> = Vec::new();
    let pointing = judged.causes().filter(|i| {
        let sign = &judged.signs[*i];
        sign.sure == Confidence::Inconclusive && !is_open(sign)
    });
    for guess in pointing {
        let seen = (0..judged.signs.len()).filter(|i| judged.by[*i] == Some(guess));
        let mut seen: Vec<&Sign> = seen.map(|i| &judged.signs[i]).collect();
        if seen.is_empty() {
            seen.push(&judged.signs[guess]);
        }
        for sign in seen {
            if told.iter().all(|s| s.text != sign.statement) {
                told.push(statement(sign));
            }
        }
    }
    let mute = (0..judged.signs.len()).filter(|i| {
        let sign = &judged.signs[*i];
        sign.fault.is_none() && !sign.is_remark() && judged.by[*i].is_none()
    });
    for index in mute {
        let sign = &judged.signs[index];
        if told.iter().all(|s| s.text != sign.statement) {
            told.push(statement(sign));
        }
    }
    told
}

fn statement(sign: &Sign) -> Statement {
    Statement {
        text: sign.statement.clone(),
        citations: sign.citations.clone(),
    }
}

fn cause(view: &View<'_>, judged: &Judged, index: usize, findings: &[Finding]) -> Cause {
    let sign = &judged.signs[index];
    let effects: Vec<&Sign> = judged.effects(index).map(|i| &judged.signs[i]).collect();
    let ids: Vec<FindingId> = findings
        .iter()
        .filter(|f| effects.iter().any(|e| e.is(f)))
        .map(|f| f.id)
        .collect();
    let mut citations: Vec<Citation> = sign.citations.clone();
    for citation in effects.iter().filter_map(|e| e.citations.first()).take(SHOWN) {
        if !citations.contains(citation) {
            citations.push(citation.clone());
        }
    }
    let fault = sign.fault.unwrap_or(super::ontology::FaultType::LinkDown);
    Cause {
        resource: sign.resource.clone(),
        fault,
        confidence: sign.sure,
        statement: sign.statement.clone(),
        citations,
        consequences: ids,
        suggested_change: remedy(view, sign),
    }
}

/// Devices whose blind spots are told, at most.
const BLIND: usize = 12;

/// What no tool showed of the devices asked about, although they answered.
fn blind_spots(view: &View<'_>) -> Vec<Unobserved> {
    let asked = view
        .network
        .devices()
        .filter(|d| view.focus.targets(&d.name) && !d.seen.is_empty());
    let told = asked.filter_map(|device| {
        let isis = &device.isis;
        let circuits = || isis.interfaces.values();
        let labels = &device.labels;
        let spots = [
            (
                "counters",
                device.interfaces.values().all(|i| i.counters.is_empty()),
            ),
            ("overload bit", isis.read.is_some() && isis.overload.is_none()),
            (
                "metrics",
                isis.read.is_some() && circuits().all(|c| c.metric.is_none()),
            ),
            (
                "prefix SIDs",
                isis.read.is_some() && labels.prefix_sid.is_none() && labels.no_prefix_sid.is_none(),
            ),
            (
                "redistribution",
                !device.vrfs.is_empty() && device.vrfs.values().all(|v| v.connected.is_none()),
            ),
            (
                "processes and alarms",
                device.system.cpu.is_none() && device.system.processes.is_empty(),
            ),
            ("logs", !device.seen.contains(&Aspect::Logs)),
        ];
        let missing: Vec<&str> = spots
            .iter()
            .filter(|(_, is)| *is)
            .map(|(name, _)| *name)
            .collect();
        (!missing.is_empty()).then(|| Unobserved {
            device: device.name.as_str().into(),
            reason: format!("no tool showed its {}", missing.join(", ")),
        })
    });
    told.take(BLIND).collect()
}

/// Devices asked about of which nothing was seen.
fn blind<'a>(view: &View<'_>, unobserved: &'a [Unobserved]) -> Vec<&'a Unobserved> {
    unobserved
        .iter()
        .filter(|u| view.focus.targets(u.device.as_str()))
        .collect()
}

fn confidence(causes: &[Cause], unexplained: &[Statement], blind: bool, silent: bool) -> Confidence {
    match causes.iter().map(|c| c.confidence).min() {
        Some(least) => least,
        None if !unexplained.is_empty() => Confidence::Inconclusive,
        None if silent => Confidence::Inconclusive,
        None if blind => Confidence::Likely,
        None => Confidence::Confirmed,
    }
}

fn remarks(view: &View<'_>, judged: &Judged) -> Vec<Statement> {
    let mut remarks: Vec<Statement> = Vec::new();
    if view.focus.wants_change {
        remarks.push(
            "a change was asked for: this session only reads; the change is suggested for a human to make"
                .to_owned()
                .into(),
        );
    }
    // What was said to whoever reads comes first, spare ports last.
    let mut told: Vec<&Sign> = judged.signs.iter().filter(|s| s.is_remark()).collect();
    let order = |s: &Sign| match s.detector {
        "text.instruction" => 0,
        "interface.unused_shut" => 2,
        _ => 1,
    };
    told.sort_by_key(|s| order(s));
    let spare: Vec<&&Sign> = told
        .iter()
        .filter(|s| s.detector == "interface.unused_shut")
        .collect();
    // However many orders are written on routers, they take no room from what else is told.
    let orders = told.iter().filter(|s| s.detector == "text.instruction");
    remarks.extend(orders.take(REMARKS).map(|s| statement(s)));
    let others = told
        .iter()
        .filter(|s| !matches!(s.detector, "text.instruction" | "interface.unused_shut"));
    remarks.extend(others.take(REMARKS).map(|s| statement(s)));
    if !spare.is_empty() {
        remarks.push(Statement {
            text: format!("{} unused ports are shut, as they should be", spare.len()),
            citations: spare.iter().flat_map(|s| s.citations.clone()).collect(),
        });
    }
    remarks
}

fn would_change(judged: &Judged, unobserved: &[Unobserved]) -> Vec<String> {
    let checks = judged.causes().filter_map(|i| {
        let sign = &judged.signs[i];
        let wanted = sign.sure < Confidence::Confirmed || sign.severity == Severity::Info;
        sign.check
            .as_ref()
            .filter(|_| wanted)
            .map(|c| c.instruction.clone())
    });
    let mut all: Vec<String> = checks.take(5).collect();
    all.extend(
        unobserved
            .iter()
            .take(5)
            .map(|u| format!("what {} shows once it can be read", u.device)),
    );
    all.dedup();
    all
}
