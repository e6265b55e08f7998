//! The networks: what a file may say, and what is refused.

use super::*;
use std::collections::HashSet;

#[test]
fn built_in_sizes_are_as_published() {
    for (name, devices, pe, rr) in [("sp-s", 8, 2, 2), ("sp-m", 24, 8, 2), ("sp-l", 96, 40, 4)] {
        let network = builtin(name).unwrap();
        assert_eq!(network.devices.len(), devices, "{name}");
        let count = |role| network.devices.iter().filter(|d| d.role == role).count();
        assert_eq!((count(Role::Pe), count(Role::Rr)), (pe, rr), "{name}");
        assert!(
            network
                .links
                .iter()
                .any(|l| l.a.interface.starts_with("Bundle-Ether")),
            "{name} has no bundle"
        );
    }
}

#[test]
fn reflectors_of_the_small_network_have_the_published_loopbacks() {
    let network = builtin("S").unwrap();
    let lo = |n: &str| {
        network.devices[network.id(n).unwrap()]
            .config
            .loopback
            .to_string()
    };
    assert_eq!(
        (lo("xrd-7").as_str(), lo("xrd-8").as_str()),
        ("100.100.100.107", "100.100.100.108")
    );
    assert_eq!(network.devices[0].config.sr.srgb, (16_000, 23_999));
}

#[test]
fn files_of_m_and_l_are_the_generator_written_out() {
    for (n, text) in [
        (24, include_str!("../../../config/lab/sp-m.toml")),
        (96, include_str!("../../../config/lab/sp-l.toml")),
    ] {
        assert_eq!(
            NetworkFile::parse(text, "file").unwrap(),
            generate(n),
            "{n} devices"
        );
    }
}

#[test]
fn addresses_are_unique_and_no_single_link_or_core_node_partitions() {
    for file in [8, 24, 96, 1_000] {
        let network = if file == 8 {
            builtin("S").unwrap()
        } else {
            build(&generate(file)).unwrap()
        };
        let mut seen = HashSet::new();
        for device in &network.devices {
            for interface in &device.config.interfaces {
                if let Some((address, _)) = interface.address {
                    assert!(
                        seen.insert((interface.vrf.clone(), address)),
                        "{address} twice in {file}"
                    );
                }
            }
        }
        for cut in 0..network.links.len().min(120) {
            assert!(
                connected(&network, |n, _| n != cut),
                "{file}: link {cut} partitions"
            );
        }
    }
}

fn connected(network: &Network, keep: impl Fn(usize, &Link) -> bool) -> bool {
    let mut near = vec![Vec::new(); network.devices.len()];
    for (n, link) in network.links.iter().enumerate() {
        if keep(n, link) {
            near[link.a.device].push(link.b.device);
            near[link.b.device].push(link.a.device);
        }
    }
    let (mut seen, mut todo) = (HashSet::from([0]), vec![0]);
    while let Some(at) = todo.pop() {
        for &next in &near[at] {
            if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    seen.len() == network.devices.len()
}

#[test]
fn errors_name_the_file_and_the_next_step() {
    let error = NetworkFile::parse("name = 3", "x.toml").unwrap_err().to_string();
    assert!(error.contains("x.toml") && error.lines().count() == 2, "{error}");
    let mut file = generate(12);
    file.links[0].a = "nope".into();
    let error = build(&file).unwrap_err().to_string();
    assert!(
        error.contains("\"nope\"") && error.contains("[[link]]"),
        "{error}"
    );
    assert!(
        builtin("XL")
            .unwrap_err()
            .to_string()
            .contains("sp-s, sp-m, sp-l")
    );
}
