//! Configuration edits: one function a leaf. Each finds its target or says what there is.

use std::net::Ipv4Addr;

use super::{Fault, FaultError};
use crate::lab::config::{
    Afi, AfiConfig, DeviceConfig, InterfaceConfig, InterfaceKind, IsisConfig, IsisInterfaceConfig, Level,
    NeighborConfig, VrfConfig,
};

type Done = Result<(), FaultError>;

impl Fault {
    fn flag(&self) -> Result<bool, FaultError> {
        self.value
            .as_ref()
            .and_then(toml::Value::as_bool)
            .ok_or_else(|| self.bad("value", self.shown(), "true or false"))
    }

    fn words(&self) -> Result<String, FaultError> {
        self.value
            .as_ref()
            .and_then(|v| v.as_str().map(str::to_string))
            .ok_or_else(|| self.bad("value", self.shown(), "a string"))
    }

    pub(super) fn number(&self, min: i64, max: i64) -> Result<u32, FaultError> {
        let n = self
            .value
            .as_ref()
            .and_then(toml::Value::as_integer)
            .filter(|n| (min..=max).contains(n));
        n.and_then(|n| u32::try_from(n).ok()).ok_or_else(|| {
            self.bad(
                "value",
                self.shown(),
                &format!("a whole number from {min} to {max}"),
            )
        })
    }

    fn list(&self) -> Result<Vec<String>, FaultError> {
        let bad = || self.bad("value", self.shown(), "a list of strings");
        match &self.value {
            Some(toml::Value::String(one)) if one.is_empty() => Ok(Vec::new()),
            Some(toml::Value::String(one)) => Ok(vec![one.clone()]),
            Some(toml::Value::Array(all)) => all
                .iter()
                .map(|v| v.as_str().map(str::to_string).ok_or_else(bad))
                .collect(),
            _ => Err(bad()),
        }
    }

    pub(super) fn shown(&self) -> String {
        self.value.as_ref().map(ToString::to_string).unwrap_or_default()
    }

    pub(super) fn neighbor_address(&self) -> Result<Ipv4Addr, FaultError> {
        let text = self.neighbor.as_deref().unwrap_or_default();
        text.parse()
            .map_err(|_| self.bad("neighbor", format!("\"{text}\""), "an IPv4 address"))
    }

    fn families(&self) -> Result<Vec<Afi>, FaultError> {
        match self.afi.as_deref() {
            None => Ok(Afi::ALL.to_vec()),
            Some("ipv4" | "IPV4_UNICAST") => Ok(vec![Afi::Ipv4Unicast]),
            Some("vpnv4" | "L3VPN_IPV4_UNICAST") => Ok(vec![Afi::Vpnv4Unicast]),
            Some(other) => Err(self.bad("afi", format!("\"{other}\""), "\"ipv4\" or \"vpnv4\"")),
        }
    }
}

fn optional(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn interface<'a>(config: &'a mut DeviceConfig, fault: &Fault) -> Result<&'a mut InterfaceConfig, FaultError> {
    let name = fault.interface.as_deref().unwrap_or_default();
    let Some(at) = config.interfaces.iter().position(|i| i.name == name) else {
        return Err(fault.unknown(
            "interface",
            name,
            config.interfaces.iter().map(|i| i.name.as_str()),
        ));
    };
    Ok(&mut config.interfaces[at])
}

fn isis<'a>(config: &'a mut DeviceConfig, fault: &Fault) -> Result<&'a mut IsisConfig, FaultError> {
    config
        .isis
        .as_mut()
        .ok_or_else(|| fault.unknown("protocol", "isis", std::iter::empty()))
}

fn isis_interface<'a>(
    config: &'a mut DeviceConfig,
    fault: &Fault,
) -> Result<&'a mut IsisInterfaceConfig, FaultError> {
    let name = fault.interface.as_deref().unwrap_or_default();
    let isis = isis(config, fault)?;
    if !isis.interfaces.contains_key(name) {
        return Err(fault.unknown(
            "IS-IS interface",
            name,
            isis.interfaces.keys().map(String::as_str),
        ));
    }
    isis.interfaces
        .get_mut(name)
        .ok_or_else(|| fault.unknown("IS-IS interface", name, std::iter::empty()))
}

