//! A gNMI server on loopback that answers from a JSON tree, or fails in one chosen way.

use noctui::gnmi::client::{Answer, Update};
use noctui::proto::gnmi::g_nmi_server::{GNmi, GNmiServer};
use noctui::proto::gnmi::typed_value::Value as Typed;
use noctui::proto::gnmi::{
    self, CapabilityRequest, CapabilityResponse, Encoding, GetRequest, GetResponse, ModelData, Notification,
    Path, SetRequest, SetResponse, SubscribeRequest, SubscribeResponse, TypedValue,
};
use noctui::proto::path::print;
use serde_json::Value;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tonic::transport::{Server, ServerTlsConfig};
use tonic::{Code, Request, Response, Status, Streaming};

/// What a Get of a fake device does.
#[derive(Clone)]
pub enum Behaviour {
    /// Answers from the tree.
    Answer,
    /// Fails every time.
    Fail(Code, &'static str),
    /// Fails that many times, then answers.
    FailFirst(usize, Code, &'static str),
    /// Never answers.
    Hang,
    /// Answers with these bytes as JSON_IETF.
    Bytes(Vec<u8>),
    /// Answers with this text as a string value.
    Text(String),
}

#[derive(Clone)]
pub struct Device {
    pub tree: Value,
    pub log: String,
    pub behaviour: Behaviour,
    pub encodings: Vec<Encoding>,
    pub models: Vec<(&'static str, &'static str)>,
    pub password: &'static str,
}

impl Device {
    pub fn new(tree: Value) -> Self {
        Self {
            tree,
            log: String::new(),
            behaviour: Behaviour::Answer,
            encodings: vec![Encoding::JsonIetf, Encoding::Ascii],
            models: vec![
                ("openconfig-system", "0.17.1"),
                ("openconfig-interfaces", "3.0.0"),
                ("openconfig-network-instance", "1.3.0"),
            ],
            password: "s3cret",
        }
    }

    pub fn behaving(tree: Value, behaviour: Behaviour) -> Self {
        Self {
            behaviour,
            ..Self::new(tree)
        }
    }
}

/// A running fake.
pub struct Running {
    pub port: u16,
    device: Arc<Mutex<Device>>,
    gets: Arc<AtomicUsize>,
}

impl Running {
    /// Gets that reached the device.
    pub fn gets(&self) -> usize {
        self.gets.load(Ordering::SeqCst)
    }

    /// Changes how it behaves from now on.
    pub fn behave(&self, behaviour: Behaviour) {
        self.device.lock().unwrap().behaviour = behaviour;
    }
}

/// Starts a device on a free port.
pub async fn start(device: Device) -> Running {
    start_tls(device, None).await
}

pub async fn start_tls(device: Device, tls: Option<ServerTlsConfig>) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let device = Arc::new(Mutex::new(device));
    let gets = Arc::new(AtomicUsize::new(0));
    let service = GNmiServer::new(Service {
        device: Arc::clone(&device),
        gets: Arc::clone(&gets),
    });
    let mut server = Server::builder();
    if let Some(tls) = tls {
        server = server.tls_config(tls).unwrap();
    }
    let incoming = tokio_stream::wrappers::TcpListenerStream::new(listener);
    tokio::spawn(server.add_service(service).serve_with_incoming(incoming));
    Running { port, device, gets }
}

/// A port where nobody listens.
pub async fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

/// A port that accepts and resets every connection.
pub async fn resetting_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut some = [0; 16];
            let _ = stream.read(&mut some).await;
            drop(stream); // unread bytes make the kernel send RST
        }
    });
    port
}

/// A port that accepts and never says anything.
pub async fn mute_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let mut kept = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            kept.push(stream);
        }
    });
    port
}

/// A proxy before `port` that turns the bytes `@@@@` of its answers into bytes that are no UTF-8.
pub async fn spoiling_proxy(port: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let own = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let target = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            let (mut from_client, mut to_client) = client.into_split();
            let (mut from_target, mut to_target) = target.into_split();
            tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_target).await });
            tokio::spawn(async move {
                let mut buffer = vec![0; 1 << 16];
                while let Ok(n) = from_target.read(&mut buffer).await {
                    if n == 0 {
                        break;
                    }
                    let chunk = &mut buffer[..n];
                    while let Some(at) = chunk.windows(4).position(|w| w == b"@@@@") {
                        chunk[at..at + 4].fill(0xff);
                    }
                    if to_client.write_all(chunk).await.is_err() {
                        break;
                    }
                }
            });
        }
    });
    own
}

