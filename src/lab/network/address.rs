//! The numbering plan: loopbacks, management, links, customers. Pure arithmetic.

use std::net::Ipv4Addr;

/// Loopback0 of the device with 0-based index `i`: `100.100.100.101` onwards, then `100.100.101.1` onwards.
pub(super) fn loopback(i: usize) -> Ipv4Addr {
    if i < 154 {
        Ipv4Addr::new(100, 100, 100, byte(101 + i))
    } else {
        spread([100, 100], 101, i - 154)
    }
}

/// Management address of the device with 0-based index `i`, in 198.18.0.0/15 (RFC 2544 benchmarking space).
pub(super) fn management(i: usize) -> Ipv4Addr {
    if i < 200 {
        Ipv4Addr::new(198, 18, 158, byte(16 + i))
    } else {
        spread([198, 18], 160, i - 200)
    }
}

/// The pair of addresses of the `n`-th /31.
pub(super) fn narrow(n: usize) -> (Ipv4Addr, Ipv4Addr) {
    let base = u32::from(Ipv4Addr::new(10, 0, 0, 0)) + u32::try_from(n).unwrap_or(0) * 2;
    (Ipv4Addr::from(base), Ipv4Addr::from(base + 1))
}

/// The pair of addresses of a wide link between the devices with 0-based indices `a` and `b`.
pub(super) fn wide(a: usize, b: usize) -> (Ipv4Addr, Ipv4Addr) {
    let (x, y) = (byte(101 + a), byte(101 + b));
    let (lo, hi) = (x.min(y), x.max(y));
    (Ipv4Addr::new(100, lo, hi, x), Ipv4Addr::new(100, lo, hi, y))
}

/// PE and CE address of the site of VRF `vrf` (1-based index) at PE `pe` (0-based): /30 in 172.16.0.0/12.
pub(super) fn site(vrf: u32, pe: usize) -> (Ipv4Addr, Ipv4Addr) {
    let second = 16 + (vrf as usize - 1) % 8 + 8 * (pe / 250 % 2);
    let third = pe % 250 + 1;
    let fourth = 4 * (pe / 500);
    (
        Ipv4Addr::new(172, byte(second), byte(third), byte(fourth + 1)),
        Ipv4Addr::new(172, byte(second), byte(third), byte(fourth + 2)),
    )
}

/// Prefix of the customer's LAN of VRF `vrf` at PE `pe` (0-based).
pub(super) fn site_lan(vrf: u32, pe: usize) -> Ipv4Addr {
    Ipv4Addr::new(
        10,
        byte(100 + (vrf as usize) + 16 * (pe / 250)),
        byte(pe % 250 + 1),
        0,
    )
}

/// Prefix the customer announces from every site (the data centre both sites reach).
pub(super) fn shared_lan(vrf: u32) -> Ipv4Addr {
    Ipv4Addr::new(10, byte(100 + (vrf as usize)), 0, 0)
}

/// PE and peer address of the `n`-th transit: /31 in 192.0.2.0/24 (documentation space).
pub(super) fn transit(n: usize) -> (Ipv4Addr, Ipv4Addr) {
    (
        Ipv4Addr::new(192, 0, 2, byte(2 * n)),
        Ipv4Addr::new(192, 0, 2, byte(2 * n + 1)),
    )
}

/// Prefixes the `n`-th transit announces, in 203.0.113.0/24 and 198.51.100.0/24.
pub(super) fn transit_prefixes(n: usize) -> Vec<(Ipv4Addr, u8)> {
    let host = byte(16 * (n % 16));
    vec![
        (Ipv4Addr::new(203, 0, 113, host), 28),
        (Ipv4Addr::new(198, 51, 100, host), 28),
    ]
}

/// NET of a device: area 49.0001, system id the loopback's twelve digits.
pub(super) fn net(loopback: Ipv4Addr) -> String {
    let digits: String = loopback.octets().iter().map(|o| format!("{o:03}")).collect();
    format!(
        "49.0001.{}.{}.{}.00",
        &digits[0..4],
        &digits[4..8],
        &digits[8..12]
    )
}

fn spread(head: [u8; 2], third: usize, i: usize) -> Ipv4Addr {
    Ipv4Addr::new(head[0], head[1], byte(third + i / 250), byte(1 + i % 250))
}

fn byte(n: usize) -> u8 {
    u8::try_from(n % 256).unwrap_or(0)
}
