//! Counters that rise now: damaged frames, drops. A counter that stands still is history.

use super::{Sign, View};
use crate::agent::model::{Aspect, Check, Confidence, DeviceName, Severity};
use crate::diagnosis::network::{Counter, DeviceFacts, Interface, InterfaceKind};
use crate::diagnosis::ontology::{FaultType, Resource};

struct Rule {
    counter: Counter,
    fault: FaultType,
    detector: &'static str,
    what: &'static str,
    sure: Confidence,
}

const RULES: [Rule; 3] = [
    Rule {
        counter: Counter::Fcs,
        fault: FaultType::FcsErrors,
        detector: "counters.fcs_rising",
        what: "damaged frames",
        sure: Confidence::Confirmed,
    },
    Rule {
        counter: Counter::OutDiscards,
        fault: FaultType::CongestionDrops,
        detector: "counters.discards_rising",
        what: "output drops",
        sure: Confidence::Confirmed,
    },
    Rule {
        counter: Counter::InErrors,
        fault: FaultType::FcsErrors,
        detector: "counters.errors_rising",
        what: "input errors",
        sure: Confidence::Likely,
    },
];

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    for device in view.network.devices() {
        for interface in device.interfaces.values() {
            for rule in &RULES {
                let told_better = rule.counter == Counter::InErrors
                    && interface
                        .counters
                        .get(&Counter::Fcs)
                        .is_some_and(|c| c.last.is_some() || c.sampled.is_some());
                if !told_better && !told_by_members(device, interface, rule.counter) {
                    one(view, device, interface, rule, signs);
                }
            }
        }
    }
}

/// A bundle only adds up what its members count: they say which of them it is.
fn told_by_members(device: &DeviceFacts, bundle: &Interface, counter: Counter) -> bool {
    let member = |i: &&Interface| i.member_of.as_ref().is_some_and(|b| b.value == bundle.name);
    bundle.kind == InterfaceKind::Bundle
        && device
            .interfaces
            .values()
            .filter(member)
            .any(|i| i.counters.get(&counter).is_some_and(|c| c.last.is_some()))
}

fn one(view: &View<'_>, device: &DeviceFacts, interface: &Interface, rule: &Rule, signs: &mut Vec<Sign>) {
    let Some(facts) = interface.counters.get(&rule.counter) else {
        return;
    };
    let limits = &view.expect.thresholds.counters;
    let limit = match rule.counter {
        Counter::Fcs => limits.fcs_per_s,
        Counter::OutDiscards => limits.discards_per_s,
        _ => limits.errors_per_s,
    };
    let resource = Resource::Interface(device.name.clone(), interface.name.clone());
    let place = format!("{} {}", device.name, interface.name);
    match facts.rate() {
        Some((rate, evidence)) if rate >= limit => {
            let text = format!("{place} counts {rate:.1} {} a second, now", rule.what);
            let counted = facts.last.as_ref().map(|l| l.cite());
            let sign = Sign::fault(rule.detector, resource, rule.fault, text)
                .cites(counted)
                .cites(evidence);
            signs.push(
                sign.at(view.focus.now)
                    .sure(rule.sure)
                    .severity(Severity::Warning),
            );
        }
        Some((_, evidence)) => {
            if let Some(last) = facts.last.as_ref().filter(|l| l.value > 0) {
                let text = format!(
                    "{place} has counted {} {} in the past; the counter stands still",
                    last.value, rule.what
                );
                signs.push(
                    Sign::remark("counters.old", resource, text)
                        .cites([last.cite()])
                        .cites(evidence),
                );
            }
        }
        None => {
            if let Some(last) = facts.last.as_ref().filter(|l| l.value > 0) {
                let text = format!(
                    "{place} has counted {} {}; whether they still rise is not known",
                    last.value, rule.what
                );
                let check = Check {
                    instruction: format!("read the counters of {place} twice: rising means {}", rule.fault),
                    aspects: vec![Aspect::Counters],
                    devices: vec![DeviceName::from(device.name.as_str())],
                };
                let sign = Sign::fault("counters.unclear", resource, rule.fault, text).cites([last.cite()]);
                signs.push(
                    sign.sure(Confidence::Inconclusive)
                        .severity(Severity::Info)
                        .check(check)
                        .at(view.focus.now),
                );
            }
        }
    }
}
