//! Drawn scenarios: every type comes, they are sound and the same each time.

use std::collections::BTreeSet;

use super::*;
use crate::lab::scenario::FAULT_TYPES;

fn wish(faults: Option<usize>) -> Wish<'static> {
    Wish {
        network: "sp-s",
        seed: 5,
        faults,
    }
}

#[test]
fn a_round_has_every_type_once() {
    assert_eq!(DRAWERS.map(|(name, _, _)| name), FAULT_TYPES);
    let all = draw(&wish(Some(1)), DRAWERS.len()).unwrap();
    let kinds: BTreeSet<&str> = all
        .iter()
        .flat_map(|s| &s.truth.causes)
        .map(|c| c.fault_type.as_str())
        .collect();
    assert_eq!(kinds, FAULT_TYPES.into_iter().collect());
}

#[test]
fn the_same_wish_draws_the_same_and_files_read_back() {
    let (one, two) = (draw(&wish(None), 12).unwrap(), draw(&wish(None), 12).unwrap());
    assert_eq!(one, two);
    for scenario in &one {
        let text = toml::to_string(scenario).unwrap();
        assert_eq!(Scenario::parse(&text, "drawn").unwrap(), *scenario, "{text}");
    }
    let other = Wish {
        seed: 6,
        ..wish(None)
    };
    assert_ne!(draw(&other, 12).unwrap(), one);
}

#[test]
fn a_mixture_has_healthy_cases_and_several_faults() {
    let all = draw(&wish(None), 10).unwrap();
    assert!(all.iter().any(|s| !s.truth.anomaly && s.group() == "H"));
    assert!(all.iter().any(|s| s.truth.causes.len() >= 3 && s.group() == "G"));
}
