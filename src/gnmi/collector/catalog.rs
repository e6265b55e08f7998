//! The catalog: every tool with its parameters, declared once. Schemas, checks and dispatch read it.
//!
//! The first ten are the contract's; their parameters must not change. The others follow one habit:
//! `device` or `devices`, and `fields` and `limit` where an answer may be long.

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// `get_devices`
    GetDevices,
    /// `get_device_profile_api`
    DeviceProfile,
    /// `get_system_info`
    SystemInfo,
    /// `get_interface_info`
    InterfaceInfo,
    /// `get_routing_info`
    RoutingInfo,
    /// `get_mpls_info`
    MplsInfo,
    /// `get_vpn_info`
    VpnInfo,
    /// `get_logs`
    Logs,
    /// `get_topology_neighbors`
    TopologyNeighbors,
    /// `get_network_topology_api`
    NetworkTopology,
    /// `gnmi_get`
    GnmiGet,
    /// `gnmi_get_many`
    GnmiGetMany,
    /// `gnmi_capabilities`
    GnmiCapabilities,
    /// `get_logs_many`
    GetLogsMany,
    /// `sample_counters`
    SampleCounters,
    /// `compare`
    Compare,
    /// `call_many`
    CallMany,
}

/// Type of a parameter, with its bounds and default.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Text that must not be empty.
    Name,
    /// Text or null; default null.
    OptionalText,
    /// true or false; default false.
    Flag,
    /// Whole number, text or null; default 5.
    Minutes,
    /// At least one text.
    Names,
    /// Texts or null; default null.
    OptionalNames,
    /// Whole number within bounds.
    Number {
        /// Least.
        low: u64,
        /// Most.
        high: u64,
        /// Where it is left out.
        default: u64,
    },
    /// Whole number within bounds, or null.
    OptionalNumber {
        /// Least.
        low: u64,
        /// Most.
        high: u64,
    },
    /// One of a few words.
    Choice {
        /// All of them.
        values: &'static [&'static str],
        /// Where it is left out.
        default: &'static str,
    },
    /// Any object; default empty.
    Object,
}

/// A parameter.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Name in the schema.
    pub name: &'static str,
    /// Type and default.
    pub kind: Kind,
    /// Must be given.
    pub required: bool,
    /// What it means, with an example where that helps.
    pub description: &'static str,
}

/// A tool's declaration.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Which tool.
    pub tool: Tool,
    /// Its name.
    pub name: &'static str,
    /// What it answers, and when to take it.
    pub description: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

const fn needed(name: &'static str, kind: Kind, description: &'static str) -> Parameter {
    Parameter {
        name,
        kind,
        required: true,
        description,
    }
}

const fn free(name: &'static str, kind: Kind, description: &'static str) -> Parameter {
    Parameter {
        name,
        kind,
        required: false,
        description,
    }
}

const DEVICE_NAME: Parameter = needed("device_name", Kind::Name, "Device name as in the inventory");
const DETAILS: Parameter = free(
    "include_details",
    Kind::Flag,
    "Add the structured data; false gives summaries only",
);
const DEVICE: Parameter = needed("device", Kind::Name, "Device name as in the inventory");
const DEVICES: Parameter = needed(
    "devices",
    Kind::Names,
    "Device names as in the inventory, asked in parallel; [\"*\"] means all",
);
const PATHS: Parameter = needed(
    "paths",
    Kind::Names,
    "gNMI paths, e.g. \"openconfig-interfaces:interfaces/interface[name=GigabitEthernet0/0/0/0]/state\"; \
     [key=*] matches any key",
);
const DATA_TYPE: Parameter = free(
    "type",
    Kind::Choice {
        values: &["all", "config", "state", "operational"],
        default: "all",
    },
    "Which part of the tree: configuration, state, or both",
);
const FIELDS: Parameter = free(
    "fields",
    Kind::OptionalNames,
    "Keep only nodes of these names (and list keys), e.g. [\"oper-status\", \"counters/in-errors\"]",
);
const LIMIT: Parameter = free(
    "limit",
    Kind::OptionalNumber {
        low: 1,
        high: 100_000,
    },
    "Keep at most so many entries of each list; metadata.truncated says what was cut",
);
const KEYWORDS: Parameter = free(
    "keywords",
    Kind::OptionalText,
    "Keep lines that contain this text, in any case; a|b keeps lines with either",
);
const MINUTES: Parameter = free(
    "minutes",
    Kind::Minutes,
    "Keep the last so many minutes by the device's clock",
);
const ALL_LOGS: Parameter = free("show_all_logs", Kind::Flag, "Keep lines of any age");

