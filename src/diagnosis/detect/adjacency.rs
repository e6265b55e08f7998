//! IS-IS adjacencies that are missing, and why: passive, level, authentication.
//!
//! Adjacencies that are not up vanish from many tools, so silence is compared with what the interfaces
//! on both ends of a link lead one to expect.

use std::collections::BTreeMap;

use super::{Sign, View};
use crate::agent::model::{Citation, Confidence, Timestamp};
use crate::diagnosis::cited::Cited;
use crate::diagnosis::network::{DeviceFacts, End, IsisInterface, Level};
use crate::diagnosis::ontology::{FaultType, Resource};

/// One end of a link as IS-IS has it.
struct Side<'a> {
    end: &'a End,
    device: &'a DeviceFacts,
    isis: Option<&'a IsisInterface>,
}

impl Side<'_> {
    fn is_read(&self) -> bool {
        self.device.isis.listed.is_some()
    }

    fn level(&self) -> Option<Level> {
        self.device.isis.level_on(&self.end.1)
    }

    fn listed(&self) -> Option<Citation> {
        self.isis.and_then(|i| i.listed.clone())
    }

    /// Hellos are authenticated, by the interface or by the process.
    fn authenticated(&self) -> Option<&Cited<bool>> {
        let own = self.isis.and_then(|i| i.authenticated.as_ref());
        let process = self.device.isis.authenticated.as_ref();
        own.filter(|o| o.value)
            .or(process.filter(|p| p.value))
            .or(own)
            .or(process)
    }

    fn failures(&self, least: u64) -> Option<&Cited<u64>> {
        self.isis
            .and_then(|i| i.auth_failures.as_ref())
            .filter(|f| f.value >= least)
    }
}

/// A fault of one link, before it is known whether it is the whole device's.
struct Case {
    fault: FaultType,
    /// The end to blame.
    at: End,
    text: String,
    citations: Vec<Citation>,
    sure: Confidence,
    /// When it was seen last, if the adjacency is up again.
    over: Option<Timestamp>,
}

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    let mut cases = Vec::new();
    for (a, b) in view.links.iter() {
        let side = |end: &'_ End| view.network.device(&end.0).map(|d| d.isis.interfaces.get(&end.1));
        let (Some(one), Some(two)) = (side(a), side(b)) else {
            continue;
        };
        if one.is_none() && two.is_none() {
            continue;
        }
        let device = |end: &End| view.network.device(&end.0);
        let (Some(da), Some(db)) = (device(a), device(b)) else {
            continue;
        };
        let sides = [
            Side {
                end: a,
                device: da,
                isis: one,
            },
            Side {
                end: b,
                device: db,
                isis: two,
            },
        ];
        if sides
            .iter()
            .any(|s| s.isis.is_some_and(IsisInterface::has_adjacency))
        {
            cases.extend(refused_before(view, &sides));
            continue;
        }
        if sides.iter().all(|s| !s.is_read()) {
            continue;
        }
        missing(view, &sides, signs);
        cases.extend(explain(view, &sides));
    }
    tell(view, cases, signs);
}

fn missing(view: &View<'_>, sides: &[Side<'_>; 2], signs: &mut Vec<Sign>) {
    let [a, b] = sides;
    let resource = Resource::link((&a.end.0, &a.end.1), (&b.end.0, &b.end.1));
    let text = format!(
        "no IS-IS adjacency between {} {} and {} {}",
        a.end.0, a.end.1, b.end.0, b.end.1
    );
    let evidence = sides.iter().filter_map(Side::listed);
    signs.push(
        Sign::symptom("isis.adjacency_missing", resource, text)
            .cites(evidence)
            .at(view.focus.now),
    );
}

fn explain(view: &View<'_>, sides: &[Side<'_>; 2]) -> Vec<Case> {
    let [a, b] = sides;
    let carries = |s: &Side<'_>| view.interface(s.end).is_none_or(|i| !i.is_down() && !i.is_shut());
    if !carries(a) || !carries(b) || !a.is_read() || !b.is_read() {
        return Vec::new();
    }
    let mut cases: Vec<Case> = sides.iter().filter_map(passive).collect();
    if cases.is_empty() {
        cases.extend(sides.iter().filter_map(outside));
    }
    if cases.is_empty() {
        cases.extend(level(view, sides).or_else(|| authentication(view, sides)));
    }
    for case in &mut cases {
        case.citations.extend(sides.iter().filter_map(Side::listed));
    }
    cases
}

fn passive(side: &Side<'_>) -> Option<Case> {
    let passive = side.isis?.passive.as_ref().filter(|p| p.value)?;
    Some(Case {
        fault: FaultType::IsisPassiveInterface,
        at: side.end.clone(),
        text: format!(
            "{} {} is passive in IS-IS where an adjacency is expected",
            side.end.0, side.end.1
        ),
        citations: vec![passive.cite()],
        sure: Confidence::Confirmed,
        over: None,
    })
}

