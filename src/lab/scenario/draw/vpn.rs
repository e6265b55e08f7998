//! Draws what goes wrong with customer VPNs.

use super::breakage::{Breakage, Draw, Scene, Topic, interface, op, set, vrf};
use crate::lab::fault::Fault;

fn scene(device: &str, name: &str, others: Vec<String>) -> Scene {
    Scene {
        topic: Topic::Customer,
        near: vec![device.to_owned()],
        far: others,
        vrf: Some(name.to_owned()),
    }
}

fn targets(list: &[String]) -> Vec<toml::Value> {
    list.iter().map(|t| toml::Value::from(t.as_str())).collect()
}

/// Another VRF of the device.
fn neighbour(draw: &mut Draw<'_>, device: &str, name: &str) -> Option<String> {
    let names: Vec<String> = draw
        .config(device)?
        .vrfs
        .keys()
        .filter(|n| *n != name)
        .cloned()
        .collect();
    draw.dice.pick(&names)
}

fn target_of(draw: &Draw<'_>, device: &str, name: &str) -> Option<String> {
    draw.config(device)?
        .vrfs
        .get(name)?
        .export_targets
        .first()
        .cloned()
}

fn made(kind: &str, device: &str, name: &str, others: Vec<String>, change: Fault, shown: &str) -> Breakage {
    let evidence = format!("{device} vrf {name} {shown}");
    Breakage::one(
        kind,
        vrf(device, name),
        change.of(name),
        evidence,
        scene(device, name, others),
    )
}

/// A route target nobody uses.
fn stray(draw: &mut Draw<'_>) -> String {
    format!("{}:{}", draw.network.asn, draw.dice.between(700, 999))
}

/// The import list is empty or names a target nobody exports; sometimes at two sites.
pub(super) fn import(draw: &mut Draw<'_>) -> Option<Breakage> {
    let (device, name, others) = draw.site()?;
    let began = draw.began();
    let list = if draw.dice.chance(50) {
        Vec::new()
    } else {
        vec![stray(draw)]
    };
    let change = |device: &str| set("vrf.import_rt", device, began, targets(&list));
    let shown = format!("vrf {name} remote-routes == 0");
    let second = draw
        .dice
        .pick(&others)
        .filter(|_| draw.dice.chance(15) && others.len() > 1);
    let all = made(
        "rt_import_missing",
        &device,
        &name,
        others,
        change(&device),
        "remote-routes == 0",
    );
    Some(match second {
        Some(other) => all.also(
            "rt_import_missing",
            vrf(&other, &name),
            change(&other).of(&name),
            format!("{other} {shown}"),
        ),
        None => all,
    })
}

/// The export list is empty or names a target nobody imports.
pub(super) fn export(draw: &mut Draw<'_>) -> Option<Breakage> {
    let (device, name, others) = draw.site()?;
    let began = draw.began();
    let list = if draw.dice.chance(30) {
        Vec::new()
    } else {
        vec![stray(draw)]
    };
    let shown = format!("export-rt == {}", list.join(","));
    let shown = if list.is_empty() {
        format!("export-rt != {}", target_of(draw, &device, &name)?)
    } else {
        shown
    };
    let change = set("vrf.export_rt", &device, began, targets(&list));
    Some(made("rt_export_mismatch", &device, &name, others, change, &shown))
}

/// The distinguisher of the same VRF elsewhere, of another VRF here, or of another VRF elsewhere.
pub(super) fn distinguisher(draw: &mut Draw<'_>) -> Option<Breakage> {
    let (device, name, others) = draw.site()?;
    let elsewhere = draw.dice.pick(&others)?;
    let rd = match draw.dice.below(3) {
        0 | 1 => draw.config(&elsewhere)?.vrfs.get(&name)?.rd.clone(),
        _ => {
            let other = neighbour(draw, &device, &name)?;
            draw.config(&device)?.vrfs.get(&other)?.rd.clone()
        }
    };
    let change = set("vrf.rd", &device, draw.began(), rd.as_str());
    Some(made(
        "rd_duplicate",
        &device,
        &name,
        others,
        change,
        &format!("rd == {rd}"),
    ))
}

