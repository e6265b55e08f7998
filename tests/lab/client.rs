//! A lab with a clock that stands still, and a small gNMI client for it.

use noctui::lab::Lab;
use noctui::lab::control::parse_fault;
use noctui::lab::live::{Clock, LiveLab};
use noctui::lab::network::builtin;
use noctui::lab::target::{InventoryEntry, LabOptions, LabRunning};
use noctui::proto::gnmi::g_nmi_client::GNmiClient;
use noctui::proto::gnmi::{Encoding, GetRequest, typed_value};
use noctui::proto::path;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tonic::transport::Channel;
use tonic::{Request, Status};

/// 2026-11-22 00:12:08 UTC.
const EPOCH_MS: i64 = 1_795_306_328_000;

/// A running lab whose time moves only when told to.
pub struct Bench {
    pub lab: Arc<LiveLab>,
    pub running: LabRunning,
    now: Arc<AtomicI64>,
}

impl Bench {
    pub async fn start(size: &str) -> Self {
        Self::with(size, LabOptions::default()).await
    }

    pub async fn with(size: &str, options: LabOptions) -> Self {
        let now = Arc::new(AtomicI64::new(EPOCH_MS));
        let clock: Clock = {
            let now = now.clone();
            Arc::new(move || now.load(Ordering::Relaxed))
        };
        let lab = Lab::new(builtin(size).unwrap(), 7, EPOCH_MS);
        let lab = Arc::new(LiveLab::new(lab, clock));
        let running = LabRunning::start(lab.clone(), options).await.unwrap();
        Bench { lab, running, now }
    }

    pub fn inject(&self, line: &str) {
        self.lab.inject(parse_fault(line).unwrap()).unwrap();
    }

    pub fn advance_s(&self, seconds: i64) {
        self.now.fetch_add(seconds * 1_000, Ordering::Relaxed);
    }

    pub fn entry(&self, device: &str) -> &InventoryEntry {
        self.running
            .inventory()
            .iter()
            .find(|entry| entry.name == device)
            .unwrap()
    }

    pub async fn client(&self, device: &str) -> GNmiClient<Channel> {
        let entry = self.entry(device);
        GNmiClient::connect(format!("http://{}:{}", entry.ip_address, entry.port))
            .await
            .unwrap()
            .max_decoding_message_size(64 << 20)
    }

    /// All values a path leads to on a device, with their paths.
    pub async fn get(&self, device: &str, text: &str) -> Vec<(String, Value)> {
        get(&mut self.client(device).await, text).await.unwrap()
    }

    /// The one value a path leads to.
    pub async fn one(&self, device: &str, text: &str) -> Value {
        let mut all = self.get(device, text).await;
        assert_eq!(all.len(), 1, "{device} {text}: {all:?}");
        all.remove(0).1
    }
}

/// The request with the lab's credentials.
pub fn signed<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("username", "lab".parse().unwrap());
    request.metadata_mut().insert("password", "lab".parse().unwrap());
    request
}

pub async fn get(client: &mut GNmiClient<Channel>, text: &str) -> Result<Vec<(String, Value)>, Status> {
    let request = GetRequest {
        path: vec![path::parse(text).unwrap()],
        encoding: Encoding::JsonIetf.into(),
        ..GetRequest::default()
    };
    let response = client.get(signed(request)).await?.into_inner();
    let updates = response
        .notification
        .into_iter()
        .flat_map(|notification| notification.update);
    Ok(updates
        .map(|update| {
            let Some(typed_value::Value::JsonIetfVal(bytes)) = update.val.unwrap().value else {
                panic!("not JSON")
            };
            (
                path::print(&update.path.unwrap()),
                serde_json::from_slice(&bytes).unwrap(),
            )
        })
        .collect())
}
