//! `openconfig-system`: host name, banner, clock, boot, memory, CPU, processes, alarms, NTP, users and the
//! gNMI server itself. Log lines are not part of the tree; `lab::target` answers them as a command.

use super::tree::{Leaf, Writer};
use super::{Device, ns};
use crate::lab::state::{Alarm, NtpState, SystemState};

pub(super) fn write(w: &mut Writer<'_>, device: Device<'_>) {
    let system = &device.state.system;
    w.container("openconfig-system:system", |w| {
        w.pair(
            |w| {
                w.leaf("hostname", &system.hostname);
                if !system.login_banner.is_empty() {
                    w.leaf("login-banner", &system.login_banner);
                }
            },
            |w| {
                w.leaf("current-datetime", date_time(system.clock_ms));
                w.leaf("boot-time", ns(system.boot_ms));
                w.leaf("software-version", &system.software_version);
            },
        );
        w.container("clock", |w| w.pair(|w| w.leaf("timezone-name", "UTC"), |_| {}));
        w.container("memory", |w| {
            w.container("state", |w| {
                w.leaf("physical", system.memory_bytes);
                w.leaf("used", system.memory_used_bytes);
                w.leaf(
                    "free",
                    system.memory_bytes.saturating_sub(system.memory_used_bytes),
                );
            });
        });
        load(w, system);
        w.container("alarms", |w| system.alarms.iter().for_each(|item| alarm(w, item)));
        w.container("ntp", |w| ntp(w, &system.ntp));
        access(w, device);
    });
}

/// RFC 3339 with an offset, as `yang:date-and-time`.
fn date_time(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms)
        .map(|time| time.strftime("%Y-%m-%dT%H:%M:%S%.3f+00:00").to_string())
        .unwrap_or_default()
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a percentage, clamped"
)]
fn percent(value: f64) -> u8 {
    value.clamp(0.0, 100.0).round() as u8
}

fn load(w: &mut Writer<'_>, system: &SystemState) {
    w.container("cpus", |w| {
        w.entry("cpu", &[("index", Leaf::from("ALL"))], |w| {
            w.container("state", |w| {
                w.leaf("index", "ALL");
                w.container("total", |w| w.leaf("instant", percent(system.cpu_percent)));
            });
        });
    });
    w.container("processes", |w| {
        for process in &system.processes {
            w.entry("process", &[("pid", Leaf::Uint64(process.pid.into()))], |w| {
                w.container("state", |w| {
                    w.leaf("pid", u64::from(process.pid));
                    w.leaf("name", &process.name);
                    w.leaf("start-time", ns(process.start_ms));
                    w.leaf("cpu-utilization", percent(process.cpu_percent));
                    w.leaf("memory-usage", process.memory_bytes);
                    let share = process.memory_bytes.saturating_mul(100) / system.memory_bytes.max(1);
                    w.leaf("memory-utilization", u8::try_from(share).unwrap_or(100));
                });
            });
        }
    });
}

fn alarm(w: &mut Writer<'_>, alarm: &Alarm) {
    let severity = match alarm.severity {
        "critical" => "openconfig-alarm-types:CRITICAL",
        "major" => "openconfig-alarm-types:MAJOR",
        "minor" => "openconfig-alarm-types:MINOR",
        "warning" => "openconfig-alarm-types:WARNING",
        _ => "openconfig-alarm-types:UNKNOWN",
    };
    w.entry("alarm", &[("id", Leaf::from(&alarm.id))], |w| {
        w.container("state", |w| {
            w.leaf("id", &alarm.id);
            w.leaf("resource", &alarm.resource);
            w.leaf("text", &alarm.text);
            w.leaf("time-created", ns(alarm.since_ms));
            w.leaf("severity", Leaf::Ident(severity));
        });
    });
}

fn ntp(w: &mut Writer<'_>, ntp: &NtpState) {
    w.pair(
        |w| w.leaf("enabled", ntp.enabled),
        |w| {
            w.leaf("noctui-lab:synchronised", ntp.synchronised);
            w.leaf("noctui-lab:stratum", ntp.stratum);
            w.leaf("noctui-lab:offset-ms", Leaf::Float(ntp.offset_ms));
        },
    );
    w.container("servers", |w| {
        for server in &ntp.servers {
            w.entry("server", &[("address", Leaf::from(&server.address))], |w| {
                w.pair(
                    |w| {
                        w.leaf("address", &server.address);
                        w.leaf("association-type", "SERVER");
                    },
                    |w| {
                        w.leaf("stratum", server.stratum);
                        #[allow(clippy::cast_possible_truncation, reason = "milliseconds, far below i64")]
                        w.leaf("offset", server.offset_ms.round() as i64);
                        w.leaf("noctui-lab:selected", server.selected);
                        w.leaf("noctui-lab:reachable", server.reachable);
                    },
                );
            });
        }
    });
}

/// What a router says about its own management: console logging, users and the gNMI server.
fn access(w: &mut Writer<'_>, device: Device<'_>) {
    let exposure = device.exposure;
    w.container("logging", |w| {
        w.container("console", |w| {
            w.container("selectors", |w| {
                let facility = Leaf::Ident("openconfig-system-logging:ALL");
                let severity = Leaf::from("DEBUG");
                w.entry(
                    "selector",
                    &[("facility", facility.clone()), ("severity", severity.clone())],
                    |w| {
                        w.pair(
                            |w| {
                                w.leaf("facility", facility.clone());
                                w.leaf("severity", severity.clone());
                            },
                            |_| {},
                        );
                    },
                );
            });
        });
    });
    w.container("aaa", |w| {
        w.container("authentication", |w| {
            w.container("users", |w| {
                w.entry("user", &[("username", Leaf::from(&exposure.username))], |w| {
                    w.pair(
                        |w| {
                            w.leaf("username", &exposure.username);
                            w.leaf("role", "root-lr");
                        },
                        |_| {},
                    );
                });
            });
        });
    });
    w.container("openconfig-system-grpc:grpc-servers", |w| {
        w.entry("grpc-server", &[("name", Leaf::from("DEFAULT"))], |w| {
            w.pair(
                |w| {
                    w.leaf("name", "DEFAULT");
                    w.leaf("enable", true);
                    w.leaf("port", exposure.port);
                    w.leaf("transport-security", exposure.transport_security);
                    w.leaf("listen-addresses", Leaf::list(["ANY"]));
                },
                |_| {},
            );
        });
    });
}
