//! `get_routing_info`: BGP and IS-IS, each read and judged apart, so that a P router without BGP still
//! shows its IS-IS.

use super::arguments::Arguments;
use super::envelope::{Envelope, Status};
use super::{bgp, isis};
use crate::gnmi::client::{Answer, Error, Get, Kind, Session};
use crate::proto::gnmi::get_request::DataType;
use crate::proto::path::parse;
use serde_json::{Map, Value, json};

const OPERATION: &str = "routing_info";
pub(super) const MODEL: (&str, &str) = ("openconfig-network-instance", "1.3.0");

/// What is known of a protocol: structured data and a summary for reading.
pub(super) struct Parsed {
    pub(super) detail: Value,
    pub(super) summary: String,
}

/// Reads a protocol out of an answer; `None` when it is not in it.
type Interpret = fn(&Answer) -> Option<Parsed>;

/// Protocols of the contract. OSPF is a known word there, but not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Bgp,
    Isis,
    Ospf,
}

impl Protocol {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "bgp" => Some(Self::Bgp),
            "isis" => Some(Self::Isis),
            "ospf" => Some(Self::Ospf),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Bgp => "bgp",
            Self::Isis => "isis",
            Self::Ospf => "ospf",
        }
    }
}

pub(super) async fn collect(session: &Session, arguments: &Arguments) -> Envelope {
    let wanted: Vec<&str> = match arguments.text("protocol").map(str::trim) {
        None | Some("") => vec!["bgp", "isis"],
        Some(text) => text.split(',').map(str::trim).filter(|w| !w.is_empty()).collect(),
    };
    // Any case, and one answer a protocol however often it is named.
    let words: Vec<String> = wanted.iter().map(|w| w.to_lowercase()).collect();
    let mut protocols: Vec<Protocol> = Vec::new();
    for protocol in words.iter().filter_map(|w| Protocol::parse(w)) {
        if !protocols.contains(&protocol) {
            protocols.push(protocol);
        }
    }
    let unknown: Vec<&str> = wanted
        .iter()
        .zip(&words)
        .filter(|(_, w)| Protocol::parse(w).is_none())
        .map(|(t, _)| *t)
        .collect();
    let reads = protocols.iter().map(|p| read(session, *p));
    let results = futures::future::join_all(reads).await;
    let mut envelope = assemble(session, arguments, &protocols, results);
    if !unknown.is_empty() {
        envelope.metadata["unknown_protocols"] = json!(unknown);
    }
    envelope
}

async fn read(session: &Session, protocol: Protocol) -> Result<(Parsed, Vec<String>), Error> {
    let (paths, interpret): (&[&str], Interpret) = match protocol {
        Protocol::Bgp => (&bgp::PATHS, bgp::interpret),
        Protocol::Isis => (&isis::PATHS, isis::interpret),
        Protocol::Ospf => {
            let message = "Protocol ospf is not supported".to_owned();
            return Err(Error {
                kind: Kind::Unimplemented,
                message,
                code: None,
            });
        }
    };
    let answer = fetch(session, MODEL, paths).await?;
    let parsed = interpret(&answer).ok_or_else(|| Error {
        kind: Kind::NotFound,
        message: format!("The device answered, but with no {} in it", protocol.name()),
        code: None,
    })?;
    Ok((parsed, answer.warnings))
}

/// One Get of `paths` after checking the model.
pub(super) async fn fetch(session: &Session, model: (&str, &str), paths: &[&str]) -> Result<Answer, Error> {
    let encoding = session.require_model(model.0, model.1).await?;
    let parsed: Result<Vec<_>, _> = paths.iter().map(|p| parse(p)).collect();
    let paths = parsed.map_err(|e| Error {
        kind: Kind::InvalidRequest,
        message: e.to_string(),
        code: None,
    })?;
    session
        .get(&Get {
            paths,
            data_type: DataType::All,
            encoding,
        })
        .await
}

/// What came of the protocols so far.
#[derive(Default)]
struct Tally {
    data: Vec<Value>,
    statuses: Map<String, Value>,
    errors: Map<String, Value>,
    warnings: Vec<String>,
    good: usize,
    absent: usize,
    bad: usize,
}

impl Tally {
    fn add(
        &mut self,
        device: &str,
        protocol: &str,
        result: Result<(Parsed, Vec<String>), Error>,
        details: bool,
    ) {
        let status = match result {
            Ok((parsed, repaired)) => {
                self.good += 1;
                self.warnings.extend(repaired);
                let detail = if details { parsed.detail } else { json!({}) };
                self.data.push(
                    json!({ "protocol": protocol, "detailed_data": detail, "summary": parsed.summary }),
                );
                "success"
            }
            Err(error) if error.kind == Kind::NotFound => {
                self.absent += 1;
                let message = format!("Feature not found on device {device}: {}", error.message);
                self.errors.insert(
                    protocol.into(),
                    json!({ "type": "feature_not_found", "message": message }),
                );
                "feature_not_available"
            }
            Err(error) => {
                self.bad += 1;
                let error = json!({ "type": "error", "message": error.message, "kind": error.kind.name() });
                self.errors.insert(protocol.into(), error);
                "failed"
            }
        };
        self.statuses.insert(protocol.into(), json!(status));
    }

    fn status(&self) -> Status {
        match (self.good, self.absent, self.bad) {
            (_, 0, 0) => Status::Success,
            (0, _, 0) => Status::FeatureNotAvailable,
            (0, _, _) => Status::Failed,
            _ => Status::PartialSuccess,
        }
    }
}

fn assemble(
    session: &Session,
    arguments: &Arguments,
    protocols: &[Protocol],
    results: Vec<Result<(Parsed, Vec<String>), Error>>,
) -> Envelope {
    let details = arguments.flag("include_details");
    let mut tally = Tally::default();
    for (protocol, result) in protocols.iter().zip(results) {
        tally.add(&session.device().name, protocol.name(), result, details);
    }
    let mut metadata = json!({
        "protocol": protocols.iter().map(|p| p.name()).collect::<Vec<_>>().join(", "),
        "include_details": details,
        "successful_protocols": tally.good,
        "failed_protocols": tally.bad,
        "feature_not_found_protocols": tally.absent,
        "total_protocols": protocols.len(),
        "protocol_statuses": tally.statuses,
    });
    let status = tally.status();
    if !tally.errors.is_empty() {
        metadata["protocol_errors"] = Value::Object(tally.errors);
    }
    let data = json!({ "routing_protocols": tally.data });
    Envelope {
        data,
        metadata,
        ..Envelope::new(session.device(), OPERATION, status)
    }
    .with_warnings(&tally.warnings)
}