fn neighbor<'a>(config: &'a mut DeviceConfig, fault: &Fault) -> Result<&'a mut NeighborConfig, FaultError> {
    let address = fault.neighbor_address()?;
    let vrf = fault.vrf.as_deref();
    if config.neighbor(vrf, address).is_none() {
        if let Some(name) = vrf.filter(|name| !config.vrfs.contains_key(*name)) {
            return Err(fault.unknown("vrf", name, config.vrfs.keys().map(String::as_str)));
        }
        let known: Vec<String> = match vrf {
            Some(name) => config
                .vrfs
                .get(name)
                .map(|v| v.neighbors.keys().map(ToString::to_string).collect())
                .unwrap_or_default(),
            None => config
                .bgp
                .as_ref()
                .map(|b| b.neighbors.keys().map(ToString::to_string).collect())
                .unwrap_or_default(),
        };
        return Err(fault.unknown("neighbor", &address.to_string(), known.iter().map(String::as_str)));
    }
    config
        .neighbor_mut(vrf, address)
        .ok_or_else(|| fault.unknown("neighbor", &address.to_string(), std::iter::empty()))
}

fn vrf<'a>(config: &'a mut DeviceConfig, fault: &Fault) -> Result<&'a mut VrfConfig, FaultError> {
    let name = fault.vrf.as_deref().unwrap_or_default();
    if !config.vrfs.contains_key(name) {
        return Err(fault.unknown("vrf", name, config.vrfs.keys().map(String::as_str)));
    }
    config
        .vrfs
        .get_mut(name)
        .ok_or_else(|| fault.unknown("vrf", name, std::iter::empty()))
}

/// Applies `change` to the chosen families of the neighbour.
fn each_family(config: &mut DeviceConfig, fault: &Fault, change: impl Fn(&mut AfiConfig)) -> Done {
    let families = fault.families()?;
    let neighbor = neighbor(config, fault)?;
    let mut hit = false;
    for (afi, settings) in &mut neighbor.afis {
        if families.contains(afi) {
            change(settings);
            hit = true;
        }
    }
    if hit {
        Ok(())
    } else {
        Err(fault.bad(
            "afi",
            fault.afi.as_deref().unwrap_or_default(),
            "a family this neighbour has",
        ))
    }
}

pub(super) fn interface_enabled(config: &mut DeviceConfig, fault: &Fault) -> Done {
    interface(config, fault)?.enabled = fault.flag()?;
    Ok(())
}

pub(super) fn interface_description(config: &mut DeviceConfig, fault: &Fault) -> Done {
    interface(config, fault)?.description = fault.words()?;
    Ok(())
}

pub(super) fn interface_mtu(config: &mut DeviceConfig, fault: &Fault) -> Done {
    interface(config, fault)?.mtu = fault.number(68, 65_535)?;
    Ok(())
}

pub(super) fn interface_vrf(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let name = optional(fault.words()?);
    if let Some(missing) = name.as_ref().filter(|n| !config.vrfs.contains_key(*n)) {
        return Err(fault.unknown("vrf", missing, config.vrfs.keys().map(String::as_str)));
    }
    interface(config, fault)?.vrf = name;
    Ok(())
}

pub(super) fn interface_bundle(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let name = optional(fault.words()?);
    let bundles: Vec<String> = config
        .interfaces
        .iter()
        .filter(|i| i.kind == InterfaceKind::Bundle)
        .map(|i| i.name.clone())
        .collect();
    if let Some(missing) = name.as_ref().filter(|n| !bundles.contains(n)) {
        return Err(fault.unknown("bundle", missing, bundles.iter().map(String::as_str)));
    }
    interface(config, fault)?.member_of = name;
    Ok(())
}

pub(super) fn interface_min_links(config: &mut DeviceConfig, fault: &Fault) -> Done {
    interface(config, fault)?.min_links = fault.number(1, 64)?;
    Ok(())
}

