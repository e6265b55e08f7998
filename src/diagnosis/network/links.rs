//! Which interface faces which: from shared subnets, from descriptions, and from what tools stated.

use std::collections::BTreeMap;

use super::{DeviceFacts, InterfaceKind};

/// Device and interface.
pub type End = (String, String);

/// Two ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// First end.
    pub a: End,
    /// Second end.
    pub b: End,
}

/// Ends by their opposite.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkMap {
    far: BTreeMap<End, End>,
}

impl LinkMap {
    /// Puts together what is known of the devices.
    pub fn of<'a>(devices: impl Iterator<Item = &'a DeviceFacts>, stated: &[Link]) -> Self {
        let mut map = LinkMap::default();
        let devices: Vec<&DeviceFacts> = devices.collect();
        for link in stated {
            map.join(link.a.clone(), link.b.clone());
        }
        let mut subnets: BTreeMap<(String, (u32, u8)), Vec<End>> = BTreeMap::new();
        for device in &devices {
            for interface in device.interfaces.values() {
                if matches!(
                    interface.kind,
                    InterfaceKind::Loopback | InterfaceKind::Management | InterfaceKind::Virtual
                ) {
                    continue;
                }
                let vrf = interface.vrf.as_ref().map_or(String::new(), |v| v.value.clone());
                for address in interface.addresses.iter().filter(|a| a.value.length < 32) {
                    let key = (vrf.clone(), address.value.network());
                    subnets
                        .entry(key)
                        .or_default()
                        .push((device.name.clone(), interface.name.clone()));
                }
            }
        }
        for ends in subnets.values() {
            if let [a, b] = ends.as_slice()
                && a.0 != b.0
            {
                map.join(a.clone(), b.clone());
            }
        }
        for device in &devices {
            for interface in device.interfaces.values() {
                if let Some(far) = described(interface.text(), &devices)
                    && far.0 != device.name
                {
                    map.join((device.name.clone(), interface.name.clone()), far);
                }
            }
        }
        map
    }

    fn join(&mut self, a: End, b: End) {
        if !self.far.contains_key(&a) && !self.far.contains_key(&b) {
            self.far.insert(a.clone(), b.clone());
            self.far.insert(b, a);
        }
    }

    /// The end opposite to this one.
    pub fn far(&self, device: &str, interface: &str) -> Option<&End> {
        self.far.get(&(device.to_owned(), interface.to_owned()))
    }

    /// Every link once, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&End, &End)> {
        self.far.iter().filter(|(a, b)| a < b)
    }

    /// Links of a device: its interface and the far end.
    pub fn of_device<'a>(&'a self, device: &'a str) -> impl Iterator<Item = (&'a str, &'a End)> {
        self.far
            .iter()
            .filter(move |(a, _)| a.0 == device)
            .map(|(a, b)| (a.1.as_str(), b))
    }
}

/// The far end a description names: a known device followed by one of its interfaces.
fn described(text: &str, devices: &[&DeviceFacts]) -> Option<End> {
    let words: Vec<&str> = text
        .split([' ', ',', ';', ':', '(', ')'])
        .filter(|w| !w.is_empty())
        .collect();
    words.windows(2).find_map(|pair| {
        let device = devices.iter().find(|d| d.name == pair[0])?;
        let interface = device.interfaces.get(pair[1])?;
        Some((device.name.clone(), interface.name.clone()))
    })
}
