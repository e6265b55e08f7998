//! `get_system_info`: hostname, version, clock, boot time, memory, servers, logging, users.

use super::bgp::nanoseconds;
use super::envelope::Envelope;
use super::routing::fetch;
use crate::gnmi::client::lookup::{at, either, list, number, text};
use crate::gnmi::client::{Error, Kind, Session};
use crate::proto::path::parse;
use serde_json::{Value, json};

const OPERATION: &str = "system_info";
const PATH: &str = "openconfig-system:/system";
const MODEL: (&str, &str) = ("openconfig-system", "0.17.1");

pub(super) async fn collect(session: &Session) -> Envelope {
    let device = session.device();
    let answer = match fetch(session, MODEL, &[PATH]).await {
        Ok(answer) => answer,
        Err(error) => return Envelope::failed_or_absent(device, OPERATION, "system", &error),
    };
    let asked = parse(PATH).unwrap_or_default();
    let Some(found) = answer.select(&asked).into_iter().next() else {
        let error = Error {
            kind: Kind::NotFound,
            message: "The device answered without a system tree".into(),
            code: None,
        };
        return Envelope::failed_or_absent(device, OPERATION, "system", &error);
    };
    let data = json!({ "system_data": interpret(&found.value), "summary": {} });
    Envelope::success(device, OPERATION, data, json!({})).with_warnings(&answer.warnings)
}

fn interpret(system: &Value) -> Value {
    let leaf = |name: &str| either(system, name).cloned();
    let clock = text(system, "state/current-datetime");
    let boot = number(system, "state/boot-time").map(nanoseconds);
    let memory = at(system, "memory").and_then(|m| either(m, "physical"));
    json!({
        "hostname": leaf("hostname"),
        "current_datetime": clock,
        "software_version": leaf("software-version"),
        "timezone": at(system, "clock").and_then(|c| either(c, "timezone-name")),
        "memory_physical": memory.map(super::bgp::show),
        "grpc_servers": list(system, "grpc-servers/grpc-server").iter().map(grpc_server).collect::<Vec<_>>(),
        "logging": logging(system),
        "message": message(system),
        "users": list(system, "aaa/authentication/users/user").iter().map(user).collect::<Vec<_>>(),
        "boot_time": text(system, "state/boot-time"),
        "boot_time_human": boot.and_then(human),
        "uptime": uptime(clock.as_deref(), boot),
    })
}

fn grpc_server(server: &Value) -> Value {
    let leaf = |name: &str| either(server, name).cloned();
    json!({
        "name": text(server, "name").map_or_else(|| leaf("name"), |n| Some(json!(n))),
        "enable": leaf("enable"),
        "port": leaf("port"),
        "transport_security": leaf("transport-security"),
        "listen_addresses": leaf("listen-addresses").unwrap_or_else(|| json!([])),
    })
}

fn logging(system: &Value) -> Vec<Value> {
    let selectors = ["console", "remote-servers/remote-server"]
        .into_iter()
        .flat_map(|place| match at(system, &format!("logging/{place}")) {
            Some(Value::Array(servers)) => servers.iter().collect::<Vec<_>>(),
            Some(node) => vec![node],
            None => Vec::new(),
        })
        .flat_map(|node| list(node, "selectors/selector"));
    selectors
        .map(|s| {
            let leaf = |name: &str| either(s, name).cloned().or_else(|| at(s, name).cloned());
            json!({ "severity": leaf("severity"), "facility": leaf("facility") })
        })
        .collect()
}

/// The last system message, when the device keeps one.
fn message(system: &Value) -> Value {
    let Some(state) = at(system, "messages/state/message") else {
        return json!({});
    };
    let mut out = json!({});
    for (name, leaf) in [
        ("msg", "msg"),
        ("priority", "priority"),
        ("app_name", "app-name"),
        ("procid", "procid"),
    ] {
        if let Some(value) = at(state, leaf) {
            out[name] = value.clone();
        }
    }
    out
}

fn user(user: &Value) -> Value {
    json!({
        "username": text(user, "username").or_else(|| text(user, "state/username")),
        "role": either(user, "role").map(|r| json!(crate::proto::path::local_name(&super::bgp::show(r)))),
    })
}

fn human(boot_ns: i64) -> Option<String> {
    let time = jiff::Timestamp::from_nanosecond(i128::from(boot_ns)).ok()?;
    Some(time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}

/// Time from boot to the device's own clock; its clock may be wrong, but then both are.
fn uptime(clock: Option<&str>, boot_ns: Option<i64>) -> Option<String> {
    let now: jiff::Timestamp = clock?.parse().ok()?;
    // The clock is told in whole seconds; the boot time is cut to the same.
    let seconds = u64::try_from(now.as_second() - boot_ns? / 1_000_000_000).ok()?;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    Some(format!("{days}d {hours}h {minutes}m {}s", seconds % 60))
}

/// The device's clock as a timestamp, for readers that compare it with log lines.
pub(super) async fn device_clock(session: &Session) -> Result<jiff::Timestamp, Error> {
    const CLOCK: &str = "openconfig-system:/system/state/current-datetime";
    let absent = || Error {
        kind: Kind::NotFound,
        message: "The device does not tell its time".into(),
        code: None,
    };
    let answer = fetch(session, MODEL, &[CLOCK]).await?;
    let value = parse(CLOCK)
        .ok()
        .and_then(|asked| answer.value_of(&asked))
        .ok_or_else(absent)?;
    let text = value.as_str().ok_or_else(absent)?;
    text.parse().map_err(|_| absent())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gnmi::collector::tests::sample;

    #[test]
    fn a_tree_like_the_recorded_one_gives_the_recorded_answer() {
        let Some(samples) = sample("get_system_info") else {
            return;
        };
        let recorded = samples
            .iter()
            .map(|s| &s["data"]["system_data"])
            .find(|d| d["hostname"] == "xrd-1")
            .unwrap();
        let tree = json!({
            "state": {"hostname": "xrd-1", "current-datetime": recorded["current_datetime"], "software-version": "24.4.1.26I",
                "boot-time": recorded["boot_time"]},
            "clock": {"state": {"timezone-name": "Universal"}},
            "memory": {"state": {"physical": "33657106432"}},
            "openconfig-system-grpc:grpc-servers": {"grpc-server": [{"name": "DEFAULT", "state": {"name": "DEFAULT", "enable": true, "port": 57401,
                "transport-security": false, "listen-addresses": ["ANY"]}}]},
            "logging": {"console": {"selectors": {"selector": [{"facility": "openconfig-system-logging:ALL", "severity": "DEBUG",
                "state": {"facility": "openconfig-system-logging:ALL", "severity": "DEBUG"}}]}}},
            "aaa": {"authentication": {"users": {"user": [{"username": "cisco", "state": {"role": "root-lr"}}]}}}});
        assert_eq!(&interpret(&tree), recorded);
    }

    #[test]
    fn what_is_absent_is_null_not_an_error() {
        let got = interpret(&json!({"state": {"hostname": "a"}}));
        assert_eq!(got["uptime"], Value::Null);
        assert_eq!(got["grpc_servers"], json!([]));
        assert_eq!(got["message"], json!({}));
    }
}
