//! Draws what goes wrong with a router as such: reach, power, clock, processes, configuration.

use super::breakage::{Breakage, Draw, Scene, Topic, node, op, set};
use crate::lab::fault::Fault;

fn made(kind: &str, device: &str, fault: Fault, shown: &str) -> Breakage {
    let scene = Scene {
        topic: Topic::Router,
        near: vec![device.to_owned()],
        far: Vec::new(),
        vrf: None,
    };
    Breakage::one(kind, node(device), fault, format!("{device} {shown}"), scene)
}

pub(super) fn management(draw: &mut Draw<'_>) -> Option<Breakage> {
    let device = draw.device(&[])?;
    let fault = op("node.management_down", &device, draw.began());
    Some(made(
        "mgmt_unreachable",
        &device,
        fault,
        "management reachable == false",
    ))
}

pub(super) fn down(draw: &mut Draw<'_>) -> Option<Breakage> {
    let device = draw.device(&[])?;
    let fault = op("node.down", &device, draw.began());
    Some(made("node_down", &device, fault, "management reachable == false"))
}

pub(super) fn clock(draw: &mut Draw<'_>) -> Option<Breakage> {
    let device = draw.device(&[])?;
    if draw.dice.chance(12) {
        let none: Vec<toml::Value> = Vec::new();
        let fault = set("ntp.servers", &device, draw.began(), none);
        return Some(made(
            "clock_skew",
            &device,
            fault,
            "system ntp-synchronised == false",
        ));
    }
    let off = draw.dice.between(60, 9_000) * if draw.dice.chance(50) { -1 } else { 1 };
    let fault = set("node.clock_skew", &device, draw.began(), off);
    Some(made(
        "clock_skew",
        &device,
        fault,
        "system ntp-synchronised == false",
    ))
}

pub(super) fn reload(draw: &mut Draw<'_>) -> Option<Breakage> {
    let device = draw.device(&[])?;
    let began = draw.dice.between(800, 6_800);
    let reason = draw.dice.pick(&[
        "Kernel panic - CPU stuck",
        "Power cycle",
        "Critical process sysmgr restarted the card",
        "Watchdog timeout",
    ])?;
    let fault = Fault {
        text: Some(reason.to_owned()),
        ..op("node.reload", &device, -began)
    };
    let shown = format!("system uptime-s < {began}");
    Some(made("unexpected_reload", &device, fault, &shown).over(began))
}

pub(super) fn inconsistency(draw: &mut Draw<'_>) -> Option<Breakage> {
    let device = draw.device(&[])?;
    let fault = op("node.config_inconsistency", &device, draw.began());
    Some(made(
        "config_inconsistency",
        &device,
        fault,
        "system alarms contains CFGMGR-INCONSISTENCY",
    ))
}

pub(super) fn hog(draw: &mut Draw<'_>) -> Option<Breakage> {
    let device = draw.device(&[])?;
    let process = draw
        .dice
        .pick(&["isis", "emsd", "ifmgr", "tcp", "mpls_lsd", "ipv4_rib"])?;
    let share = draw.dice.between(80, 99);
    let fault = Fault {
        text: Some(process.to_owned()),
        ..set("node.process_hog", &device, draw.began(), share)
    };
    let made = made(
        "process_hog",
        &device,
        fault,
        &format!("system busiest-process == {process}"),
    );
    Some(match draw.mended() {
        Some(when) => made.mended(when, "CPU hog"),
        None => made,
    })
}
