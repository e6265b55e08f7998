//! One line of a router's log.

/// A log line; `text` begins with the mnemonic's message and holds no line break unless a device really said so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// True time, unix ms (for ordering and windows).
    pub at_ms: i64,
    /// Time as the device's clock had it, unix ms (what is printed).
    pub stamp_ms: i64,
    /// e.g. `RP/0/RP0/CPU0`.
    pub node: &'static str,
    /// Process and pid, e.g. `bgp[1084]`.
    pub process: String,
    /// e.g. `ROUTING-BGP-5-ADJCHANGE`.
    pub mnemonic: String,
    pub text: String,
}

impl LogLine {
    /// Severity digit out of the mnemonic (0 emergency .. 7 debug); 6 when it holds none.
    pub fn severity(&self) -> u8 {
        self.mnemonic
            .split('-')
            .find_map(|part| match part.as_bytes() {
                [digit @ b'0'..=b'7'] => Some(digit - b'0'),
                _ => None,
            })
            .unwrap_or(6)
    }

    /// The line as IOS-XR prints it:
    /// `RP/0/RP0/CPU0:Nov 22 00:08:10.123 UTC: bgp[1084]: %ROUTING-BGP-5-ADJCHANGE : neighbor …`.
    pub fn render(&self) -> String {
        let stamp = jiff::Timestamp::from_millisecond(self.stamp_ms)
            .map(|t| t.strftime("%b %e %H:%M:%S%.3f").to_string())
            .unwrap_or_default();
        format!(
            "{}:{} UTC: {}: %{} : {}",
            self.node, stamp, self.process, self.mnemonic, self.text
        )
    }
}
