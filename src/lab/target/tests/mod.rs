//! The targets over real gRPC on loopback, with a hand-made device behind them.

use super::*;
use crate::lab::fault::{Trouble, TroubleKind};
use crate::lab::openconfig::sample;
use crate::lab::state::{DeviceState, LogLine};
use crate::proto::gnmi::g_nmi_client::GNmiClient;
use crate::proto::gnmi::subscribe_response::Response as Sent;
use crate::proto::gnmi::subscription_list::Mode;
use crate::proto::gnmi::{
    CapabilityRequest, Encoding, GetRequest, GetResponse, Notification, PathElem, SetRequest,
    SubscribeRequest, SubscribeResponse, Subscription, SubscriptionList, SubscriptionMode, subscribe_request,
    typed_value,
};
use crate::proto::path;
use std::sync::{Arc, RwLock};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Request, Status, Streaming};

mod streams;

struct Fake {
    state: RwLock<Arc<DeviceState>>,
    version: watch::Sender<u64>,
}

impl Fake {
    fn new() -> Arc<Self> {
        let state = RwLock::new(Arc::new(sample::device()));
        Arc::new(Fake {
            state,
            version: watch::channel(0).0,
        })
    }

    fn edit(&self, edit: impl FnOnce(&mut DeviceState)) {
        let mut state = (**self.state.read().unwrap()).clone();
        edit(&mut state);
        *self.state.write().unwrap() = Arc::new(state);
        self.version.send_modify(|version| *version += 1);
    }

    fn trouble(&self, kind: TroubleKind, from_call: u32, calls: Option<u32>) {
        self.edit(|state| {
            state.management.troubles = vec![Trouble {
                kind,
                from_call,
                calls,
            }]
        });
    }
}

impl Source for Fake {
    fn names(&self) -> Vec<String> {
        vec!["xrd-1".into()]
    }

    fn device(&self, name: &str) -> Option<Arc<DeviceState>> {
        (name == "xrd-1").then(|| self.state.read().unwrap().clone())
    }

    fn answering(&self) -> Vec<bool> {
        vec![self.state.read().unwrap().management.reachable]
    }

    fn log(&self, _: &str) -> Vec<LogLine> {
        let line = |mnemonic: &str, text: &str| LogLine {
            at_ms: sample::NOW_MS,
            stamp_ms: sample::NOW_MS,
            node: "RP/0/RP0/CPU0",
            process: "bgp[1084]".into(),
            mnemonic: mnemonic.into(),
            text: text.into(),
        };
        vec![
            line("ROUTING-BGP-5-ADJCHANGE", "neighbor 100.100.100.107 Down"),
            line("SECURITY-LOGIN-6-INFO", "hello"),
        ]
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }
}

async fn start() -> (Arc<Fake>, LabRunning) {
    let fake = Fake::new();
    let running = LabRunning::start(fake.clone(), LabOptions::default())
        .await
        .unwrap();
    (fake, running)
}

async fn client(running: &LabRunning) -> GNmiClient<Channel> {
    let port = running.inventory()[0].port;
    GNmiClient::connect(format!("http://127.0.0.1:{port}"))
        .await
        .unwrap()
}

fn signed<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("username", "lab".parse().unwrap());
    request.metadata_mut().insert("password", "lab".parse().unwrap());
    request
}

fn ask(paths: &[&str], encoding: Encoding) -> GetRequest {
    GetRequest {
        path: paths.iter().map(|text| path::parse(text).unwrap()).collect(),
        encoding: encoding.into(),
        ..GetRequest::default()
    }
}

async fn get(client: &mut GNmiClient<Channel>, paths: &[&str]) -> Result<GetResponse, Status> {
    client
        .get(signed(ask(paths, Encoding::JsonIetf)))
        .await
        .map(tonic::Response::into_inner)
}

fn json(response: &GetResponse, update: usize) -> serde_json::Value {
    match &response.notification[0].update[update]
        .val
        .as_ref()
        .unwrap()
        .value
    {
        Some(typed_value::Value::JsonIetfVal(bytes)) => serde_json::from_slice(bytes).unwrap(),
        other => panic!("{other:?}"),
    }
}

