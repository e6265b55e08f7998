//! IS-IS metrics that are out of line.

use super::{Sign, View};
use crate::agent::model::{Confidence, Severity};
use crate::diagnosis::cited::Cited;
use crate::diagnosis::network::End;
use crate::diagnosis::ontology::{FaultType, Resource};

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    let metric = |end: &End| -> Option<&Cited<u64>> {
        view.network
            .device(&end.0)?
            .isis
            .interfaces
            .get(&end.1)?
            .metric
            .as_ref()
    };
    let all = view
        .links
        .iter()
        .flat_map(|(a, b)| [metric(a), metric(b)])
        .flatten()
        .map(|m| m.value);
    let usual = View::norm(all);
    let factor = view.expect.thresholds.metric.factor;
    let far_off = |value: u64| {
        usual.is_some_and(|u| value as f64 >= u as f64 * factor || value as f64 * factor <= u as f64)
    };
    for (a, b) in view.links.iter() {
        let (Some(here), Some(there)) = (metric(a), metric(b)) else {
            continue;
        };
        // Metrics are costs: twice the usual one is nearer to it than a tenth of it.
        let distance = |value: u64| {
            let (cost, norm) = (value.max(1) as f64, usual.unwrap_or(1).max(1) as f64);
            (cost / norm).max(norm / cost)
        };
        let sure = if usual.is_some() {
            Confidence::Confirmed
        } else {
            Confidence::Likely
        };
        if here.value == there.value {
            // Both ends alike and far from everything else: nothing says which of them was meant.
            if far_off(here.value) {
                one(view, a, (here, there), usual, Confidence::Likely, signs);
                one(view, b, (there, here), usual, Confidence::Likely, signs);
            }
        } else if distance(here.value) >= distance(there.value) {
            one(view, a, (here, there), usual, sure, signs);
        } else {
            one(view, b, (there, here), usual, sure, signs);
        }
    }
}

/// One end whose metric is out of line, with the metric of the other end.
fn one(
    view: &View<'_>,
    end: &End,
    (odd, other): (&Cited<u64>, &Cited<u64>),
    usual: Option<u64>,
    sure: Confidence,
    signs: &mut Vec<Sign>,
) {
    let norm = usual.map_or_else(String::new, |usual| format!("; {usual} is usual here"));
    let text = format!(
        "{} {} has IS-IS metric {}, its other end {}{norm}",
        end.0, end.1, odd.value, other.value
    );
    let resource = Resource::Interface(end.0.clone(), end.1.clone());
    let far = view.links.far(&end.0, &end.1);
    let planned = std::iter::once(end)
        .chain(far)
        .filter_map(|e| view.network.device(&e.0))
        .find_map(|d| view.maintenance(d))
        .filter(|_| odd.value >= other.value);
    if let Some((said, evidence)) = planned {
        let text = format!("{text}; planned, as it says \"{said}\"");
        signs.push(Sign::remark("isis.planned_cost", resource, text).cites([odd.cite(), evidence]));
        return;
    }
    let sign = Sign::fault("isis.metric", resource, FaultType::IsisMetricMisconfig, text)
        .cites([odd.cite(), other.cite()]);
    signs.push(sign.at(view.focus.now).sure(sure).severity(Severity::Warning));
}
