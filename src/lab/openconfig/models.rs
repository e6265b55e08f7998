//! The models the lab's targets support, as Capabilities lists them. Nothing is rendered here.

/// One model of Capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Model {
    pub name: &'static str,
    pub organization: &'static str,
    pub version: &'static str,
}

const fn openconfig(name: &'static str, version: &'static str) -> Model {
    Model {
        name,
        organization: "OpenConfig working group",
        version,
    }
}

/// Names and versions as published; versions are those of an IOS-XR 24.x release or the nearest model
/// that holds every leaf the lab renders.
pub const MODELS: &[Model] = &[
    openconfig("openconfig-system", "0.17.1"),
    openconfig("openconfig-system-grpc", "1.0.0"),
    openconfig("openconfig-alarms", "0.3.2"),
    openconfig("openconfig-platform", "0.24.0"),
    openconfig("openconfig-interfaces", "3.0.0"),
    openconfig("openconfig-if-ethernet", "2.12.2"),
    openconfig("openconfig-if-aggregate", "2.4.4"),
    openconfig("openconfig-if-ip", "3.1.1"),
    openconfig("openconfig-lacp", "1.2.0"),
    openconfig("openconfig-network-instance", "1.3.0"),
    openconfig("openconfig-bgp", "9.3.0"),
    openconfig("openconfig-rib-bgp", "0.9.0"),
    openconfig("openconfig-isis", "1.1.0"),
    openconfig("openconfig-mpls", "3.2.2"),
    openconfig("openconfig-segment-routing", "0.4.0"),
    openconfig("openconfig-aft", "2.3.0"),
    openconfig("openconfig-routing-policy", "3.4.0"),
    Model {
        name: "noctui-lab",
        organization: "Noctui",
        version: "1.0.0",
    },
];
