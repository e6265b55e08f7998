//! `get_device_profile_api`: the role of a device, from five facts read in parallel.
//!
//! Each fact is its own Get: a router without BGP answers NOT_FOUND to one of them, and that is a fact.

use super::envelope::Envelope;
use super::routing::{MODEL, fetch};
use crate::gnmi::client::lookup::{at, either, identity, text};
use crate::gnmi::client::{Answer, Error, Found, Kind, Session};
use crate::proto::path::parse;
use serde_json::{Value, json};

const OPERATION: &str = "device_profile";
const ISIS: &str = "openconfig-network-instance:network-instances/network-instance[name=*]/protocols/protocol/isis/global/state";
const MPLS: &str = "openconfig-network-instance:network-instances/network-instance[name=*]/mpls/global/\
                    interface-attributes/interface[interface-id=*]/state";
const FAMILIES: &str = "openconfig-network-instance:network-instances/network-instance[name=*]/protocols/protocol/bgp/\
                        global/afi-safis/afi-safi[afi-safi-name=*]/state";
const REFLECTION: &str = "openconfig-network-instance:network-instances/network-instance[name=*]/protocols/protocol/\
                          bgp/neighbors/neighbor[neighbor-address=*]/route-reflector/state";

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Facts {
    mpls: bool,
    isis: bool,
    l3vpn: bool,
    reflector: bool,
    vrf_bgp: bool,
}

pub(super) async fn collect(session: &Session) -> Envelope {
    let reads = [ISIS, MPLS, FAMILIES, REFLECTION].map(|path| read(session, path));
    let found = match futures::future::try_join_all(reads).await {
        Ok(found) => found,
        Err(error) => return Envelope::failed(session.device(), OPERATION, &error),
    };
    let facts = facts(&found[0], &found[1], &found[2], &found[3]);
    let profile = json!({
        "is_mpls_enabled": facts.mpls,
        "is_isis_enabled": facts.isis,
        "is_bgp_l3vpn_enabled": facts.l3vpn,
        "is_route_reflector": facts.reflector,
        "has_vpn_ipv4_unicast_bgp": facts.vrf_bgp,
        "role": role(facts),
    });
    Envelope::success(
        session.device(),
        OPERATION,
        json!({ "profile": profile }),
        json!({}),
    )
}

async fn read(session: &Session, path: &str) -> Result<Vec<Found>, Error> {
    let answer = match fetch(session, MODEL, &[path]).await {
        Err(error) if error.kind == Kind::NotFound => Answer::default(),
        other => other?,
    };
    Ok(parse(path).map(|asked| answer.select(&asked)).unwrap_or_default())
}

fn facts(isis: &[Found], mpls: &[Found], families: &[Found], reflection: &[Found]) -> Facts {
    let is_default = |f: &Found| {
        f.key("network-instance", "name")
            .is_none_or(|n| n.eq_ignore_ascii_case("default"))
    };
    let is_on = |f: &Found| at(&f.value, "enabled").and_then(Value::as_bool) == Some(true);
    let family = |f: &Found| {
        let name = f
            .key("afi-safi", "afi-safi-name")
            .map(str::to_owned)
            .or_else(|| text(&f.value, "afi-safi-name"));
        identity(&name.unwrap_or_default())
    };
    let reflects = |f: &Found| {
        let on = |leaf| at(&f.value, leaf).and_then(Value::as_bool) == Some(true);
        on("route-reflector-client")
    };
    Facts {
        mpls: mpls
            .iter()
            .any(|f| at(&f.value, "mpls-enabled").and_then(Value::as_bool) == Some(true)),
        isis: isis
            .iter()
            .any(|f| f.value.as_object().is_some_and(|o| !o.is_empty()) || either(&f.value, "net").is_some()),
        l3vpn: families
            .iter()
            .any(|f| is_default(f) && is_on(f) && family(f) == "l3vpn_ipv4_unicast"),
        reflector: reflection.iter().any(|f| is_default(f) && reflects(f)),
        vrf_bgp: families
            .iter()
            .any(|f| !is_default(f) && is_on(f) && family(f) == "ipv4_unicast"),
    }
}

fn role(facts: Facts) -> &'static str {
    match facts {
        Facts { reflector: true, .. } => "RR",
        Facts {
            mpls: true,
            isis: true,
            l3vpn: true,
            vrf_bgp: true,
            ..
        } => "PE",
        Facts {
            mpls: true,
            isis: true,
            ..
        } => "P",
        Facts { isis: true, .. } => "IGP-only",
        Facts {
            mpls: false,
            l3vpn: false,
            ..
        } => "CE",
        Facts { .. } => "Unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gnmi::collector::tests::{answer, sample};

    #[test]
    fn roles_follow_from_the_recorded_facts() {
        let Some(samples) = sample("get_device_profile_api") else {
            return;
        };
        let mut seen = 0;
        for profile in samples
            .iter()
            .map(|s| &s["data"]["profile"])
            .filter(|p| p.is_object())
        {
            let on = |name: &str| profile[name].as_bool().unwrap();
            let facts = Facts {
                mpls: on("is_mpls_enabled"),
                isis: on("is_isis_enabled"),
                l3vpn: on("is_bgp_l3vpn_enabled"),
                reflector: on("is_route_reflector"),
                vrf_bgp: on("has_vpn_ipv4_unicast_bgp"),
            };
            assert_eq!(role(facts), profile["role"].as_str().unwrap());
            seen += 1;
        }
        assert!(seen >= 5, "{seen} profiles");
    }

    #[test]
    fn facts_are_read_from_the_right_instance() {
        let path = |vrf: &str, rest: &str| {
            format!(
                "/network-instances/network-instance[name={vrf}]/protocols/protocol[identifier=BGP][name=b]/bgp/{rest}"
            )
        };
        let family = |name: &str| {
            format!("global/afi-safis/afi-safi[afi-safi-name=openconfig-bgp-types:{name}]/state")
        };
        let families = answer(&[
            (
                &path("default", &family("L3VPN_IPV4_UNICAST")),
                json!({"enabled": true}),
            ),
            (&path("CUST-A", &family("IPV4_UNICAST")), json!({"enabled": true})),
        ]);
        let reflection = answer(&[(
            &path(
                "default",
                "neighbors/neighbor[neighbor-address=1.1.1.1]/route-reflector/state",
            ),
            json!({"route-reflector-client": false}),
        )]);
        let select = |answer: &Answer, path: &str| answer.select(&parse(path).unwrap());
        let got = facts(
            &[],
            &[],
            &select(&families, FAMILIES),
            &select(&reflection, REFLECTION),
        );
        assert_eq!(
            got,
            Facts {
                l3vpn: true,
                vrf_bgp: true,
                ..Facts::default()
            }
        );
    }
}
