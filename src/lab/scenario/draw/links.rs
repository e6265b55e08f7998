//! Draws what goes wrong with ports, links and bundles.

use super::breakage::{Breakage, Draw, Scene, Topic, interface, op, set};
use crate::lab::fault::Fault;

fn customer_scene(device: &str, vrf: Option<String>) -> Scene {
    Scene {
        topic: if vrf.is_some() {
            Topic::Customer
        } else {
            Topic::Link
        },
        near: vec![device.to_owned()],
        far: Vec::new(),
        vrf,
    }
}

/// A place to break: device, port, resource of the link (or of the port to somebody outside), scene.
fn anywhere(draw: &mut Draw<'_>) -> Option<(String, String, String, Scene)> {
    if draw.dice.chance(30) {
        let transit = draw.dice.chance(20);
        let (device, port, vrf) = draw.edge_port(transit)?;
        let resource = interface(&device, &port);
        let scene = customer_scene(&device, vrf);
        Some((device, port, resource, scene))
    } else {
        let span = draw.cable(false)?;
        let (resource, scene) = (span.link(), span.scene(Topic::Link));
        Some((span.device, span.port, resource, scene))
    }
}

pub(super) fn admin_down(draw: &mut Draw<'_>) -> Option<Breakage> {
    let (device, port, scene) = if draw.dice.chance(8) {
        let device = draw.device(&[])?;
        let scene = customer_scene(&device, None);
        (device, "Loopback0".to_owned(), scene)
    } else if draw.dice.chance(25) {
        let span = draw.link()?;
        let scene = span.scene(Topic::Link);
        (span.device, span.port, scene)
    } else {
        let (device, port, _, scene) = anywhere(draw)?;
        (device, port, scene)
    };
    let began = draw.began();
    let shut = set("interface.enabled", &device, began, false).on(&port);
    let resource = interface(&device, &port);
    let evidence = format!("{device} interface {port} admin-status == DOWN");
    let made = Breakage::one("link_admin_down", resource, shut, evidence, scene);
    let ethernet = port.starts_with("Gig");
    Some(match draw.mended().filter(|_| ethernet) {
        Some(when) => {
            let logged = format!("Interface {port}, changed state to Administratively Down");
            made.mended(when, &logged)
        }
        None => made,
    })
}

pub(super) fn down(draw: &mut Draw<'_>) -> Option<Breakage> {
    let (device, port, resource, scene) = anywhere(draw)?;
    if draw.dice.chance(20) {
        let began = draw.dice.between(700, 6_800);
        let lasts = draw.dice.between(60, 400);
        let cut = op("link.carrier_loss", &device, -began).on(&port).for_s(lasts);
        let evidence = format!("{device} log contains Interface {port}, changed state to Down");
        return Some(Breakage::one("link_down", resource, cut, evidence, scene).over(began));
    }
    let began = draw.began();
    let mut cut = op("link.carrier_loss", &device, began).on(&port);
    if draw.dice.chance(25) {
        cut.text = Some("local".to_owned());
    }
    let evidence = format!("{device} interface {port} oper-status == DOWN");
    Some(Breakage::one("link_down", resource, cut, evidence, scene))
}

/// Errors and drops happen on any port in use, members of bundles too.
fn loaded_port(draw: &mut Draw<'_>) -> Option<(String, String, Scene)> {
    if draw.dice.chance(20) {
        let span = draw.cable(true)?;
        let scene = span.scene(Topic::Link);
        return Some((span.device, span.port, scene));
    }
    let (device, port, _, scene) = anywhere(draw)?;
    Some((device, port, scene))
}

fn rate(draw: &mut Draw<'_>, low: i64, high: i64) -> f64 {
    let tenths = draw.dice.between(low * 10, high * 10);
    f64::from(i32::try_from(tenths).unwrap_or(100)) / 10.0
}

pub(super) fn damaged_frames(draw: &mut Draw<'_>) -> Option<Breakage> {
    let (device, port, scene) = loaded_port(draw)?;
    let (began, rate) = (draw.began(), rate(draw, 2, 60));
    let errors = Fault {
        rate: Some(rate),
        ..op("link.bit_errors", &device, began).on(&port)
    };
    let evidence = format!("{device} interface {port} in-fcs-errors > 300");
    let resource = interface(&device, &port);
    Some(Breakage::one("fcs_errors", resource, errors, evidence, scene))
}