/// All tools, the contract's first.
pub const TOOLS: &[Spec] = &[
    Spec {
        tool: Tool::GetDevices,
        name: "get_devices",
        description: "List the devices of the inventory: name, address, port and operating system. Secrets are masked.",
        parameters: &[],
    },
    Spec {
        tool: Tool::DeviceProfile,
        name: "get_device_profile_api",
        description: "Role of a device in the provider network (PE, P, RR, CE or IGP-only), with the facts it follows \
                      from: MPLS, IS-IS, BGP L3VPN, route reflection, BGP in VRFs. Cheap; ask it before deciding what \
                      else to ask a device.",
        parameters: &[DEVICE_NAME],
    },
    Spec {
        tool: Tool::SystemInfo,
        name: "get_system_info",
        description: "System state of a device: hostname, software version, clock, boot time and uptime, memory, gRPC \
                      servers, logging, users.",
        parameters: &[DEVICE_NAME],
    },
    Spec {
        tool: Tool::InterfaceInfo,
        name: "get_interface_info",
        description: "Interfaces of a device: all with admin and oper status and address, or one with description, MTU \
                      and counters.",
        parameters: &[
            DEVICE_NAME,
            free(
                "interface",
                Kind::OptionalText,
                "Full interface name, e.g. GigabitEthernet0/0/0/0; without it all interfaces are listed in brief",
            ),
        ],
    },
    Spec {
        tool: Tool::RoutingInfo,
        name: "get_routing_info",
        description: "BGP and IS-IS of a device: sessions with state and prefixes, adjacencies, interfaces, segment \
                      routing. VRF sessions and adjacencies that are not up are included.",
        parameters: &[
            DEVICE_NAME,
            free(
                "protocol",
                Kind::OptionalText,
                "'bgp', 'isis' or 'bgp,isis'; without it both",
            ),
            DETAILS,
        ],
    },
    Spec {
        tool: Tool::MplsInfo,
        name: "get_mpls_info",
        description: "MPLS of a device: label blocks (SRGB, SRLB), enabled interfaces, global settings.",
        parameters: &[DEVICE_NAME, DETAILS],
    },
    Spec {
        tool: Tool::VpnInfo,
        name: "get_vpn_info",
        description: "VRFs of a device: route distinguisher, route targets, interfaces and protocols.",
        parameters: &[
            DEVICE_NAME,
            free(
                "vrf_name",
                Kind::OptionalText,
                "Exact VRF name; without it all VRFs",
            ),
            DETAILS,
        ],
    },
    Spec {
        tool: Tool::Logs,
        name: "get_logs",
        description: "Log lines of a device, newest last, filtered by age and text.",
        parameters: &[DEVICE_NAME, KEYWORDS, MINUTES, ALL_LOGS],
    },
    Spec {
        tool: Tool::TopologyNeighbors,
        name: "get_topology_neighbors",
        description: "Direct layer-3 neighbours of a device: interfaces, addresses and operational state at both ends.",
        parameters: &[DEVICE_NAME],
    },
    Spec {
        tool: Tool::NetworkTopology,
        name: "get_network_topology_api",
        description: "All direct layer-3 links between devices of the inventory, management excluded. Devices that do \
                      not answer are named in metadata, the rest of the topology is still given.",
        parameters: &[],
    },
    Spec {
        tool: Tool::GnmiGet,
        name: "gnmi_get",
        description: "Read gNMI paths of a device. data has one member per path as asked: the JSON subtree, or for a \
                      path with wildcards an object from concrete path to subtree. A path that fails is in \
                      metadata.path_errors, the others are still answered.",
        parameters: &[DEVICE, PATHS, DATA_TYPE, FIELDS, LIMIT],
    },
    Spec {
        tool: Tool::GnmiGetMany,
        name: "gnmi_get_many",
        description: "gnmi_get on several devices in parallel. data.devices has one gnmi_get answer per device.",
        parameters: &[DEVICES, PATHS, DATA_TYPE, FIELDS, LIMIT],
    },
    Spec {
        tool: Tool::GnmiCapabilities,
        name: "gnmi_capabilities",
        description: "Models with versions, encodings and gNMI version that a device offers, asked now.",
        parameters: &[
            DEVICE,
            free(
                "fields",
                Kind::OptionalNames,
                "Keep only models whose name contains one of these texts",
            ),
            LIMIT,
        ],
    },
    Spec {
        tool: Tool::GetLogsMany,
        name: "get_logs_many",
        description: "get_logs on several devices in parallel. data.devices has one get_logs answer per device.",
        parameters: &[
            DEVICES,
            KEYWORDS,
            MINUTES,
            ALL_LOGS,
            free(
                "limit",
                Kind::OptionalNumber {
                    low: 1,
                    high: 100_000,
                },
                "Keep at most so many newest lines per device",
            ),
        ],
    },
    Spec {
        tool: Tool::SampleCounters,
        name: "sample_counters",
        description: "Read interface counters twice and give differences and rates (bits and packets per second, errors, \
                      discards). The way to tell rising counters from old ones.",
        parameters: &[
            DEVICE,
            free(
                "interface",
                Kind::OptionalText,
                "Full interface name; without it all interfaces",
            ),
            free(
                "seconds",
                Kind::Number {
                    low: 1,
                    high: 300,
                    default: 5,
                },
                "Time between the two readings",
            ),
            FIELDS,
            LIMIT,
        ],
    },
    Spec {
        tool: Tool::Compare,
        name: "compare",
        description: "Read one path on several devices and list the leaves that differ, with the devices that hold each \
                      value and those in the minority.",
        parameters: &[
            DEVICES,
            needed("path", Kind::Name, "gNMI path, the same on every device"),
            DATA_TYPE,
            FIELDS,
            free(
                "limit",
                Kind::Number {
                    low: 1,
                    high: 100_000,
                    default: 200,
                },
                "List at most so many differences",
            ),
        ],
    },
    Spec {
        tool: Tool::CallMany,
        name: "call_many",
        description: "Call any tool about one device on several devices in parallel. data.devices has one answer of that \
                      tool per device.",
        parameters: &[
            needed("tool", Kind::Name, "Name of the tool, e.g. get_routing_info"),
            DEVICES,
            free(
                "arguments",
                Kind::Object,
                "The tool's other arguments, without the device",
            ),
        ],
    },
];

/// The tool of that name.
pub(super) fn find(name: &str) -> Option<&'static Spec> {
    TOOLS.iter().find(|spec| spec.name == name)
}