const OPER: &str =
    "openconfig-interfaces:interfaces/interface[name=GigabitEthernet0/0/0/0]/state/oper-status";

#[tokio::test]
async fn capabilities_get_and_a_refused_set() {
    let (_fake, running) = start().await;
    let mut client = client(&running).await;
    let capabilities = client
        .capabilities(signed(CapabilityRequest::default()))
        .await
        .unwrap()
        .into_inner();
    for (name, version) in [
        ("openconfig-system", "0.17.1"),
        ("openconfig-interfaces", "3.0.0"),
    ] {
        assert!(
            capabilities
                .supported_models
                .iter()
                .any(|m| m.name == name && m.version == version)
        );
    }
    assert!(
        capabilities
            .supported_encodings
            .contains(&Encoding::JsonIetf.into())
    );
    let response = get(&mut client, &[OPER, "openconfig-system:/system/state/hostname"])
        .await
        .unwrap();
    assert_eq!(
        response.notification.len(),
        1,
        "all paths of one Get are in one Notification"
    );
    assert_eq!(
        (json(&response, 0), json(&response, 1)),
        ("UP".into(), "xrd-1".into())
    );
    assert_eq!(
        response.notification[0].update[1].path.as_ref().unwrap().origin,
        "openconfig-system"
    );
    let refused = client.set(signed(SetRequest::default())).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    let counts = running.counts("xrd-1").unwrap();
    assert_eq!(
        counts,
        Counts {
            capabilities: 1,
            gets: 1,
            subscribes: 0,
            sets: 1
        }
    );
    running.stop().await;
}

#[tokio::test]
async fn what_cannot_be_had_is_refused_with_the_right_code() {
    let (_fake, running) = start().await;
    let mut client = client(&running).await;
    assert_eq!(
        get(&mut client, &["no-such/thing"]).await.unwrap_err().code(),
        Code::NotFound
    );
    // One path of several that leads nowhere does not spoil the others.
    assert_eq!(
        get(&mut client, &["no-such/thing", OPER])
            .await
            .unwrap()
            .notification[0]
            .update
            .len(),
        1
    );
    for (request, code) in [
        (ask(&[OPER], Encoding::Bytes), Code::Unimplemented),
        (ask(&[OPER], Encoding::Ascii), Code::InvalidArgument),
        (ask(&[], Encoding::JsonIetf), Code::InvalidArgument),
        (
            ask(&["nonsense:/interfaces"], Encoding::JsonIetf),
            Code::InvalidArgument,
        ),
        (
            ask(&["openconfig-bgp:/interfaces"], Encoding::JsonIetf),
            Code::NotFound,
        ),
        (
            GetRequest {
                r#type: 9,
                ..ask(&[OPER], Encoding::Json)
            },
            Code::InvalidArgument,
        ),
    ] {
        assert_eq!(
            client.get(signed(request.clone())).await.unwrap_err().code(),
            code,
            "{request:?}"
        );
    }
    let anonymous = client
        .get(Request::new(ask(&[OPER], Encoding::Json)))
        .await
        .unwrap_err();
    assert_eq!(anonymous.code(), Code::Unauthenticated);
}