pub(super) fn isis_net(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let net = fault.words()?;
    let groups: Vec<&str> = net.split('.').collect();
    let shape = groups.len() >= 5
        && net.chars().all(|c| c == '.' || c.is_ascii_hexdigit())
        && groups[groups.len() - 1].len() == 2;
    if !shape {
        return Err(fault.bad(
            "value",
            format!("\"{net}\""),
            "a NET such as 49.0001.1001.0010.0101.00",
        ));
    }
    isis(config, fault)?.net = net;
    Ok(())
}

pub(super) fn isis_level(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let text = fault.shown().trim_matches('"').to_ascii_lowercase();
    let level = match text.trim_start_matches("level").trim_start_matches(['-', '_']) {
        "1" => Level::L1,
        "2" => Level::L2,
        "12" | "1-2" | "1_2" => Level::L1L2,
        _ => return Err(fault.bad("value", fault.shown(), "1, 2 or 12")),
    };
    if fault.interface.is_some() {
        isis_interface(config, fault)?.level = Some(level);
    } else {
        isis(config, fault)?.level = level;
    }
    Ok(())
}

pub(super) fn isis_auth(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let key = fault.words()?;
    if fault.interface.is_some() {
        isis_interface(config, fault)?.key = Some(key);
    } else {
        isis(config, fault)?.key = optional(key);
    }
    Ok(())
}

pub(super) fn isis_passive(config: &mut DeviceConfig, fault: &Fault) -> Done {
    isis_interface(config, fault)?.passive = fault.flag()?;
    Ok(())
}

pub(super) fn isis_metric(config: &mut DeviceConfig, fault: &Fault) -> Done {
    isis_interface(config, fault)?.metric = fault.number(1, 16_777_214)?;
    Ok(())
}

pub(super) fn isis_hello_padding(config: &mut DeviceConfig, fault: &Fault) -> Done {
    isis_interface(config, fault)?.hello_padding = fault.flag()?;
    Ok(())
}

pub(super) fn isis_overload(config: &mut DeviceConfig, fault: &Fault) -> Done {
    isis(config, fault)?.overload = fault.flag()?;
    Ok(())
}

pub(super) fn isis_loopback(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let advertised = fault.flag()?;
    let isis = isis(config, fault)?;
    if advertised {
        let settings = IsisInterfaceConfig {
            passive: true,
            metric: 1,
            level: None,
            key: None,
            hello_padding: true,
        };
        isis.interfaces.entry("Loopback0".into()).or_insert(settings);
    } else {
        isis.interfaces.remove("Loopback0");
    }
    Ok(())
}

pub(super) fn sr_enabled(config: &mut DeviceConfig, fault: &Fault) -> Done {
    config.sr.enabled = fault.flag()?;
    Ok(())
}

pub(super) fn sr_srgb(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let bounds: Vec<u32> = fault
        .value
        .as_ref()
        .and_then(toml::Value::as_array)
        .map(|all| {
            all.iter()
                .filter_map(|v| v.as_integer().and_then(|n| u32::try_from(n).ok()))
                .collect()
        })
        .unwrap_or_default();
    match bounds[..] {
        [lo, hi] if (16_000..=1_048_575).contains(&lo) && lo < hi && hi <= 1_048_575 => {
            config.sr.srgb = (lo, hi)
        }
        _ => return Err(fault.bad("value", fault.shown(), "[first, last] within 16000 to 1048575")),
    }
    Ok(())
}

pub(super) fn sr_prefix_sid(config: &mut DeviceConfig, fault: &Fault) -> Done {
    config.sr.prefix_sid = match &fault.value {
        Some(toml::Value::String(none)) if none == "none" => None,
        Some(toml::Value::Integer(_)) => Some(fault.number(0, 1_048_575)?),
        _ => return Err(fault.bad("value", fault.shown(), "an index, or \"none\"")),
    };
    Ok(())
}

pub(super) fn mpls_interface(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let name = fault.interface.clone().unwrap_or_default();
    if !config.mpls.interfaces.contains_key(&name) {
        return Err(fault.unknown(
            "MPLS interface",
            &name,
            config.mpls.interfaces.keys().map(String::as_str),
        ));
    }
    config.mpls.interfaces.insert(name, fault.flag()?);
    Ok(())
}

