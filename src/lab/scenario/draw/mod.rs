//! Scenarios drawn at random: any fault type of the list, any instance, alone or together, and healthy networks.
//!
//! Pure and seeded: the same wish and number give the same scenario. The truth follows from the operation by the rules
//! of `docs/lab.md`; a case whose truth would not show, or would hide behind another, is thrown away and drawn anew.

mod benign;
mod breakage;
mod check;
mod dice;
mod labels;
mod links;
mod query;
mod routers;
mod routing;
mod sessions;
mod vpn;

#[cfg(test)]
mod tests;

use self::breakage::{Breakage, Draw};
use self::dice::Dice;
use super::{Budget, Human, Scenario, ScenarioError, Truth};
use crate::lab::fault::Fault;
use crate::lab::network::{self, Network};

/// What to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wish<'a> {
    /// Name of a built-in network, e.g. `sp-s`.
    pub network: &'a str,
    /// Decides everything.
    pub seed: u64,
    /// Faults in each scenario; `None`: a mixture of one, two, three and none.
    pub faults: Option<usize>,
}

type Drawer = fn(&mut Draw<'_>) -> Option<Breakage>;

/// Fault type, letter of the group, and how it is drawn.
const DRAWERS: [(&str, char, Drawer); 44] = [
    ("link_admin_down", 'A', links::admin_down),
    ("link_down", 'A', links::down),
    ("fcs_errors", 'A', links::damaged_frames),
    ("congestion_drops", 'A', links::congestion),
    ("link_flap", 'A', links::flapping),
    ("mtu_mismatch", 'A', links::mtu_mismatch),
    ("mtu_blackhole", 'A', links::black_hole),
    ("lag_member_down", 'A', links::member),
    ("isis_auth_mismatch", 'B', routing::authentication),
    ("isis_level_mismatch", 'B', routing::level),
    ("isis_duplicate_system_id", 'B', routing::system_id),
    ("isis_overload_stuck", 'B', routing::overload),
    ("isis_passive_interface", 'B', routing::passive),
    ("isis_metric_misconfig", 'B', routing::metric),
    ("loopback_not_advertised", 'B', routing::loopback),
    ("srgb_mismatch", 'C', labels::block),
    ("prefix_sid_duplicate", 'C', labels::duplicate),
    ("prefix_sid_missing", 'C', labels::missing),
    ("sr_disabled", 'C', labels::disabled),
    ("mpls_disabled_interface", 'C', labels::off),
    ("sid_out_of_srgb", 'C', labels::outside),
    ("srgb_alloc_pending", 'C', labels::pending),
    ("bgp_remote_as_wrong", 'D', sessions::remote_as),
    ("bgp_auth_mismatch", 'D', sessions::password),
    ("bgp_admin_shutdown", 'D', sessions::shut),
    ("bgp_max_prefix", 'D', sessions::too_many),
    ("rr_client_flag_missing", 'D', sessions::client),
    ("afi_not_active", 'D', sessions::family),
    ("import_policy_drops_all", 'D', sessions::policy),
    ("next_hop_unreachable", 'D', sessions::next_hop),
    ("bgp_flap_holdtimer", 'D', sessions::hold_timer),
    ("rt_import_missing", 'E', vpn::import),
    ("rt_export_mismatch", 'E', vpn::export),
    ("rd_duplicate", 'E', vpn::distinguisher),
    ("vrf_wrong_interface", 'E', vpn::wrong_vrf),
    ("pe_ce_bgp_down", 'E', vpn::customer_silent),
    ("redistribute_connected_missing", 'E', vpn::connected),
    ("rt_leak", 'E', vpn::leak),
    ("mgmt_unreachable", 'F', routers::management),
    ("node_down", 'F', routers::down),
    ("clock_skew", 'F', routers::clock),
    ("unexpected_reload", 'F', routers::reload),
    ("config_inconsistency", 'F', routers::inconsistency),
    ("process_hog", 'F', routers::hog),
];

/// Drawn anew at most so often before a number is given up.
const ATTEMPTS: u64 = 60;
/// Of a hundred cases with one fault, those with something harmless beside it.
const DISTRACTED: usize = 30;

/// Draws `count` scenarios. One of each fault type comes before any comes twice.
///
/// # Errors
/// [`ScenarioError`] when the network is unknown, or does not have what some type needs.
pub fn draw(wish: &Wish<'_>, count: usize) -> Result<Vec<Scenario>, ScenarioError> {
    let network = network::builtin(wish.network).map_err(|source| ScenarioError::Network {
        id: wish.network.to_owned(),
        source: Box::new(source),
    })?;
    (0..count).map(|number| one(wish, &network, number)).collect()
}

fn one(wish: &Wish<'_>, network: &Network, number: usize) -> Result<Scenario, ScenarioError> {
    for attempt in 0..ATTEMPTS {
        let mut draw = Draw {
            network,
            dice: Dice::new(wish.seed, &[number as u64, attempt]),
        };
        if let Some(scenario) = attempted(wish, &mut draw, number)
            && scenario.check().is_ok()
        {
            return Ok(scenario);
        }
    }
    Err(ScenarioError::Invalid {
        id: format!("drawn {number}"),
        what: format!(
            "nothing fitting was drawn for {} in {ATTEMPTS} attempts",
            wish.network
        ),
        hint: "take another seed, or fewer faults".into(),
    })
}

/// How many faults the case has.
fn faults(wish: &Wish<'_>, number: usize) -> usize {
    wish.faults.unwrap_or(match number % 10 {
        0..=5 => 1,
        6 | 7 => 2,
        8 => 3,
        _ => 0,
    })
}

fn attempted(wish: &Wish<'_>, draw: &mut Draw<'_>, number: usize) -> Option<Scenario> {
    let count = faults(wish, number);
    let mut broken: Vec<Breakage> = Vec::new();
    let mut letter = if count == 0 { 'H' } else { 'G' };
    for n in 0..count {
        // Every type in turn; the order is another one in each round and for each place.
        let (_, group, drawer) = if n == 0 {
            in_turn(wish, number)
        } else {
            draw.dice.pick(&DRAWERS)?
        };
        if count == 1 {
            letter = group;
        }
        broken.push(drawer(draw)?);
    }
    let beside = match count {
        0 => Some(benign::any(draw)?),
        1 if draw.dice.chance(DISTRACTED) => Some(benign::distraction(draw)?),
        _ => None,
    };
    let extra: Vec<Fault> = beside.iter().flat_map(|b| b.faults.clone()).collect();
    let calm = beside.as_ref().map(|b| b.device.as_str());
    let query = query::words(draw, &broken, calm)?;
    if !check::is_sound(draw.network, &query, &broken, &extra) {
        return None;
    }
    let id = format!("{letter}{:04}-{}", number, draw.network.size);
    Some(scenario(draw.network, id, query, broken, extra))
}

fn in_turn(wish: &Wish<'_>, number: usize) -> (&'static str, char, Drawer) {
    let round = number / DRAWERS.len();
    let mut order = DRAWERS;
    Dice::new(wish.seed, &[u64::MAX, round as u64]).shuffle(&mut order);
    order[number % DRAWERS.len()]
}

fn scenario(
    network: &Network,
    id: String,
    query: String,
    broken: Vec<Breakage>,
    extra: Vec<Fault>,
) -> Scenario {
    let mut truth = Truth {
        anomaly: !broken.is_empty(),
        causes: Vec::new(),
        required_evidence: Vec::new(),
        forbidden_claims: Vec::new(),
    };
    let mut faults = Vec::new();
    for breakage in broken {
        truth.causes.extend(breakage.causes);
        truth.required_evidence.extend(breakage.evidence);
        faults.extend(breakage.faults);
    }
    faults.extend(extra);
    Scenario {
        id,
        size: network.size.clone(),
        network: network.name.clone(),
        query,
        faults,
        truth,
        human: Human::default(),
        budget: Budget {
            tool_calls: 80,
            seconds: 180,
        },
    }
}
