//! Fault operations: what is accepted, and what is refused with which words.

use super::*;
use crate::lab::network::builtin;

fn compile(toml: &str) -> Result<Vec<Interval>, FaultError> {
    toml::from_str::<Fault>(toml)
        .unwrap()
        .compile(&builtin("S").unwrap(), 0)
}

#[test]
fn errors_name_what_is_wrong_and_the_nearest_right_thing() {
    let cases = [
        (
            "op = 'bgp.neighbour.remote_as'\ndevice = 'xrd-1'",
            "bgp.neighbor.remote_as",
        ),
        ("op = 'node.down'\ndevice = 'xdr-1'", "xrd-1"),
        (
            "op = 'interface.mtu'\ndevice = 'xrd-1'\ninterface = 'GigabitEthernet0/0/0/99'\nvalue = 1500",
            "GigabitEthernet0/0/0/",
        ),
        (
            "op = 'interface.mtu'\ndevice = 'xrd-1'\ninterface = 'Loopback0'",
            "value is missing",
        ),
        (
            "op = 'interface.mtu'\ndevice = 'xrd-1'\ninterface = 'Loopback0'\nvalue = 'big'",
            "whole number",
        ),
        (
            "op = 'node.down'\ndevice = 'xrd-1'\nrate = 1.0",
            "rate means nothing",
        ),
        (
            "op = 'bgp.neighbor.shutdown'\ndevice = 'xrd-1'\nneighbor = '100.100.100.117'\nvalue = true",
            "100.100.100.107",
        ),
        (
            "op = 'vrf.rd'\ndevice = 'xrd-1'\nvrf = 'CUST-Z'\nvalue = 'x'",
            "CUST-",
        ),
        (
            "op = 'tool.error'\ndevice = 'xrd-1'\ntext = 'UNAVAILBLE'",
            "UNAVAILABLE",
        ),
    ];
    for (toml, want) in cases {
        let message = compile(toml).unwrap_err().to_string();
        assert!(message.contains(want), "{toml}: {message}");
        assert_eq!(message.lines().count(), 2, "{message}");
    }
}

#[test]
fn trains_are_spread_over_their_window() {
    let all = compile("at_s = -600\nop = 'link.flap_train'\ndevice = 'xrd-1'\ninterface = 'GigabitEthernet0/0/0/0'\ncount = 6\nwindow_s = 120").unwrap();
    assert_eq!(all.len(), 6);
    assert_eq!(all[0].from_ms, -600_000);
    assert!(
        all.iter()
            .all(|i| i.until_ms.unwrap() > i.from_ms && i.until_ms.unwrap() <= -480_000)
    );
}

#[test]
fn trouble_hits_the_calls_it_says() {
    let trouble = Trouble {
        kind: TroubleKind::Hang,
        from_call: 3,
        calls: Some(2),
    };
    assert_eq!((1..=6).filter(|n| trouble.hits(*n)).collect::<Vec<_>>(), [3, 4]);
    let ever = Trouble {
        kind: TroubleKind::Hang,
        from_call: 2,
        calls: None,
    };
    assert!(!ever.hits(1) && ever.hits(2) && ever.hits(9_999));
}

#[test]
fn the_manual_lists_every_operation_and_no_other() {
    let manual = include_str!("../../../docs/lab.md");
    let told: Vec<&str> = manual
        .lines()
        .filter_map(|l| l.strip_prefix("| `")?.split('`').next())
        .collect();
    let known: Vec<&str> = OPS.iter().map(|op| op.name).collect();
    assert_eq!(told, known);
}