/// A circuit type that the router's own process does not run: nothing comes up there.
fn outside(side: &Side<'_>) -> Option<Case> {
    let own = side.isis?.level.as_ref()?;
    let process = side.device.isis.level.as_ref()?;
    if process.value.meet(own.value).is_some() {
        return None;
    }
    Some(Case {
        fault: FaultType::IsisLevelMismatch,
        at: side.end.clone(),
        text: format!(
            "{} {} is {}, its IS-IS process {}",
            side.end.0,
            side.end.1,
            own.value.name(),
            process.value.name()
        ),
        citations: vec![own.cite(), process.cite()],
        sure: Confidence::Confirmed,
        over: None,
    })
}

fn level(view: &View<'_>, sides: &[Side<'_>; 2]) -> Option<Case> {
    let [a, b] = sides;
    let (la, lb) = (a.level()?, b.level()?);
    let areas = (la == Level::L1 && lb == Level::L1).then(|| (a.device.isis.area(), b.device.isis.area()));
    if la.shares(lb) && areas.is_none_or(|(x, y)| x == y) {
        return None;
    }
    let usual = View::norm(
        view.network
            .devices()
            .filter_map(|d| d.isis.level.as_ref())
            .map(|l| l.value),
    );
    let own_usual = |s: &Side<'_>| {
        View::norm(
            s.device
                .isis
                .interfaces
                .iter()
                .filter(|(_, i)| i.is_active())
                .filter_map(|(n, _)| s.device.isis.level_on(n)),
        )
    };
    let odd = |s: &Side<'_>, level: Level| {
        usual.is_some_and(|u| !u.shares(level))
            || (usual.is_none() && own_usual(s).is_some_and(|u| u != level))
    };
    let side = match (odd(a, la), odd(b, lb)) {
        (true, false) => a,
        (false, true) => b,
        _ => {
            if view.prefer(a.end, b.end) == a.end {
                a
            } else {
                b
            }
        }
    };
    let cite = |s: &Side<'_>| {
        let own = s.isis.and_then(|i| i.level.as_ref()).map(Cited::cite);
        own.into_iter()
            .chain(s.device.isis.level.as_ref().map(Cited::cite))
            .collect::<Vec<_>>()
    };
    Some(Case {
        fault: FaultType::IsisLevelMismatch,
        at: side.end.clone(),
        text: format!(
            "{} {} is {}, {} {} is {}: they share none",
            a.end.0,
            a.end.1,
            la.name(),
            b.end.0,
            b.end.1,
            lb.name()
        ),
        citations: cite(a).into_iter().chain(cite(b)).collect(),
        sure: Confidence::Confirmed,
        over: None,
    })
}

fn authentication(view: &View<'_>, sides: &[Side<'_>; 2]) -> Option<Case> {
    let [a, b] = sides;
    let least = view.expect.thresholds.isis.auth_failures;
    let failures: Vec<Citation> = sides
        .iter()
        .filter_map(|s| s.failures(least))
        .map(|f| f.at_least(least as f64))
        .collect();
    let lines: Vec<Citation> = sides
        .iter()
        .flat_map(|s| logged(view, s))
        .map(|(_, line)| line)
        .collect();
    let differs = match (a.authenticated(), b.authenticated()) {
        (Some(x), Some(y)) if x.value != y.value => Some((x, y)),
        _ => None,
    };
    if failures.is_empty() && lines.is_empty() && differs.is_none() {
        return None;
    }
    let side = match differs {
        Some((x, _)) => {
            let usual = View::norm(
                view.network
                    .devices()
                    .flat_map(|d| d.isis.interfaces.values())
                    .filter(|i| i.is_active())
                    .filter_map(|i| Some(i.authenticated.as_ref()?.value)),
            )
            .unwrap_or(true);
            if x.value == usual { b } else { a }
        }
        None => {
            if view.prefer(a.end, b.end) == a.end {
                a
            } else {
                b
            }
        }
    };
    let how = if differs.is_some() {
        "only one end authenticates its hellos"
    } else {
        "hellos fail authentication"
    };
    let keys = [a, b]
        .into_iter()
        .filter_map(Side::authenticated)
        .map(Cited::cite);
    Some(Case {
        fault: FaultType::IsisAuthMismatch,
        at: side.end.clone(),
        text: format!(
            "IS-IS between {} {} and {} {}: {how}",
            a.end.0, a.end.1, b.end.0, b.end.1
        ),
        citations: failures.into_iter().chain(keys).chain(lines).collect(),
        sure: if differs.is_some() || sides.iter().any(|s| s.failures(least).is_some()) {
            Confidence::Confirmed
        } else {
            Confidence::Likely
        },
        over: None,
    })
}

