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
        let distance = |value: u64| usual.map_or(value, |u| value.abs_diff(u));
        let (end, odd, other, sure) = if here.value != there.value {
            let odd_is_here = distance(here.value) >= distance(there.value);
            let sure = if usual.is_some() {
                Confidence::Confirmed
            } else {
                Confidence::Likely
            };
            if odd_is_here {
                (a, here, there, sure)
            } else {
                (b, there, here, sure)
            }
        } else if far_off(here.value) {
            (view.prefer(a, b), here, there, Confidence::Likely)
        } else {
            continue;
        };
        let text = match usual {
            Some(usual) => format!(
                "{} {} has IS-IS metric {}, its other end {}; {usual} is usual here",
                end.0, end.1, odd.value, other.value
            ),
            None => format!(
                "{} {} has IS-IS metric {}, its other end {}",
                end.0, end.1, odd.value, other.value
            ),
        };
        let device = view.network.device(&end.0);
        if let Some((said, evidence)) = device
            .and_then(|d| view.maintenance(d))
            .filter(|_| odd.value > other.value || sure == Confidence::Likely)
        {
            let resource = Resource::Interface(end.0.clone(), end.1.clone());
            let text = format!("{text}; planned, as it says \"{said}\"");
            signs.push(Sign::remark("isis.planned_cost", resource, text).cites([odd.cite(), evidence]));
            continue;
        }
        let resource = Resource::Interface(end.0.clone(), end.1.clone());
        let sign = Sign::fault("isis.metric", resource, FaultType::IsisMetricMisconfig, text)
            .cites([odd.cite(), other.cite()]);
        signs.push(sign.at(view.focus.now).sure(sure).severity(Severity::Warning));
    }
}