#[tokio::test]
async fn every_encoding_and_the_log() {
    let (_fake, running) = start().await;
    let mut client = client(&running).await;
    let counters = "interfaces/interface[name=GigabitEthernet0/0/0/0]/state/counters/in-octets";
    let mut value = async |path: &str, encoding| {
        let response = client
            .get(signed(ask(&[path], encoding)))
            .await
            .unwrap()
            .into_inner();
        response.notification[0].update[0]
            .val
            .clone()
            .unwrap()
            .value
            .unwrap()
    };
    assert_eq!(
        value(counters, Encoding::Proto).await,
        typed_value::Value::UintVal(9_000_000_000)
    );
    assert_eq!(
        value(counters, Encoding::Json).await,
        typed_value::Value::JsonVal(b"9000000000".to_vec())
    );
    assert_eq!(
        value(counters, Encoding::JsonIetf).await,
        typed_value::Value::JsonIetfVal(b"\"9000000000\"".to_vec())
    );
    let mut request = ask(&[], Encoding::Ascii);
    let name = "show logging | utility egrep '(-[1-5]-|BGP)' | utility egrep -v logged ".into();
    request.path = vec![crate::proto::gnmi::Path {
        elem: vec![PathElem {
            name,
            ..PathElem::default()
        }],
        ..Default::default()
    }];
    let response = client.get(signed(request)).await.unwrap().into_inner();
    let Some(typed_value::Value::AsciiVal(text)) =
        response.notification[0].update[0].val.clone().unwrap().value
    else {
        panic!("not text")
    };
    assert_eq!(
        text,
        "RP/0/RP0/CPU0:Nov 22 00:12:08.000 UTC: bgp[1084]: %ROUTING-BGP-5-ADJCHANGE : neighbor 100.100.100.107 Down"
    );
}

#[tokio::test]
async fn troubles_are_acted_out_and_counted() {
    let (fake, running) = start().await;
    let mut client = client(&running).await;
    let error = TroubleKind::Error {
        code: "UNAVAILABLE".into(),
        message: "try later".into(),
    };
    fake.trouble(error, 2, Some(1));
    assert!(get(&mut client, &[OPER]).await.is_ok());
    let second = get(&mut client, &[OPER]).await.unwrap_err();
    assert_eq!(
        (second.code(), second.message()),
        (Code::Unavailable, "try later")
    );
    assert!(get(&mut client, &[OPER]).await.is_ok());
    running.restart_call_numbers();
    assert!(get(&mut client, &[OPER]).await.is_ok());
    assert!(
        get(&mut client, &[OPER]).await.is_err(),
        "calls are counted from one again"
    );

    fake.trouble(TroubleKind::Truncate { bytes: 5 }, 1, None);
    let response = get(&mut client, &["interfaces"]).await.unwrap();
    let Some(typed_value::Value::JsonIetfVal(bytes)) =
        response.notification[0].update[0].val.clone().unwrap().value
    else {
        panic!("not JSON")
    };
    assert_eq!(bytes.len(), 5);

    fake.trouble(TroubleKind::Oversize { bytes: 5_000_000 }, 1, None);
    let too_large = get(&mut client, &[OPER]).await.unwrap_err();
    assert_eq!(
        too_large.code(),
        Code::OutOfRange,
        "larger than a client's default limit"
    );

    fake.trouble(TroubleKind::Hang, 1, None);
    let hung = tokio::time::timeout(Duration::from_millis(50), get(&mut client, &[OPER])).await;
    assert!(hung.is_err());

    fake.trouble(TroubleKind::Reset, 1, None);
    assert!(get(&mut client, &[OPER]).await.is_err());
    fake.edit(|state| state.management.troubles.clear());
    assert!(
        get(&mut client, &[OPER]).await.is_ok(),
        "the client connects again"
    );
    running.stop().await;
}

#[tokio::test]
async fn a_device_that_cannot_be_managed_closes_its_port() {
    let (fake, running) = start().await;
    let mut client = client(&running).await;
    assert!(get(&mut client, &[OPER]).await.is_ok());
    fake.edit(|state| state.management.reachable = false);
    let port = running.inventory()[0].port;
    let closed = async || tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err();
    until(closed).await;
    assert!(
        get(&mut client, &[OPER]).await.is_err(),
        "connections of before are cut"
    );
    fake.edit(|state| state.management.reachable = true);
    until(async || tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok()).await;
    until(async || get(&mut client.clone(), &[OPER]).await.is_ok()).await;
    running.stop().await;
}

/// Tries until the condition holds; two seconds at most.
async fn until(condition: impl AsyncFn() -> bool) {
    let tries = async {
        while !condition().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(2), tries)
        .await
        .expect("the condition never held");
}
