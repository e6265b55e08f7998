//! Log lines: what devices say when something changes, what they repeat while it lasts, and their small talk.
//!
//! Mnemonics and wording follow IOS-XR.

use super::moment::Complaint;
use super::noise::{between, mix};
use crate::lab::network::DeviceId;
use crate::lab::state::LogLine;

const NODE: &str = "RP/0/RP0/CPU0";

/// A line some device wrote at some time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    pub device: DeviceId,
    pub at_ms: i64,
    pub said: Said,
}

/// Process, mnemonic, text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    pub process: &'static str,
    pub mnemonic: String,
    pub text: String,
}

/// A line that comes again every `period_ms` while something lasts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Span {
    pub device: DeviceId,
    pub from_ms: i64,
    pub until_ms: Option<i64>,
    pub period_ms: i64,
    pub said: Said,
}

/// What a span belongs to, so that it can be ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SpanKey {
    Session(usize, usize),
    Adjacency(usize, usize),
    Complaint(DeviceId, Complaint),
}

pub(super) fn said(process: &'static str, mnemonic: &str, text: impl Into<String>) -> Said {
    Said {
        process,
        mnemonic: mnemonic.into(),
        text: text.into(),
    }
}

/// Pid of a process, the same in logs and process lists.
pub(super) fn pid(process: &str) -> u32 {
    match process {
        "bgp" => 1_084,
        "isis" => 1_003,
        "ifmgr" => 254,
        "mpls_lsd" => 1_177,
        "tcp" => 399,
        "ntpd" => 263,
        "SSHD_" => 68_401,
        "emsd" => 1_052,
        "config" => 67_092,
        "cfgmgr-rp" => 131,
        "wdsysmon" => 441,
        "sysmgr" => 65,
        "bundlemgr_distrib" => 1_137,
        "syslogd" => 360,
        "exec" => 66_913,
        other => {
            600 + u32::try_from(mix(7, &other.bytes().map(u64::from).collect::<Vec<_>>()) % 400).unwrap_or(0)
        }
    }
}

pub(super) fn line(said: &Said, at_ms: i64, skew_ms: i64) -> LogLine {
    LogLine {
        at_ms,
        stamp_ms: at_ms + skew_ms,
        node: NODE,
        process: format!("{}[{}]", said.process, pid(said.process)),
        mnemonic: said.mnemonic.clone(),
        text: said.text.clone(),
    }
}

/// A port's line protocol changed.
pub(super) fn port_changed(name: &str, up: bool, enabled: bool) -> Vec<Said> {
    let state = match (up, enabled) {
        (true, _) => "Up",
        (false, true) => "Down",
        (false, false) => "Administratively Down",
    };
    let link = if enabled {
        "PKT_INFRA-LINK-3-UPDOWN"
    } else {
        "PKT_INFRA-LINK-5-CHANGED"
    };
    let protocol = format!(
        "Line protocol on Interface {name}, changed state to {}",
        if up { "Up" } else { "Down" }
    );
    vec![
        said(
            "ifmgr",
            link,
            format!("Interface {name}, changed state to {state}"),
        ),
        said("ifmgr", "PKT_INFRA-LINEPROTO-5-UPDOWN", protocol),
    ]
}

/// A bundle member joined or left.
pub(super) fn member_changed(member: &str, bundle: &str, active: bool, link_up: bool) -> Said {
    let text = match (active, link_up) {
        (true, _) => format!("{member} is Active as part of {bundle}"),
        (false, false) => format!("{member} is no longer Active as part of {bundle} (Link is down)"),
        (false, true) => format!(
            "{member} is no longer Active as part of {bundle} (Not configured in the bundle, or partner out of sync)"
        ),
    };
    said("bundlemgr_distrib", "L2-BM-6-ACTIVE", text)
}

pub(super) fn adjacency_changed(neighbor: &str, interface: &str, level: &str, up: bool, why: &str) -> Said {
    let state = if up { "Up" } else { "Down" };
    said(
        "isis",
        "ROUTING-ISIS-5-ADJCHANGE",
        format!("Adjacency to {neighbor} ({interface}) ({level}) {state}, {why}"),
    )
}

pub(super) fn session_changed(
    neighbor: &str,
    vrf: Option<&str>,
    remote_as: u32,
    change: Result<(), &str>,
) -> Said {
    let vrf = vrf.unwrap_or("default");
    let text = match change {
        Ok(()) => format!("neighbor {neighbor} Up (VRF: {vrf}) (AS: {remote_as})"),
        Err(why) => format!("neighbor {neighbor} Down - {why} (VRF: {vrf}) (AS: {remote_as})"),
    };
    said("bgp", "ROUTING-BGP-5-ADJCHANGE", text)
}

