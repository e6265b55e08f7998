//! Interface counters: traffic while the line is up, errors and drops while their cause lasts, and old scars.

use super::control::Control;
use super::noise::{between, unit};
use super::ports;
use super::wiring::Port;
use crate::lab::config::InterfaceKind;
use crate::lab::fault::{Change, Condition};
use crate::lab::state::Counters;

/// Speed of an Ethernet port, bits per second.
pub(super) const PORT_BPS: u64 = 1_000_000_000;
/// Mean frame, bytes.
const FRAME: f64 = 640.0;
/// Share of the line rate a congested port sends at.
const FULL: f64 = 0.985;
/// Frames per second that exceed a smaller MTU: routing and customer traffic at full size.
const GIANTS_PER_S: f64 = 4.0;

/// Counters of a port at `now_ms`.
pub(super) fn of(control: &Control, port: Port, now_ms: i64) -> Counters {
    let config = &control.moment.situation.configs[port.0].interfaces[port.1];
    match config.kind {
        InterfaceKind::Loopback => Counters {
            last_clear_ms: control.moment.boots[port.0].at_ms,
            ..Counters::default()
        },
        InterfaceKind::Bundle => bundle(control, port, now_ms),
        InterfaceKind::Management | InterfaceKind::Ethernet => single(control, port, now_ms),
    }
}

/// Speed in force: of a bundle, the sum of its active members.
pub(super) fn speed(control: &Control, port: Port) -> u64 {
    let situation = &control.moment.situation;
    if situation.configs[port.0].interfaces[port.1].kind != InterfaceKind::Bundle {
        return PORT_BPS;
    }
    let ups = control.moment.ups();
    let members = ports::members(&control.base.wiring, situation, port);
    let active = members
        .filter(|m| ports::distributes(&control.base.wiring, situation, *m, &ups))
        .count();
    PORT_BPS * active as u64
}

fn bundle(control: &Control, port: Port, now_ms: i64) -> Counters {
    let mut sum = Counters {
        last_clear_ms: control.moment.boots[port.0].at_ms,
        ..Counters::default()
    };
    // As built: what a member counted stays counted when it is taken out of the bundle.
    let built = &control.base.network.devices[port.0].config.interfaces;
    let name = &built[port.1].name;
    for member in (0..built.len()).filter(|n| built[*n].member_of.as_ref() == Some(name)) {
        let one = single(control, (port.0, member), now_ms);
        sum.in_octets += one.in_octets;
        sum.out_octets += one.out_octets;
        sum.in_pkts += one.in_pkts;
        sum.out_pkts += one.out_pkts;
        sum.in_errors += one.in_errors;
        sum.in_fcs_errors += one.in_fcs_errors;
        sum.out_discards += one.out_discards;
        sum.in_discards += one.in_discards;
    }
    let giants = count(
        GIANTS_PER_S,
        control.moment.ports[port.0][port.1].giants_ms(now_ms),
    );
    sum.in_giants += giants;
    sum.in_errors += giants;
    sum
}

/// Bits per second a port usually sends.
fn usual_bps(control: &Control, port: Port) -> f64 {
    let kind = control.moment.situation.configs[port.0].interfaces[port.1].kind;
    let (low, high) = match kind {
        InterfaceKind::Management => (20_000.0, 90_000.0),
        _ if control.base.wiring.edge_at.contains_key(&port) => (4.0e6, 60.0e6),
        _ => (60.0e6, 380.0e6),
    };
    low + (high - low) * unit(control.base.seed, &[40, port.0 as u64, port.1 as u64])
}

fn single(control: &Control, port: Port, now_ms: i64) -> Counters {
    let track = &control.moment.ports[port.0][port.1];
    let up_ms = track.up_ms(now_ms);
    let far = control.base.wiring.far(port);
    let out_bps = usual_bps(control, port);
    let in_bps = far.map_or(out_bps * 0.8, |far| usual_bps(control, far));
    let mut out = octets(out_bps, up_ms);
    let mut inward = octets(in_bps, up_ms);
    let (bit_errors, drops, busy_ms) = afflictions(control, port, now_ms);
    if busy_ms > 0 {
        out += octets((FULL * PORT_BPS as f64 - out_bps).max(0.0), busy_ms);
    }
    if let Some(far) = far {
        let (_, _, far_busy_ms) = afflictions(control, far, now_ms);
        inward += octets((FULL * PORT_BPS as f64 - in_bps).max(0.0), far_busy_ms);
    }
    let scars = scars(control, port);
    let giants = count(GIANTS_PER_S, track.giants_ms(now_ms));
    Counters {
        in_octets: inward,
        out_octets: out,
        in_pkts: packets(inward),
        out_pkts: packets(out),
        in_errors: scars.0 + bit_errors + giants,
        in_fcs_errors: scars.0 + bit_errors,
        in_giants: giants,
        in_discards: scars.1 / 3,
        out_errors: 0,
        out_discards: scars.1 + drops,
        last_clear_ms: control.moment.boots[port.0].at_ms,
    }
}

/// Errors and drops long past: every eighth port has some. They do not move.
fn scars(control: &Control, port: Port) -> (u64, u64) {
    let keys = |what| [what, port.0 as u64, port.1 as u64];
    let booted = control.moment.boots[port.0].at_ms > control.base.epoch_ms - 86_400_000;
    let ever_up = control.moment.ports[port.0][port.1].transitions > 0;
    if booted || !ever_up || between(control.base.seed, &keys(41), 0, 8) != 0 {
        return (0, 0);
    }
    let number = |what, high| u64::try_from(between(control.base.seed, &keys(what), 1, high)).unwrap_or(0);
    (number(42, 180), number(43, 900))
}

/// Frames with bad FCS, frames dropped on output, and milliseconds of congestion since boot.
fn afflictions(control: &Control, port: Port, now_ms: i64) -> (u64, u64, i64) {
    let boot_ms = control.moment.boots[port.0].at_ms;
    let (mut errors, mut drops, mut busy_ms) = (0, 0, 0);
    for interval in control
        .intervals
        .iter()
        .filter(|i| i.from_ms >= boot_ms && i.from_ms <= now_ms)
    {
        let Change::Condition(condition) = &interval.change else {
            continue;
        };
        let (end, rate, queue) = match condition {
            Condition::BitErrors { end, rate } => (end, *rate, false),
            Condition::Congestion { end, rate } => (end, *rate, true),
            _ => continue,
        };
        if control.base.wiring.port(end.device, &end.interface) == Some(port) {
            let elapsed_ms = interval.elapsed_ms(now_ms);
            if queue {
                drops += count(rate, elapsed_ms);
                busy_ms += elapsed_ms;
            } else {
                errors += count(rate, elapsed_ms);
            }
        }
    }
    (errors, drops, busy_ms)
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "counters; never negative"
)]
fn count(rate_per_s: f64, ms: i64) -> u64 {
    (rate_per_s * ms.max(0) as f64 / 1_000.0) as u64
}

fn octets(bps: f64, ms: i64) -> u64 {
    count(bps / 8.0, ms)
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "counters; never negative"
)]
fn packets(octets: u64) -> u64 {
    (octets as f64 / FRAME) as u64
}
