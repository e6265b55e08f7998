//! Draws what goes wrong with segment routing and MPLS.

use super::breakage::{Breakage, Draw, Topic, interface, node, op, set};
use super::routing::of_node;
use crate::lab::fault::Fault;

fn on_node(kind: &str, device: &str, change: Fault, shown: &str) -> Breakage {
    let evidence = format!("{device} {shown}");
    Breakage::one(
        kind,
        node(device),
        change,
        evidence,
        of_node(device, Topic::Labels),
    )
}

pub(super) fn block(draw: &mut Draw<'_>) -> Option<Breakage> {
    let device = draw.device(&[])?;
    let blocks = [
        (24_000, 31_999),
        (17_000, 24_999),
        (100_000, 107_999),
        (16_000, 18_999),
        (16_000, 31_999),
    ];
    let (low, high) = draw.dice.pick(&blocks)?;
    let block = vec![toml::Value::from(low), toml::Value::from(high)];
    let change = set("sr.srgb", &device, draw.began(), block);
    Some(on_node(
        "srgb_mismatch",
        &device,
        change,
        &format!("sr srgb == {low}-{high}"),
    ))
}

pub(super) fn duplicate(draw: &mut Draw<'_>) -> Option<Breakage> {
    let (device, other) = (draw.device(&[])?, draw.device(&[])?);
    if device == other {
        return None;
    }
    let index = draw.config(&other)?.sr.prefix_sid?;
    let change = set("sr.prefix_sid", &device, draw.began(), i64::from(index));
    let mut made = on_node(
        "prefix_sid_duplicate",
        &device,
        change,
        &format!("sr prefix-sid == {index}"),
    );
    made.scene.far = vec![other];
    Some(made)
}

pub(super) fn missing(draw: &mut Draw<'_>) -> Option<Breakage> {
    let device = draw.device(&[])?;
    let change = set("sr.prefix_sid", &device, draw.began(), "none");
    Some(on_node(
        "prefix_sid_missing",
        &device,
        change,
        "sr prefix-sid == none",
    ))
}

pub(super) fn disabled(draw: &mut Draw<'_>) -> Option<Breakage> {
    let device = draw.device(&[])?;
    let change = set("sr.enabled", &device, draw.began(), false);
    Some(on_node("sr_disabled", &device, change, "sr enabled == false"))
}

pub(super) fn outside(draw: &mut Draw<'_>) -> Option<Breakage> {
    let device = draw.device(&[])?;
    let index = draw.dice.between(8_000, 60_000);
    let change = set("sr.prefix_sid", &device, draw.began(), index);
    Some(on_node(
        "sid_out_of_srgb",
        &device,
        change,
        &format!("sr prefix-sid == {index}"),
    ))
}

pub(super) fn pending(draw: &mut Draw<'_>) -> Option<Breakage> {
    let device = draw.device(&[])?;
    let began = draw.began();
    Some(on_node(
        "srgb_alloc_pending",
        &device,
        op("sr.srgb_pending", &device, began),
        "sr srgb-allocated == none",
    ))
}

pub(super) fn off(draw: &mut Draw<'_>) -> Option<Breakage> {
    let span = draw.link()?;
    let began = draw.began();
    let change = |device: &str, port: &str| set("mpls.interface", device, began, false).on(port);
    let evidence = |device: &str, port: &str| format!("{device} mpls interface {port} enabled == false");
    let made = Breakage::one(
        "mpls_disabled_interface",
        interface(&span.device, &span.port),
        change(&span.device, &span.port),
        evidence(&span.device, &span.port),
        span.scene(Topic::Labels),
    );
    if !draw.dice.chance(15) {
        return Some(made);
    }
    Some(made.also(
        "mpls_disabled_interface",
        interface(&span.far_device, &span.far_port),
        change(&span.far_device, &span.far_port),
        evidence(&span.far_device, &span.far_port),
    ))
}
