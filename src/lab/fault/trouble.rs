//! Tool trouble: what whoever manages a device runs into. Data only; the gNMI target acts it out.

/// One trouble on a device.
#[derive(Debug, Clone, PartialEq)]
pub struct Trouble {
    pub kind: TroubleKind,
    /// First call it hits, 1-based, counted per device since the lab was started or healed.
    pub from_call: u32,
    /// How many calls it hits; `None`: all that follow.
    pub calls: Option<u32>,
}

impl Trouble {
    /// Whether it hits the `n`-th call (1-based).
    pub fn hits(&self, n: u32) -> bool {
        n >= self.from_call && self.calls.is_none_or(|calls| n - self.from_call < calls)
    }
}

/// What happens to a call that is hit.
#[derive(Debug, Clone, PartialEq)]
pub enum TroubleKind {
    /// Answer after so many milliseconds.
    Delay { ms: u64 },
    /// Fail with a gRPC status code by name, e.g. `UNAVAILABLE`.
    Error { code: String, message: String },
    /// Send so many bytes of JSON and no more: the document does not parse.
    Truncate { bytes: usize },
    /// Accept the call and never answer.
    Hang,
    /// Close the connection in the middle.
    Reset,
    /// Answer with an extra leaf of that many bytes.
    Oversize { bytes: usize },
}