struct Service {
    device: Arc<Mutex<Device>>,
    gets: Arc<AtomicUsize>,
}

impl Service {
    fn admit<T>(&self, request: &Request<T>) -> Result<Device, Status> {
        let device = self.device.lock().unwrap().clone();
        let sent = request.metadata().get("password").and_then(|v| v.to_str().ok());
        if sent != Some(device.password) {
            return Err(Status::unauthenticated("authentication failed"));
        }
        Ok(device)
    }
}

type Stream = Pin<Box<dyn futures::Stream<Item = Result<SubscribeResponse, Status>> + Send>>;

#[tonic::async_trait]
impl GNmi for Service {
    async fn capabilities(
        &self,
        request: Request<CapabilityRequest>,
    ) -> Result<Response<CapabilityResponse>, Status> {
        let device = self.admit(&request)?;
        let models = device.models.iter().map(|(name, version)| ModelData {
            name: (*name).into(),
            organization: "OpenConfig working group".into(),
            version: (*version).into(),
        });
        Ok(Response::new(CapabilityResponse {
            supported_models: models.collect(),
            supported_encodings: device.encodings.iter().map(|e| *e as i32).collect(),
            g_nmi_version: "0.8.0".into(),
            ..CapabilityResponse::default()
        }))
    }

    async fn get(&self, request: Request<GetRequest>) -> Result<Response<GetResponse>, Status> {
        let device = self.admit(&request)?;
        let nth = self.gets.fetch_add(1, Ordering::SeqCst);
        let fixed = match device.behaviour.clone() {
            Behaviour::Answer => None,
            Behaviour::Fail(code, text) => return Err(Status::new(code, text)),
            Behaviour::FailFirst(n, code, text) if nth < n => return Err(Status::new(code, text)),
            Behaviour::FailFirst(..) => None,
            Behaviour::Hang => std::future::pending().await,
            Behaviour::Bytes(bytes) => Some(Typed::JsonIetfVal(bytes)),
            Behaviour::Text(text) => Some(Typed::StringVal(text)),
        };
        let mut update = Vec::new();
        for path in &request.get_ref().path {
            match &fixed {
                Some(value) => update.push(one(path.clone(), value.clone())),
                None => update.extend(answer(&device, path)?),
            }
        }
        let notification = Notification {
            timestamp: 1_795_306_328_058_493_440,
            update,
            ..Notification::default()
        };
        Ok(Response::new(GetResponse {
            notification: vec![notification],
            ..GetResponse::default()
        }))
    }

    async fn set(&self, _request: Request<SetRequest>) -> Result<Response<SetResponse>, Status> {
        Err(Status::permission_denied("read only"))
    }

    type SubscribeStream = Stream;

    async fn subscribe(
        &self,
        _request: Request<Streaming<SubscribeRequest>>,
    ) -> Result<Response<Stream>, Status> {
        Err(Status::unimplemented("no Subscribe here"))
    }
}

fn one(path: Path, value: Typed) -> gnmi::Update {
    gnmi::Update {
        path: Some(path),
        val: Some(TypedValue { value: Some(value) }),
        ..gnmi::Update::default()
    }
}

fn answer(device: &Device, path: &Path) -> Result<Vec<gnmi::Update>, Status> {
    if path.origin == "cli" {
        return Ok(vec![one(path.clone(), Typed::AsciiVal(device.log.clone()))]);
    }
    let whole = Answer {
        updates: vec![Update {
            elems: Vec::new(),
            value: device.tree.clone(),
        }],
        ..Answer::default()
    };
    let found = whole.select(path);
    if found.is_empty() {
        let text = print(path);
        return Err(Status::not_found(format!(
            "Requested element(s) not found: '{}'",
            text.trim_start_matches('/')
        )));
    }
    Ok(found
        .into_iter()
        .map(|f| {
            let bytes = serde_json::to_vec(&f.value).unwrap();
            one(
                Path {
                    elem: f.elems,
                    ..Path::default()
                },
                Typed::JsonIetfVal(bytes),
            )
        })
        .collect())
}