/// A customer's port in the VRF of another, or in none.
pub(super) fn wrong_vrf(draw: &mut Draw<'_>) -> Option<Breakage> {
    if draw.dice.chance(15) {
        return strayed(draw);
    }
    let (device, port, own) = draw.edge_port(false)?;
    let own = own?;
    let other = if draw.dice.chance(25) {
        String::new()
    } else {
        neighbour(draw, &device, &own)?
    };
    let shown = if other.is_empty() {
        "default"
    } else {
        other.as_str()
    };
    let evidence = format!("{device} interface {port} vrf == {shown}");
    let change = set("interface.vrf", &device, draw.began(), other.as_str()).on(&port);
    let scene = scene(&device, &own, Vec::new());
    Some(Breakage::one(
        "vrf_wrong_interface",
        interface(&device, &port),
        change,
        evidence,
        scene,
    ))
}

/// A port of the core, or to a transit peer, in a customer's VRF.
fn strayed(draw: &mut Draw<'_>) -> Option<Breakage> {
    let (device, port) = if draw.dice.chance(50) {
        let (device, port, _) = draw.edge_port(true)?;
        (device, port)
    } else {
        let span = draw.cable(false)?;
        (span.device, span.port)
    };
    let name = neighbour(draw, &device, "")?;
    let evidence = format!("{device} interface {port} vrf == {name}");
    let change = set("interface.vrf", &device, draw.began(), name.as_str()).on(&port);
    let mut scene = scene(&device, &name, Vec::new());
    (scene.topic, scene.vrf) = (Topic::Link, None);
    Some(Breakage::one(
        "vrf_wrong_interface",
        interface(&device, &port),
        change,
        evidence,
        scene,
    ))
}

/// The customer's router is silent; sometimes it was, and is back.
pub(super) fn customer_silent(draw: &mut Draw<'_>) -> Option<Breakage> {
    let end = draw.external(false)?;
    if draw.dice.chance(15) {
        let began = draw.dice.between(1_200, 6_800);
        let gone = op("edge.down", &end.device, -began).for_s(draw.dice.between(240, 500));
        let evidence = format!("{} transitions > 1", end.subject());
        let made = Breakage::one(
            "pe_ce_bgp_down",
            end.resource(),
            end.at(gone),
            evidence,
            end.scene(),
        );
        return Some(made.over(began));
    }
    let began = draw.began();
    let gone = op("edge.down", &end.device, began);
    let evidence = format!("{} state != ESTABLISHED", end.subject());
    Some(Breakage::one(
        "pe_ce_bgp_down",
        end.resource(),
        end.at(gone),
        evidence,
        end.scene(),
    ))
}

pub(super) fn connected(draw: &mut Draw<'_>) -> Option<Breakage> {
    let (device, name, others) = draw.site()?;
    let change = set("vrf.redistribute_connected", &device, draw.began(), false);
    Some(made(
        "redistribute_connected_missing",
        &device,
        &name,
        others,
        change,
        "redistribute-connected == false",
    ))
}

/// Another customer's target beside the own one: imported, or exported.
pub(super) fn leak(draw: &mut Draw<'_>) -> Option<Breakage> {
    let (device, name, others) = draw.site()?;
    let other = neighbour(draw, &device, &name)?;
    let (own, foreign) = (
        target_of(draw, &device, &name)?,
        target_of(draw, &device, &other)?,
    );
    let mut list = vec![own, foreign.clone()];
    if draw.dice.chance(40) {
        list.reverse();
    }
    let (operation, leaf) = if draw.dice.chance(75) {
        ("vrf.import_rt", "import-rt")
    } else {
        ("vrf.export_rt", "export-rt")
    };
    let change = set(operation, &device, draw.began(), targets(&list));
    Some(made(
        "rt_leak",
        &device,
        &name,
        others,
        change,
        &format!("{leaf} contains {foreign}"),
    ))
}
