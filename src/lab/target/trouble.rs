//! Acts out what a tool runs into: delays, errors, broken, huge, endless or severed answers.

use super::device::Served;
use super::listener::Link;
use crate::lab::fault::{Trouble, TroubleKind};
use crate::proto::gnmi::{GetResponse, PathElem, TypedValue, Update, typed_value::Value};
use std::time::Duration;
use tonic::{Code, Status};

/// What is left to do to the answer once a call got through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Spoil {
    truncate: Option<usize>,
    oversize: Option<usize>,
}

/// What kind of call it is: reads are counted, Capabilities only meet trouble that is there for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Capabilities,
    Read,
}

/// Meets the device's troubles before the call is answered.
///
/// # Errors
/// The status a trouble asks for. With a hang or a reset it does not return before the connection ends.
pub(super) async fn meet(served: &Served, call: Call, link: Option<&Link>) -> Result<Spoil, Status> {
    let number = match call {
        Call::Capabilities => 1,
        Call::Read => served.counters.next_read(),
    };
    let Some(state) = served.source.device(&served.name) else {
        return Ok(Spoil::default());
    };
    let hits = |trouble: &&Trouble| match call {
        Call::Capabilities => trouble.from_call <= 1 && trouble.calls.is_none(),
        Call::Read => trouble.hits(number),
    };
    let mut spoil = Spoil::default();
    for trouble in state.management.troubles.iter().filter(hits) {
        match &trouble.kind {
            TroubleKind::Delay { ms } => tokio::time::sleep(Duration::from_millis(*ms)).await,
            TroubleKind::Error { code, message } => return Err(Status::new(code_of(code), message.clone())),
            TroubleKind::Truncate { bytes } => spoil.truncate = Some(*bytes),
            TroubleKind::Oversize { bytes } => spoil.oversize = Some(*bytes),
            TroubleKind::Hang => std::future::pending().await,
            TroubleKind::Reset => {
                if let Some(link) = link {
                    link.sever();
                }
                std::future::pending().await
            }
        }
    }
    Ok(spoil)
}

/// gRPC's code of that name, in any case; `UNKNOWN` for a name that is none.
fn code_of(name: &str) -> Code {
    const CODES: [Code; 16] = [
        Code::Cancelled,
        Code::Unknown,
        Code::InvalidArgument,
        Code::DeadlineExceeded,
        Code::NotFound,
        Code::AlreadyExists,
        Code::PermissionDenied,
        Code::ResourceExhausted,
        Code::FailedPrecondition,
        Code::Aborted,
        Code::OutOfRange,
        Code::Unimplemented,
        Code::Internal,
        Code::Unavailable,
        Code::DataLoss,
        Code::Unauthenticated,
    ];
    let plain = |text: &str| text.replace('_', "").to_ascii_lowercase();
    let wanted = plain(name);
    CODES
        .into_iter()
        .find(|code| plain(&format!("{code:?}")) == wanted)
        .unwrap_or(Code::Unknown)
}

impl Spoil {
    /// Whether a stream should break off after its first message.
    pub(super) fn breaks_streams(&self) -> bool {
        self.truncate.is_some()
    }

    /// Cuts the JSON of an answer short, or adds a leaf of many bytes.
    pub(super) fn apply(&self, response: &mut GetResponse) {
        let updates = response
            .notification
            .iter_mut()
            .flat_map(|notification| &mut notification.update);
        if let Some(bytes) = self.truncate {
            for update in updates {
                if let Some(TypedValue { value: Some(value) }) = &mut update.val {
                    truncate(value, bytes);
                }
            }
        }
        if let (Some(bytes), Some(notification)) = (self.oversize, response.notification.first_mut()) {
            notification.update.push(ballast(bytes));
        }
    }
}

fn truncate(value: &mut Value, bytes: usize) {
    match value {
        Value::JsonVal(json) | Value::JsonIetfVal(json) => json.truncate(bytes),
        Value::AsciiVal(text) | Value::StringVal(text) => {
            let end = (0..=bytes.min(text.len()))
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(0);
            text.truncate(end);
        }
        _ => {}
    }
}

fn ballast(bytes: usize) -> Update {
    let elem = PathElem {
        name: "noctui-lab:ballast".into(),
        ..PathElem::default()
    };
    let json = format!("\"{}\"", "x".repeat(bytes));
    Update {
        path: Some(super::answer::answer_path("", vec![elem])),
        val: Some(TypedValue {
            value: Some(Value::JsonIetfVal(json.into_bytes())),
        }),
        ..Update::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_by_name() {
        assert_eq!(code_of("UNAVAILABLE"), Code::Unavailable);
        assert_eq!(code_of("resource_exhausted"), Code::ResourceExhausted);
        assert_eq!(code_of("DeadlineExceeded"), Code::DeadlineExceeded);
        assert_eq!(code_of("nonsense"), Code::Unknown);
    }

    #[test]
    fn text_is_cut_at_a_character() {
        let mut value = Value::AsciiVal("aé".into());
        truncate(&mut value, 2);
        assert_eq!(value, Value::AsciiVal("a".into()));
    }
}