pub(super) fn bgp_remote_as(config: &mut DeviceConfig, fault: &Fault) -> Done {
    neighbor(config, fault)?.remote_as = fault.number(1, 4_294_967_294)?;
    Ok(())
}

pub(super) fn bgp_password(config: &mut DeviceConfig, fault: &Fault) -> Done {
    neighbor(config, fault)?.password = optional(fault.words()?);
    Ok(())
}

pub(super) fn bgp_shutdown(config: &mut DeviceConfig, fault: &Fault) -> Done {
    neighbor(config, fault)?.shutdown = fault.flag()?;
    Ok(())
}

pub(super) fn bgp_description(config: &mut DeviceConfig, fault: &Fault) -> Done {
    neighbor(config, fault)?.description = fault.words()?;
    Ok(())
}

pub(super) fn bgp_hold_time(config: &mut DeviceConfig, fault: &Fault) -> Done {
    neighbor(config, fault)?.hold_s = fault.number(3, 65_535)?;
    Ok(())
}

pub(super) fn bgp_afi(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let families = fault.families()?;
    let wanted = fault.flag()?;
    let neighbor = neighbor(config, fault)?;
    for afi in families {
        if wanted {
            neighbor.afis.entry(afi).or_default();
        } else {
            neighbor.afis.remove(&afi);
        }
    }
    Ok(())
}

pub(super) fn bgp_max_prefix(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let limit = fault.number(0, 4_294_967_295)?;
    each_family(config, fault, |afi| afi.max_prefixes = Some(limit))
}

pub(super) fn bgp_rr_client(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let flag = fault.flag()?;
    each_family(config, fault, |afi| afi.rr_client = flag)
}

pub(super) fn bgp_next_hop_self(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let flag = fault.flag()?;
    each_family(config, fault, |afi| afi.next_hop_self = flag)
}

fn policy_name(config: &DeviceConfig, fault: &Fault) -> Result<Option<String>, FaultError> {
    let name = optional(fault.words()?);
    if let Some(missing) = name.as_ref().filter(|n| !config.policies.contains_key(*n)) {
        return Err(fault.unknown("policy", missing, config.policies.keys().map(String::as_str)));
    }
    Ok(name)
}

pub(super) fn bgp_import_policy(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let name = policy_name(config, fault)?;
    each_family(config, fault, |afi| afi.import_policy.clone_from(&name))
}

pub(super) fn bgp_export_policy(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let name = policy_name(config, fault)?;
    each_family(config, fault, |afi| afi.export_policy.clone_from(&name))
}

pub(super) fn policy_accept(config: &mut DeviceConfig, fault: &Fault) -> Done {
    let name = fault.text.clone().unwrap_or_default();
    if !config.policies.contains_key(&name) {
        return Err(fault.unknown("policy", &name, config.policies.keys().map(String::as_str)));
    }
    config.policies.insert(name, fault.flag()?);
    Ok(())
}

pub(super) fn vrf_rd(config: &mut DeviceConfig, fault: &Fault) -> Done {
    vrf(config, fault)?.rd = fault.words()?;
    Ok(())
}

pub(super) fn vrf_import(config: &mut DeviceConfig, fault: &Fault) -> Done {
    vrf(config, fault)?.import_targets = fault.list()?;
    Ok(())
}

pub(super) fn vrf_export(config: &mut DeviceConfig, fault: &Fault) -> Done {
    vrf(config, fault)?.export_targets = fault.list()?;
    Ok(())
}

pub(super) fn vrf_redistribute(config: &mut DeviceConfig, fault: &Fault) -> Done {
    vrf(config, fault)?.redistribute_connected = fault.flag()?;
    Ok(())
}

pub(super) fn ntp_servers(config: &mut DeviceConfig, fault: &Fault) -> Done {
    config.ntp_servers = fault.list()?;
    Ok(())
}

pub(super) fn system_banner(config: &mut DeviceConfig, fault: &Fault) -> Done {
    config.login_banner = fault.words()?;
    Ok(())
}