/// What a device says when a complaint begins, and how often it says it again.
pub(super) fn complaint(complaint: Complaint, detail: &str) -> (Said, i64) {
    let (minutes, process, mnemonic, text) = match complaint {
        Complaint::ConfigInconsistency => (
            60,
            "cfgmgr-rp",
            "MGBL-CONFIG-3-INCONSISTENCY_ALARM",
            "A configuration inconsistency alarm has been raised. Configuration commits will be blocked until 'clear \
             configuration inconsistency' has been run to synchronize persisted configuration with running configuration."
                .into(),
        ),
        Complaint::SrgbPending => (
            15,
            "mpls_lsd",
            "ROUTING-MPLS_LSD-4-SRGB_ALLOC_PENDING",
            format!("SRGB {detail} could not be allocated: labels in use by another client; allocation pending"),
        ),
        Complaint::SidConflict => (
            15,
            "isis",
            "ROUTING-ISIS-4-SID_INDEX_CONFLICT",
            format!("Prefix-SID {detail}, prefix-SID not programmed"),
        ),
        Complaint::SidOutOfRange => (
            15,
            "isis",
            "ROUTING-ISIS-4-SID_INDEX_OOR",
            format!("Prefix-SID {detail}"),
        ),
        Complaint::NtpUnsynchronised => (
            10,
            "ntpd",
            "IP-IP_NTP-5-SYNC_LOSS",
            format!(
                "Synchronization lost : {detail} : The association was dropped or the offset exceeds the panic threshold"
            ),
        ),
        Complaint::ProcessHog => (2, "wdsysmon", "HA-HA_WD-4-CPU_HOG", format!("CPU hog: {detail}")),
        Complaint::DuplicateSystemId => (
            1,
            "isis",
            "ROUTING-ISIS-4-DUPLICATE_SYSTEM_ID",
            format!("Received own LSP with different content: {detail}"),
        ),
    };
    (said(process, mnemonic, text), minutes * 60_000)
}

/// The TCP layer's words on a session whose passwords differ.
pub(super) fn bad_digest(local: &str, remote: &str, both_have_one: bool) -> Said {
    let what = if both_have_one {
        "Invalid MD5 digest"
    } else {
        "No MD5 digest"
    };
    said(
        "tcp",
        "IP-TCP-3-BADAUTH",
        format!("{what} from {remote}:179 to {local}:40213"),
    )
}

pub(super) fn isis_auth(interface: &str) -> Said {
    said(
        "isis",
        "ROUTING-ISIS-5-AUTH_FAILURE_DROP",
        format!("Dropped P2P IIH from {interface}: authentication failure"),
    )
}

/// Slot of the background chatter, milliseconds.
const SLOT_MS: i64 = 600_000;

/// Harmless lines of a device between two times: logins, backups, NTP, telemetry.
pub(super) fn chatter(seed: u64, device: DeviceId, from_ms: i64, until_ms: i64) -> Vec<Record> {
    let mut all = Vec::new();
    let id = device as u64;
    for slot in from_ms.div_euclid(SLOT_MS)..=until_ms.div_euclid(SLOT_MS) {
        let keys = [11, id, slot.unsigned_abs()];
        let kind = mix(seed, &keys) % 10;
        let at_ms = slot * SLOT_MS + between(seed, &[12, id, keys[2]], 0, SLOT_MS);
        let host = 10 + mix(seed, &[13, id, keys[2]]) % 3;
        let spoken = match kind {
            0 | 1 => said(
                "SSHD_",
                "SECURITY-SSHD-6-INFO_SUCCESS",
                format!(
                    "Successfully authenticated user 'netops' from '198.18.130.{host}' on 'vty0'(cipher 'aes256-gcm', mac 'none')"
                ),
            ),
            2 => said(
                "SSHD_",
                "SECURITY-SSHD-6-INFO_USER_LOGOUT",
                format!("User 'netops' from '198.18.130.{host}' logged out on 'vty0'"),
            ),
            3 => said(
                "ntpd",
                "IP-IP_NTP-5-HP_CONN_RECOVERED",
                "High priority NTP peer connection recovered : 198.18.128.1",
            ),
            4 => said(
                "emsd",
                "MGBL-EMS-6-EMSD_SERVICE_START",
                "EMSd service dial-in client session accepted",
            ),
            5 => said(
                "exec",
                "MGBL-exec-6-LOGIN_AUTHEN",
                "Login Authentication completed for user backup",
            ),
            _ => continue,
        };
        if (from_ms..=until_ms).contains(&at_ms) {
            all.push(Record {
                device,
                at_ms,
                said: spoken,
            });
        }
    }
    all
}