/// Hellos failed authentication inside the asked window, and the adjacency is up again.
fn refused_before(view: &View<'_>, sides: &[Side<'_>; 2]) -> Option<Case> {
    let [a, b] = sides;
    let lines: Vec<(Timestamp, Citation)> = sides.iter().flat_map(|s| logged(view, s)).collect();
    let last = lines.iter().map(|(at, _)| *at).max()?;
    Some(Case {
        fault: FaultType::IsisAuthMismatch,
        at: a.end.clone(),
        text: format!(
            "IS-IS between {} {} and {} {}: hellos failed authentication, and the adjacency is up again",
            a.end.0, a.end.1, b.end.0, b.end.1
        ),
        citations: lines.into_iter().map(|(_, c)| c).collect(),
        sure: Confidence::Likely,
        over: Some(last),
    })
}

/// The last line in which an end says that hellos fail authentication.
fn logged(view: &View<'_>, side: &Side<'_>) -> Option<(Timestamp, Citation)> {
    let about = |text: &str| {
        let ports = text.split([' ', ',', ':', ';', '(', ')']);
        ports.into_iter().any(|word| word == side.end.1)
    };
    let lines = super::logs::in_window(view, side.device).filter(|(_, l)| {
        let upper = l.value.mnemonic.to_ascii_uppercase();
        upper.contains("ISIS")
            && (upper.contains("AUTH") || l.value.says(&["authentic"]))
            && about(&l.value.text)
    });
    lines.map(|(at, l)| (at, l.cite())).last()
}

/// The same fault on all or most links of one device is the device's.
fn tell(view: &View<'_>, cases: Vec<Case>, signs: &mut Vec<Sign>) {
    let mut touching: BTreeMap<(FaultType, String), usize> = BTreeMap::new();
    for case in &cases {
        let far = view.links.far(&case.at.0, &case.at.1);
        for name in std::iter::once(&case.at.0).chain(far.map(|f| &f.0)) {
            *touching.entry((case.fault, name.clone())).or_default() += 1;
        }
    }
    let mut nodes: BTreeMap<(FaultType, String), Vec<Case>> = BTreeMap::new();
    for mut case in cases {
        let mut far = view.links.far(&case.at.0, &case.at.1).cloned();
        let count = |name: &String| touching.get(&(case.fault, name.clone())).copied().unwrap_or(0);
        let far_count = far.as_ref().map_or(0, |f| count(&f.0));
        if case.fault == FaultType::IsisAuthMismatch
            && far_count > count(&case.at.0)
            && let Some(other) = far.take()
        {
            far = Some(std::mem::replace(&mut case.at, other));
        }
        let mine = count(&case.at.0);
        let circuits = view.network.device(&case.at.0).map_or(0, |d| {
            d.isis.interfaces.values().filter(|i| i.is_active()).count()
        });
        if mine >= 2 && mine >= circuits && case.fault != FaultType::IsisPassiveInterface {
            nodes
                .entry((case.fault, case.at.0.clone()))
                .or_default()
                .push(case);
        } else {
            signs.push(sign(view, place(&case, far.as_ref()), case));
        }
    }
    for ((fault, name), cases) in nodes {
        let over = cases
            .iter()
            .all(|c| c.over.is_some())
            .then(|| cases.iter().filter_map(|c| c.over).max())
            .flatten();
        let has = if over.is_some() { "had" } else { "has" };
        let text = format!(
            "{name} {has} no IS-IS adjacency on any of {} links: {}",
            cases.len(),
            fault.meaning()
        );
        let citations = cases.into_iter().flat_map(|c| c.citations).collect();
        let case = Case {
            fault,
            at: (name.clone(), String::new()),
            text,
            citations,
            sure: if over.is_some() {
                Confidence::Likely
            } else {
                Confidence::Confirmed
            },
            over,
        };
        signs.push(sign(view, Resource::Node(name), case));
    }
}

/// Passive and level are settings of one end; a key that differs is the link's: neither end is wrong alone.
fn place(case: &Case, far: Option<&End>) -> Resource {
    match far {
        Some(far) if case.fault == FaultType::IsisAuthMismatch => {
            Resource::link((&case.at.0, &case.at.1), (&far.0, &far.1))
        }
        _ => Resource::Interface(case.at.0.clone(), case.at.1.clone()),
    }
}

fn sign(view: &View<'_>, resource: Resource, case: Case) -> Sign {
    let detector = match case.fault {
        FaultType::IsisPassiveInterface => "isis.passive",
        FaultType::IsisLevelMismatch => "isis.level",
        _ => "isis.authentication",
    };
    Sign::fault(detector, resource, case.fault, case.text)
        .cites(case.citations)
        .at(case.over.unwrap_or(view.focus.now))
        .over(case.over.is_some())
        .sure(case.sure)
}
