//! Every fault type on networks of several sizes: the cause is found, at its place, and nothing else.

use super::bench::{EPOCH_MS, run};

/// Name, size, faults, devices asked about, the causes there must be.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const ROWS: &[Row] = &[
    (
        "admin down",
        "S",
        "[[fault]]\nat_s=-600\nop='interface.enabled'\ndevice='xrd-3'\ninterface='GigabitEthernet0/0/0/0'\nvalue=false",
        &["xrd-1"],
        &["link_admin_down interface/xrd-3/GigabitEthernet0/0/0/0"],
    ),
    (
        "carrier loss",
        "S",
        "[[fault]]\nat_s=-600\nop='link.carrier_loss'\ndevice='xrd-5'\ninterface='GigabitEthernet0/0/0/1'",
        &[],
        &["link_down link/xrd-3:GigabitEthernet0/0/0/3--xrd-5:GigabitEthernet0/0/0/1"],
    ),
    (
        "carrier loss at a customer",
        "S",
        "[[fault]]\nat_s=-600\nop='link.carrier_loss'\ndevice='xrd-1'\ninterface='GigabitEthernet0/0/0/2'",
        &["xrd-1"],
        &["link_down interface/xrd-1/GigabitEthernet0/0/0/2"],
    ),
    (
        "bit errors",
        "S",
        "[[fault]]\nat_s=-900\nop='link.bit_errors'\ndevice='xrd-4'\ninterface='GigabitEthernet0/0/0/0'\nrate=20.0",
        &["xrd-4"],
        &["fcs_errors interface/xrd-4/GigabitEthernet0/0/0/0"],
    ),
    (
        "congestion",
        "S",
        "[[fault]]\nat_s=-900\nop='link.congestion'\ndevice='xrd-1'\ninterface='GigabitEthernet0/0/0/0'\nrate=300.0",
        &["xrd-1"],
        &["congestion_drops interface/xrd-1/GigabitEthernet0/0/0/0"],
    ),
    (
        "flap train",
        "S",
        "[[fault]]\nat_s=-1800\nop='link.flap_train'\ndevice='xrd-2'\ninterface='GigabitEthernet0/0/0/0'\ncount=6\nwindow_s=300",
        &["xrd-2"],
        &["link_flap link/xrd-2:GigabitEthernet0/0/0/0--xrd-4:GigabitEthernet0/0/0/0"],
    ),
    (
        "mtu mismatch",
        "S",
        "[[fault]]\nat_s=-600\nop='interface.mtu'\ndevice='xrd-3'\ninterface='GigabitEthernet0/0/0/3'\nvalue=1514",
        &["xrd-5"],
        &["mtu_mismatch link/xrd-3:GigabitEthernet0/0/0/3--xrd-5:GigabitEthernet0/0/0/1"],
    ),
    (
        "mtu black hole",
        "S",
        "[[fault]]\nat_s=-600\nop='interface.mtu'\ndevice='xrd-1'\ninterface='GigabitEthernet0/0/0/0'\nvalue=1514\n[[fault]]\nat_s=-600\nop='isis.hello_padding'\ndevice='xrd-1'\ninterface='GigabitEthernet0/0/0/0'\nvalue=false\n[[fault]]\nat_s=-600\nop='isis.hello_padding'\ndevice='xrd-3'\ninterface='GigabitEthernet0/0/0/0'\nvalue=false",
        &["xrd-1"],
        &["mtu_blackhole link/xrd-1:GigabitEthernet0/0/0/0--xrd-3:GigabitEthernet0/0/0/0"],
    ),
    (
        "member down",
        "S",
        "[[fault]]\nat_s=-600\nop='link.carrier_loss'\ndevice='xrd-3'\ninterface='GigabitEthernet0/0/0/1'",
        &["xrd-3"],
        &["lag_member_down link/xrd-3:GigabitEthernet0/0/0/1--xrd-4:GigabitEthernet0/0/0/1"],
    ),
    (
        "isis auth",
        "S",
        "[[fault]]\nat_s=-600\nop='isis.auth'\ndevice='xrd-5'\ninterface='GigabitEthernet0/0/0/2'\nvalue='other'",
        &["xrd-5"],
        &["isis_auth_mismatch link/xrd-5:GigabitEthernet0/0/0/2--xrd-6:GigabitEthernet0/0/0/2"],
    ),
    (
        "isis level",
        "S",
        "[[fault]]\nat_s=-600\nop='isis.level'\ndevice='xrd-6'\ninterface='GigabitEthernet0/0/0/0'\nvalue=1",
        &["xrd-2"],
        &["isis_level_mismatch interface/xrd-6/GigabitEthernet0/0/0/0"],
    ),
    (
        "isis level of a process",
        "S",
        "[[fault]]\nat_s=-600\nop='isis.level'\ndevice='xrd-6'\nvalue=1",
        &["xrd-6"],
        &["isis_level_mismatch node/xrd-6"],
    ),
    (
        "isis auth of a process",
        "S",
        "[[fault]]\nat_s=-600\nop='isis.auth'\ndevice='xrd-4'\nvalue='x'",
        &["xrd-2"],
        &["isis_auth_mismatch node/xrd-4"],
    ),
    (
        "system id twice",
        "S",
        "[[fault]]\nat_s=-600\nop='isis.net'\ndevice='xrd-6'\nvalue='49.0001.1001.0010.0105.00'",
        &["xrd-2"],
        &["isis_duplicate_system_id node/xrd-6"],
    ),
    (
        "overload",
        "S",
        "[[fault]]\nat_s=-600\nop='isis.overload'\ndevice='xrd-3'\nvalue=true",
        &["xrd-1"],
        &["isis_overload_stuck node/xrd-3"],
    ),
    (
        "passive",
        "S",
        "[[fault]]\nat_s=-600\nop='isis.passive'\ndevice='xrd-4'\ninterface='Bundle-Ether34'\nvalue=true",
        &["xrd-4"],
        &["isis_passive_interface interface/xrd-4/Bundle-Ether34"],
    ),
    (
        "metric",
        "S",
        "[[fault]]\nat_s=-600\nop='isis.metric'\ndevice='xrd-4'\ninterface='GigabitEthernet0/0/0/0'\nvalue=1000",
        &["xrd-4"],
        &["isis_metric_misconfig interface/xrd-4/GigabitEthernet0/0/0/0"],
    ),
    (
        "metric of a link that is dearer by design",
        "M",
        "[[fault]]\nat_s=-600\nop='isis.metric'\ndevice='xrd-16'\ninterface='GigabitEthernet0/0/0/0'\nvalue=1",
        &["xrd-16"],
        &["isis_metric_misconfig interface/xrd-16/GigabitEthernet0/0/0/0"],
    ),
    (
        "loopback",
        "S",
        "[[fault]]\nat_s=-600\nop='isis.loopback_advertised'\ndevice='xrd-1'\nvalue=false",
        &["xrd-1"],
        &["loopback_not_advertised node/xrd-1"],
    ),
    (
        "srgb",
        "S",
        "[[fault]]\nat_s=-600\nop='sr.srgb'\ndevice='xrd-4'\nvalue=[20000,27999]",
        &["xrd-4"],
        &["srgb_mismatch node/xrd-4"],
    ),
    (
        "prefix sid twice",
        "S",
        "[[fault]]\nat_s=-600\nop='sr.prefix_sid'\ndevice='xrd-5'\nvalue=3",
        &["xrd-5"],
        &["prefix_sid_duplicate node/xrd-5"],
    ),
    (
        "prefix sid missing",
        "S",
        "[[fault]]\nat_s=-600\nop='sr.prefix_sid'\ndevice='xrd-2'\nvalue='none'",
        &["xrd-2"],
        &["prefix_sid_missing node/xrd-2"],
    ),
    (
        "sid outside",
        "S",
        "[[fault]]\nat_s=-600\nop='sr.prefix_sid'\ndevice='xrd-2'\nvalue=9000",
        &["xrd-2"],
        &["sid_out_of_srgb node/xrd-2"],
    ),
    (
        "sr off",
        "S",
        "[[fault]]\nat_s=-600\nop='sr.enabled'\ndevice='xrd-6'\nvalue=false",
        &["xrd-6"],
        &["sr_disabled node/xrd-6"],
    ),
    (
        "mpls off",
        "S",
        "[[fault]]\nat_s=-600\nop='mpls.interface'\ndevice='xrd-3'\ninterface='GigabitEthernet0/0/0/3'\nvalue=false",
        &["xrd-3"],
        &["mpls_disabled_interface interface/xrd-3/GigabitEthernet0/0/0/3"],
    ),
    (
        "srgb pending",
        "S",
        "[[fault]]\nat_s=-600\nop='sr.srgb_pending'\ndevice='xrd-3'",
        &["xrd-3"],
        &["srgb_alloc_pending node/xrd-3"],
    ),
    (
        "remote as",
        "S",
        "[[fault]]\nat_s=-600\nop='bgp.neighbor.remote_as'\ndevice='xrd-1'\nneighbor='100.100.100.107'\nvalue=65001",
        &["xrd-1"],
        &["bgp_remote_as_wrong session/xrd-1--100.100.100.107"],
    ),
    (
        "password",
        "S",
        "[[fault]]\nat_s=-600\nop='bgp.neighbor.password'\ndevice='xrd-2'\nneighbor='100.100.100.108'\nvalue='wrong'",
        &["xrd-2"],
        &["bgp_auth_mismatch session/xrd-2--100.100.100.108"],
    ),
    (
        "no password",
        "S",
        "[[fault]]\nat_s=-600\nop='bgp.neighbor.password'\ndevice='xrd-7'\nneighbor='100.100.100.101'\nvalue=''",
        &["xrd-1"],
        &["bgp_auth_mismatch session/xrd-7--100.100.100.101"],
    ),
    (
        "shut",
        "S",
        "[[fault]]\nat_s=-600\nop='bgp.neighbor.shutdown'\ndevice='xrd-8'\nneighbor='100.100.100.102'\nvalue=true",
        &["xrd-2"],
        &["bgp_admin_shutdown session/xrd-8--100.100.100.102"],
    ),
    (
        "max prefix",
        "S",
        "[[fault]]\nat_s=-600\nop='edge.prefixes'\ndevice='xrd-1'\nneighbor='172.16.1.2'\nvrf='CUST-A'\ncount=500",
        &["xrd-1"],
        &["bgp_max_prefix session/xrd-1--172.16.1.2"],
    ),
    (
        "client flag",
        "S",
        "[[fault]]\nat_s=-600\nop='bgp.neighbor.rr_client'\ndevice='xrd-7'\nneighbor='100.100.100.102'\nvalue=false",
        &["xrd-7"],
        &["rr_client_flag_missing session/xrd-7--100.100.100.102"],
    ),
    (
        "family",
        "S",
        "[[fault]]\nat_s=-600\nop='bgp.neighbor.afi'\ndevice='xrd-1'\nneighbor='100.100.100.107'\nafi='vpnv4'\nvalue=false",
        &["xrd-1"],
        &["afi_not_active session/xrd-1--100.100.100.107"],
    ),
    (
        "policy",
        "S",
        "[[fault]]\nat_s=-600\nop='bgp.neighbor.import_policy'\ndevice='xrd-1'\nneighbor='100.100.100.108'\nvalue='DROP-ALL'",
        &["xrd-1"],
        &["import_policy_drops_all session/xrd-1--100.100.100.108"],
    ),
    (
        "next hop",
        "S",
        "[[fault]]\nat_s=-600\nop='bgp.neighbor.next_hop_self'\ndevice='xrd-1'\nneighbor='100.100.100.107'\nvalue=false",
        &["xrd-1"],
        &["next_hop_unreachable session/xrd-1--100.100.100.107"],
    ),
    (
        "session flap",
        "S",
        "[[fault]]\nat_s=-1500\nop='bgp.session_flap'\ndevice='xrd-2'\nneighbor='100.100.100.107'\ncount=4\nwindow_s=900",
        &["xrd-2"],
        &["bgp_flap_holdtimer session/xrd-2--100.100.100.107"],
    ),
    (
        "rt import",
        "S",
        "[[fault]]\nat_s=-600\nop='vrf.import_rt'\ndevice='xrd-2'\nvrf='CUST-B'\nvalue=[]",
        &["xrd-2"],
        &["rt_import_missing vrf/xrd-2/CUST-B"],
    ),
    (
        "rt export",
        "S",
        "[[fault]]\nat_s=-600\nop='vrf.export_rt'\ndevice='xrd-1'\nvrf='CUST-C'\nvalue=['100:999']",
        &["xrd-1"],
        &["rt_export_mismatch vrf/xrd-1/CUST-C"],
    ),
    (
        "rd twice",
        "S",
        "[[fault]]\nat_s=-600\nop='vrf.rd'\ndevice='xrd-2'\nvrf='CUST-D'\nvalue='100.100.100.101:4'",
        &["xrd-2"],
        &["rd_duplicate vrf/xrd-2/CUST-D"],
    ),
    (
        "rd twice on one router",
        "S",
        "[[fault]]\nat_s=-600\nop='vrf.rd'\ndevice='xrd-2'\nvrf='CUST-D'\nvalue='100.100.100.102:5'",
        &["xrd-2"],
        &["rd_duplicate vrf/xrd-2/CUST-D"],
    ),
    (
        "wrong vrf",
        "S",
        "[[fault]]\nat_s=-600\nop='interface.vrf'\ndevice='xrd-1'\ninterface='GigabitEthernet0/0/0/2'\nvalue='CUST-B'",
        &["xrd-1"],
        &["vrf_wrong_interface interface/xrd-1/GigabitEthernet0/0/0/2"],
    ),
    (
        "customer down",
        "S",
        "[[fault]]\nat_s=-600\nop='edge.down'\ndevice='xrd-2'\nneighbor='172.17.2.2'\nvrf='CUST-B'",
        &["xrd-2"],
        &["pe_ce_bgp_down session/xrd-2--172.17.2.2"],
    ),
    (
        "connected",
        "S",
        "[[fault]]\nat_s=-600\nop='vrf.redistribute_connected'\ndevice='xrd-1'\nvrf='CUST-E'\nvalue=false",
        &["xrd-1"],
        &["redistribute_connected_missing vrf/xrd-1/CUST-E"],
    ),
    (
        "leak",
        "S",
        "[[fault]]\nat_s=-600\nop='vrf.import_rt'\ndevice='xrd-1'\nvrf='CUST-E'\nvalue=['100:5','100:1']",
        &["xrd-1"],
        &["rt_leak vrf/xrd-1/CUST-E"],
    ),
    (
        "management",
        "S",
        "[[fault]]\nat_s=-600\nop='node.management_down'\ndevice='xrd-5'",
        &["xrd-5"],
        &["mgmt_unreachable node/xrd-5"],
    ),
    (
        "node down",
        "S",
        "[[fault]]\nat_s=-600\nop='node.down'\ndevice='xrd-6'",
        &["xrd-6"],
        &["node_down node/xrd-6"],
    ),
    (
        "clock",
        "S",
        "[[fault]]\nat_s=-600\nop='node.clock_skew'\ndevice='xrd-4'\nvalue=420",
        &["xrd-4"],
        &["clock_skew node/xrd-4"],
    ),
    (
        "reload",
        "S",
        "[[fault]]\nat_s=-1500\nop='node.reload'\ndevice='xrd-3'",
        &["xrd-3"],
        &["unexpected_reload node/xrd-3"],
    ),
    (
        "inconsistency",
        "S",
        "[[fault]]\nat_s=-600\nop='node.config_inconsistency'\ndevice='xrd-3'",
        &["xrd-3"],
        &["config_inconsistency node/xrd-3"],
    ),
    (
        "hog",
        "S",
        "[[fault]]\nat_s=-600\nop='node.process_hog'\ndevice='xrd-7'",
        &["xrd-7"],
        &["process_hog node/xrd-7"],
    ),
    (
        "two: link and import",
        "S",
        "[[fault]]\nat_s=-600\nop='link.carrier_loss'\ndevice='xrd-1'\ninterface='GigabitEthernet0/0/0/1'\n[[fault]]\nat_s=-600\nop='vrf.import_rt'\ndevice='xrd-2'\nvrf='CUST-A'\nvalue=['100:99']",
        &[],
        &[
            "link_down link/xrd-1:GigabitEthernet0/0/0/1--xrd-5:GigabitEthernet0/0/0/0",
            "rt_import_missing vrf/xrd-2/CUST-A",
        ],
    ),
    (
        "two: srgb and errors",
        "S",
        "[[fault]]\nat_s=-600\nop='sr.srgb'\ndevice='xrd-5'\nvalue=[17000,24999]\n[[fault]]\nat_s=-600\nop='link.bit_errors'\ndevice='xrd-6'\ninterface='GigabitEthernet0/0/0/1'\nrate=5.0",
        &[],
        &[
            "fcs_errors interface/xrd-6/GigabitEthernet0/0/0/1",
            "srgb_mismatch node/xrd-5",
        ],
    ),
    ("healthy S", "S", "", &[], &[]),
    ("healthy M", "M", "", &[], &[]),
    (
        "planned drain",
        "S",
        "[[fault]]\nat_s=-3000\nop='isis.overload'\ndevice='xrd-4'\nvalue=true\n[[fault]]\nat_s=-3000\nop='interface.description'\ndevice='xrd-4'\ninterface='Bundle-Ether34'\nvalue='to xrd-3 Bundle-Ether34 - drained for maintenance CHG-4711'",
        &["xrd-4"],
        &[],
    ),
];

#[test]
fn every_fault_is_found_and_nothing_else() {
    let mut wrong = Vec::new();
    for (name, size, faults, targets, wanted) in ROWS {
        let case = run(size, faults, targets);
        case.check_citations();
        let got = case.causes();
        let mut wanted: Vec<String> = wanted.iter().map(|w| (*w).to_owned()).collect();
        wanted.sort();
        if got != wanted {
            wrong.push(format!(
                "{name}\n  wanted {wanted:?}\n  got    {got:?}\n  because {:#?}",
                case.verdict
                    .causes
                    .iter()
                    .map(|c| &c.statement)
                    .collect::<Vec<_>>()
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} at {EPOCH_MS}:\n{}",
        wrong.len(),
        ROWS.len(),
        wrong.join("\n")
    );
}
