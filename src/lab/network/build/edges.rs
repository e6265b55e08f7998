//! What lies beyond the network: customer routers in VRFs and transit peers, and the PE configuration that faces them.

use std::collections::BTreeMap;

use super::super::file::{NetworkError, VrfSpec};
use super::super::{CustomerEdge, DeviceId, End, address};
use super::router::HOLD_S;
use super::{Builder, EDGE_MTU};
use crate::lab::config::{Afi, AfiConfig, NeighborConfig, VrfConfig};

/// First customer AS.
const FIRST_CE_AS: u32 = 65_001;

impl Builder<'_> {
    pub(super) fn customers(&mut self) -> Result<(), NetworkError> {
        for vrf in &self.file.vrfs {
            for site in &vrf.sites {
                let pe = self.id(site, "[[vrf]] sites")?;
                self.site(vrf, pe);
            }
        }
        Ok(())
    }

    /// One customer router of a VRF, and the port, VRF and session of its PE.
    fn site(&mut self, vrf: &VrfSpec, pe: DeviceId) {
        let (pe_address, ce_address) = address::site(vrf.index, pe);
        let letter = vrf.name.rsplit('-').next().unwrap_or("x").to_ascii_lowercase();
        let name = format!("ce-{letter}-{}", pe + 1);
        let ce_as = FIRST_CE_AS + vrf.index - 1;
        let port = self.port(pe);
        let text = format!("{} customer port, {name}", vrf.name);
        let made = self.ethernet(pe, &port, &text, EDGE_MTU);
        made.address = Some((pe_address, 30));
        made.vrf = Some(vrf.name.clone());
        let target = format!("{}:{}", self.file.asn, vrf.index);
        let config = &mut self.configs[pe];
        let entry = config.vrfs.entry(vrf.name.clone()).or_insert_with(|| VrfConfig {
            rd: format!("{}:{}", config.loopback, vrf.index),
            import_targets: vec![target.clone()],
            export_targets: vec![target],
            redistribute_connected: true,
            neighbors: BTreeMap::new(),
        });
        let session = ebgp(ce_as, &name, "CUST-IN", "CUST-OUT", 100);
        entry.neighbors.insert(ce_address, session);
        self.edges.push(CustomerEdge {
            name,
            asn: ce_as,
            end: End {
                device: pe,
                interface: port,
            },
            vrf: Some(vrf.name.clone()),
            address: ce_address,
            pe_address,
            prefixes: vec![
                (address::site_lan(vrf.index, pe), 24),
                (address::shared_lan(vrf.index), 24),
            ],
        });
    }

    pub(super) fn transits(&mut self) -> Result<(), NetworkError> {
        for (n, transit) in self.file.transits.iter().enumerate() {
            let pe = self.id(&transit.pe, "[[transit]] pe")?;
            let (pe_address, address) = address::transit(n);
            let port = self.port(pe);
            self.ethernet(
                pe,
                &port,
                &format!("{} (AS {})", transit.name, transit.asn),
                EDGE_MTU,
            )
            .address = Some((pe_address, 31));
            if let Some(bgp) = &mut self.configs[pe].bgp {
                bgp.neighbors.insert(
                    address,
                    ebgp(transit.asn, &transit.name, "TRANSIT-IN", "TRANSIT-OUT", 1_000),
                );
            }
            self.edges.push(CustomerEdge {
                name: transit.name.clone(),
                asn: transit.asn,
                end: End {
                    device: pe,
                    interface: port,
                },
                vrf: None,
                address,
                pe_address,
                prefixes: address::transit_prefixes(n),
            });
        }
        Ok(())
    }
}

fn ebgp(remote_as: u32, name: &str, import: &str, export: &str, max_prefixes: u32) -> NeighborConfig {
    let afi = AfiConfig {
        rr_client: false,
        next_hop_self: false,
        import_policy: Some(import.to_string()),
        export_policy: Some(export.to_string()),
        max_prefixes: Some(max_prefixes),
    };
    NeighborConfig {
        remote_as,
        group: None,
        description: name.to_string(),
        password: None,
        shutdown: false,
        hold_s: HOLD_S,
        afis: BTreeMap::from([(Afi::Ipv4Unicast, afi)]),
    }
}
