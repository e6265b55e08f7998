//! Draws what goes wrong with IS-IS.

use super::breakage::{Breakage, Draw, Scene, Topic, interface, node, set};

pub(super) fn of_node(device: &str, topic: Topic) -> Scene {
    Scene {
        topic,
        near: vec![device.to_owned()],
        far: Vec::new(),
        vrf: None,
    }
}

/// A key that differs: of one interface, which is the link's fault; of the process, which is the router's.
pub(super) fn authentication(draw: &mut Draw<'_>) -> Option<Breakage> {
    let began = draw.began();
    let key = draw.dice.pick(&["", "rotated-key", "old", "c0re-hello-key"])?;
    if draw.dice.chance(25) {
        let device = draw.device(&[])?;
        let change = set("isis.auth", &device, began, key);
        let circuits = draw.config(&device)?.isis.as_ref()?.interfaces.keys();
        let port = circuits.filter(|name| *name != "Loopback0").min()?;
        let evidence = format!("{device} isis interface {port} adjacency == DOWN");
        let scene = of_node(&device, Topic::Routing);
        return Some(Breakage::one(
            "isis_auth_mismatch",
            node(&device),
            change,
            evidence,
            scene,
        ));
    }
    let span = draw.link()?;
    let change = set("isis.auth", &span.device, began, key).on(&span.port);
    let evidence = format!("{} isis interface {} adjacency == DOWN", span.device, span.port);
    let scene = span.scene(Topic::Routing);
    let made = Breakage::one("isis_auth_mismatch", span.link(), change, evidence, scene);
    Some(match draw.mended().filter(|_| !key.is_empty()) {
        Some(when) => made.mended(when, &format!("IIH from {}: authentication failure", span.port)),
        None => made,
    })
}

pub(super) fn level(draw: &mut Draw<'_>) -> Option<Breakage> {
    let began = draw.began();
    if draw.dice.chance(25) {
        let device = draw.device(&[])?;
        let change = set("isis.level", &device, began, 1);
        let evidence = format!("{device} isis level == LEVEL_1");
        let scene = of_node(&device, Topic::Routing);
        return Some(Breakage::one(
            "isis_level_mismatch",
            node(&device),
            change,
            evidence,
            scene,
        ));
    }
    let span = draw.link()?;
    let change = set("isis.level", &span.device, began, 1).on(&span.port);
    let evidence = format!("{} isis interface {} level == LEVEL_1", span.device, span.port);
    let resource = interface(&span.device, &span.port);
    let scene = span.scene(Topic::Routing);
    Some(Breakage::one(
        "isis_level_mismatch",
        resource,
        change,
        evidence,
        scene,
    ))
}

pub(super) fn system_id(draw: &mut Draw<'_>) -> Option<Breakage> {
    let (device, other) = (draw.device(&[])?, draw.device(&[])?);
    if device == other {
        return None;
    }
    let net = draw.config(&other)?.isis.as_ref()?.net.clone();
    let change = set("isis.net", &device, draw.began(), net.as_str());
    let evidence = format!("{device} isis net == {net}");
    let mut scene = of_node(&device, Topic::Routing);
    scene.far = vec![other];
    Some(Breakage::one(
        "isis_duplicate_system_id",
        node(&device),
        change,
        evidence,
        scene,
    ))
}

pub(super) fn overload(draw: &mut Draw<'_>) -> Option<Breakage> {
    let device = draw.device(&[])?;
    let change = set("isis.overload", &device, draw.began(), true);
    let evidence = format!("{device} isis overload == true");
    let scene = of_node(&device, Topic::Routing);
    Some(Breakage::one(
        "isis_overload_stuck",
        node(&device),
        change,
        evidence,
        scene,
    ))
}

pub(super) fn passive(draw: &mut Draw<'_>) -> Option<Breakage> {
    let span = draw.link()?;
    let began = draw.began();
    let change = set("isis.passive", &span.device, began, true).on(&span.port);
    let evidence = format!("{} isis interface {} passive == true", span.device, span.port);
    let resource = interface(&span.device, &span.port);
    let made = Breakage::one(
        "isis_passive_interface",
        resource,
        change,
        evidence,
        span.scene(Topic::Routing),
    );
    if !draw.dice.chance(15) {
        return Some(made);
    }
    let far = set("isis.passive", &span.far_device, began - 40, true).on(&span.far_port);
    let evidence = format!(
        "{} isis interface {} passive == true",
        span.far_device, span.far_port
    );
    let resource = interface(&span.far_device, &span.far_port);
    Some(made.also("isis_passive_interface", resource, far, evidence))
}

/// A metric far from what the network uses, on one end.
pub(super) fn metric(draw: &mut Draw<'_>) -> Option<Breakage> {
    let span = draw.link()?;
    let metric = draw
        .dice
        .pick(&[1, 60, 100, 250, 1_000, 5_000, 100_000, 16_777_214])?;
    let began = draw.began();
    let change = set("isis.metric", &span.device, began, metric).on(&span.port);
    let evidence = format!("{} isis interface {} metric == {metric}", span.device, span.port);
    let resource = interface(&span.device, &span.port);
    let scene = span.scene(Topic::Routing);
    let made = Breakage::one("isis_metric_misconfig", resource, change, evidence, scene);
    if !draw.dice.chance(12) {
        return Some(made);
    }
    let far = set("isis.metric", &span.far_device, began, metric).on(&span.far_port);
    let evidence = format!(
        "{} isis interface {} metric == {metric}",
        span.far_device, span.far_port
    );
    let resource = interface(&span.far_device, &span.far_port);
    Some(made.also("isis_metric_misconfig", resource, far, evidence))
}

pub(super) fn loopback(draw: &mut Draw<'_>) -> Option<Breakage> {
    let device = draw.device(&[])?;
    let change = set("isis.loopback_advertised", &device, draw.began(), false);
    let evidence = format!("{device} isis loopback-advertised == false");
    let has_sessions = draw.config(&device)?.bgp.is_some();
    let topic = if has_sessions {
        Topic::Sessions
    } else {
        Topic::Labels
    };
    let scene = of_node(&device, topic);
    Some(Breakage::one(
        "loopback_not_advertised",
        node(&device),
        change,
        evidence,
        scene,
    ))
}