pub(super) fn congestion(draw: &mut Draw<'_>) -> Option<Breakage> {
    let (device, port, scene) = loaded_port(draw)?;
    let (began, rate) = (draw.began(), rate(draw, 8, 700));
    let drops = Fault {
        rate: Some(rate),
        ..op("link.congestion", &device, began).on(&port)
    };
    let evidence = format!("{device} interface {port} out-discards > 1000");
    let resource = interface(&device, &port);
    Some(Breakage::one(
        "congestion_drops",
        resource,
        drops,
        evidence,
        scene,
    ))
}

pub(super) fn flapping(draw: &mut Draw<'_>) -> Option<Breakage> {
    let (device, port, resource, scene) = anywhere(draw)?;
    let count = draw.dice.between(3, 18);
    let began = draw.dice.between(900, 6_800);
    let window = if draw.dice.chance(20) {
        began + 300
    } else {
        draw.dice
            .between(count * 20, (count * 60).min(began - 400).max(count * 20))
    };
    let flaps = Fault {
        count: u32::try_from(count).ok(),
        window_s: Some(window),
        ..op("link.flap_train", &device, -began).on(&port)
    };
    let evidence = format!("{device} interface {port} carrier-transitions > 4");
    Some(Breakage::one("link_flap", resource, flaps, evidence, scene).over(began))
}

pub(super) fn mtu_mismatch(draw: &mut Draw<'_>) -> Option<Breakage> {
    let span = draw.link()?;
    let began = draw.began();
    let mtu = draw
        .dice
        .pick(&[1_500, 1_514, 4_484, 8_000, 9_000, 9_192, 9_216])?;
    let change = set("interface.mtu", &span.device, began, mtu).on(&span.port);
    let evidence = format!("{} interface {} mtu == {mtu}", span.device, span.port);
    let lost = format!("{} isis interface {} adjacency == DOWN", span.device, span.port);
    let mut made = Breakage::one(
        "mtu_mismatch",
        span.link(),
        change,
        evidence,
        span.scene(Topic::Routing),
    );
    made.evidence.push(lost);
    Some(made)
}

/// The adjacency stays: hellos are not padded where they would be too long, or both ends are too small alike.
pub(super) fn black_hole(draw: &mut Draw<'_>) -> Option<Breakage> {
    let span = draw.link()?;
    let began = draw.began();
    let mtu = draw.dice.pick(&[1_500, 1_514, 1_518])?;
    let change = |device: &str, port: &str| set("interface.mtu", device, began, mtu).on(port);
    let unpadded = |device: &str, port: &str| set("isis.hello_padding", device, began - 900, false).on(port);
    let evidence = format!("{} interface {} mtu == {mtu}", span.device, span.port);
    let made = Breakage::one(
        "mtu_blackhole",
        span.link(),
        change(&span.device, &span.port),
        evidence,
        span.scene(Topic::Link),
    );
    Some(match draw.dice.below(3) {
        0 => made.and(change(&span.far_device, &span.far_port)),
        1 => made.and(unpadded(&span.far_device, &span.far_port)),
        _ => made
            .and(unpadded(&span.far_device, &span.far_port))
            .and(unpadded(&span.device, &span.port)),
    })
}

/// A member without carrier, shut, or taken out of its bundle; sometimes the bundle needs all of them.
pub(super) fn member(draw: &mut Draw<'_>) -> Option<Breakage> {
    let span = draw.cable(true)?;
    let bundle = draw.bundle(&span.device, &span.port)?;
    let began = draw.began();
    let on_port = |fault: Fault| fault.on(&span.port);
    let (fault, evidence) = match draw.dice.below(5) {
        0 => (
            on_port(set("interface.enabled", &span.device, began, false)),
            format!("{} interface {} admin-status == DOWN", span.device, span.port),
        ),
        1 => (
            on_port(set("interface.bundle", &span.device, began, "")),
            format!("{} interface {bundle} active-members == 1", span.far_device),
        ),
        _ => (
            on_port(op("link.carrier_loss", &span.device, began)),
            format!("{} interface {} oper-status == DOWN", span.device, span.port),
        ),
    };
    let made = Breakage::one(
        "lag_member_down",
        span.link(),
        fault,
        evidence,
        span.scene(Topic::Link),
    );
    Some(if draw.dice.chance(20) {
        let needs = set("interface.min_links", &span.device, began - 3_600, 2).on(&bundle);
        made.and(needs)
    } else {
        made
    })
}
