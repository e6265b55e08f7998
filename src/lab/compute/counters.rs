//! Interface counters: traffic while the line is up, errors and drops while their cause lasts, and old scars.

use super::control::Control;
use super::noise::{between, unit};
use super::ports;
use super::traffic::{PORT_BPS, Stretch};
use super::wiring::Port;
use crate::lab::config::InterfaceKind;
use crate::lab::fault::{Change, Condition, Interval};
use crate::lab::network::End;
use crate::lab::state::Counters;

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
        return whole(PORT_BPS);
    }
    let ups = control.moment.ups();
    let members = ports::members(&control.base.wiring, situation, port);
    let active = members
        .filter(|m| ports::distributes(&control.base.wiring, situation, *m, &ups))
        .count();
    whole(PORT_BPS) * active as u64
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
    let giants = whole(GIANTS_PER_S * seconds(control.moment.ports[port.0][port.1].giants_ms(now_ms)));
    sum.in_giants += giants;
    sum.in_errors += giants;
    sum
}

/// Bits per second of hellos, keepalives and the like that a port sends whenever it is up.
fn chatter_bps(control: &Control, port: Port) -> f64 {
    let (low, high) = match control.moment.situation.configs[port.0].interfaces[port.1].kind {
        InterfaceKind::Management => (20_000.0, 90_000.0),
        _ => (6_000.0, 30_000.0),
    };
    low + (high - low) * unit(control.base.seed, &[40, port.0 as u64, port.1 as u64])
}

fn single(control: &Control, port: Port, now_ms: i64) -> Counters {
    let track = &control.moment.ports[port.0][port.1];
    let up_ms = track.up_ms(now_ms);
    let far = control.base.wiring.far(port).unwrap_or(port);
    let sent = sent(control, port, port, now_ms);
    let heard = match control.base.wiring.edge_at.get(&port) {
        Some(edge) => from_customer(control, port, *edge, now_ms),
        None if far == port => 0.0,
        None => self::sent(control, far, port, now_ms).bits,
    };
    let out = octets(sent.bits) + octets(chatter_bps(control, port) * seconds(up_ms));
    let inward = octets(heard) + octets(chatter_bps(control, far) * seconds(up_ms));
    let bit_errors = whole(bit_errors(control, port, now_ms));
    let scars = scars(control, port);
    let giants = whole(GIANTS_PER_S * seconds(track.giants_ms(now_ms)));
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
        out_discards: scars.1 + whole(sent.dropped),
        last_clear_ms: control.moment.boots[port.0].at_ms,
    }
}

/// What a port sent since a boot, and the frames it had to drop.
#[derive(Default)]
struct Sent {
    bits: f64,
    dropped: f64,
}

/// What `port` sent while the line of `witness` was up too, since the device of `witness` booted. A port that is
/// offered more than it holds, or that is congested by a fault, is full and drops.
fn sent(control: &Control, port: Port, witness: Port, now_ms: i64) -> Sent {
    let traffic = &control.traffic;
    let full = FULL * PORT_BPS;
    let jams = conditions(control, port, |condition| match condition {
        Condition::Congestion { end, rate } => Some((end, *rate)),
        _ => None,
    });
    let mut sum = Sent::default();
    for stretch in traffic.stretches(control.moment.boots[witness.0].at_ms, now_ms) {
        if !traffic.up(stretch, port) || !traffic.up(stretch, witness) {
            continue;
        }
        let offered = traffic.offered(&control.base, stretch, port);
        let held = offered.min(full);
        sum.bits += held * seconds(stretch.ms());
        sum.dropped += (offered - held) * seconds(stretch.ms()) / 8.0 / FRAME;
        for (jam, rate) in &jams {
            let jammed = seconds(stretch.overlap_ms(jam.from_ms, jam.until_ms));
            sum.bits += (full - held) * jammed;
            sum.dropped += rate * jammed;
        }
    }
    sum
}

/// Bits the customer at a port sent.
fn from_customer(control: &Control, port: Port, edge: usize, now_ms: i64) -> f64 {
    let traffic = &control.traffic;
    let stretches = traffic.stretches(control.moment.boots[port.0].at_ms, now_ms);
    let up = stretches.filter(|s| traffic.up(*s, port));
    up.map(|s| traffic.customer_sends(&control.base, s, edge) * seconds(s.ms()))
        .sum()
}

/// Frames with bad FCS that arrived while the line was up.
fn bit_errors(control: &Control, port: Port, now_ms: i64) -> f64 {
    let traffic = &control.traffic;
    let noises = conditions(control, port, |condition| match condition {
        Condition::BitErrors { end, rate } => Some((end, *rate)),
        _ => None,
    });
    let of = |stretch: Stretch| -> f64 {
        noises
            .iter()
            .map(|(noise, rate)| rate * seconds(stretch.overlap_ms(noise.from_ms, noise.until_ms)))
            .sum()
    };
    if noises.is_empty() {
        return 0.0;
    }
    let stretches = traffic.stretches(control.moment.boots[port.0].at_ms, now_ms);
    stretches.filter(|s| traffic.up(*s, port)).map(of).sum()
}

/// Faults of one kind on a port, with their rate.
fn conditions(
    control: &Control,
    port: Port,
    of: impl Fn(&Condition) -> Option<(&End, f64)>,
) -> Vec<(&Interval, f64)> {
    let mut all = Vec::new();
    for interval in control.intervals.iter().filter(|i| i.device == port.0) {
        if let Change::Condition(condition) = &interval.change
            && let Some((end, rate)) = of(condition)
            && control.base.wiring.port(end.device, &end.interface) == Some(port)
        {
            all.push((interval, rate));
        }
    }
    all
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

#[allow(clippy::cast_precision_loss, reason = "milliseconds of at most some years")]
fn seconds(ms: i64) -> f64 {
    ms.max(0) as f64 / 1_000.0
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counters; never negative"
)]
fn whole(count: f64) -> u64 {
    count as u64
}

fn octets(bits: f64) -> u64 {
    whole(bits / 8.0)
}

#[allow(clippy::cast_precision_loss, reason = "octets of at most some years")]
fn packets(octets: u64) -> u64 {
    whole(octets as f64 / FRAME)
}
