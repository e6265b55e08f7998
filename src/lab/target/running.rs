//! Starts the targets of a lab - up to thousands in one process - and keeps their ports in step with the
//! state of their management planes.

use super::device::{Counters, Counts, Served, Source};
use super::inventory::InventoryEntry;
use super::listener;
use super::options::{LabOptions, Ports};
use crate::lab::openconfig::Exposure;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How often management planes are looked at besides announced changes.
const LOOK: Duration = Duration::from_secs(1);

/// Why a lab did not start.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    #[error("cannot listen on {address} for {device}: {source} - {hint}")]
    Listen {
        device: String,
        address: SocketAddr,
        source: io::Error,
        hint: &'static str,
    },
    #[error("{devices} devices from port {first} do not fit below 65536 - start at {highest} or lower")]
    Ports {
        devices: usize,
        first: u16,
        highest: usize,
    },
}

/// The targets of a lab, serving until stopped or dropped.
pub struct LabRunning {
    inventory: Vec<InventoryEntry>,
    devices: Vec<Arc<Served>>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl LabRunning {
    /// Binds every port and starts to serve; returns when all are bound.
    ///
    /// # Errors
    /// [`TargetError`] when a port is taken or there are too few.
    pub async fn start(source: Arc<dyn Source>, options: LabOptions) -> Result<Self, TargetError> {
        let names = source.names();
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let tls = options.tls.clone().map(Arc::new);
        let mut running = LabRunning {
            inventory: Vec::new(),
            devices: Vec::new(),
            stop: stop.clone(),
            tasks: tasks.clone(),
        };
        let mut gates = Vec::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            let address = SocketAddr::new(options.address, port(options.ports, index, names.len())?);
            let listener = bind(name, address).await?;
            let port = listener.local_addr().map_or(address.port(), |bound| bound.port());
            let served = Arc::new(Served {
                name: name.clone(),
                source: source.clone(),
                exposure: Exposure {
                    port,
                    transport_security: tls.is_some(),
                    username: options.credentials.username.clone(),
                },
                credentials: options.credentials.clone(),
                counters: Counters::default(),
            });
            running.inventory.push(entry(&served, &options));
            let (gate, reachable) = watch::channel(true);
            gates.push(gate);
            tasks.spawn(listener::attend(
                served.clone(),
                listener,
                tls.clone(),
                reachable,
                stop.clone(),
            ));
            running.devices.push(served);
        }
        // Those that are down at the start must not answer first.
        look(source.as_ref(), &gates);
        tasks.spawn(watch_over(source, gates, stop));
        Ok(running)
    }

    /// The devices, in the order of the source.
    pub fn inventory(&self) -> &[InventoryEntry] {
        &self.inventory
    }

    /// What a device was asked so far.
    pub fn counts(&self, device: &str) -> Option<Counts> {
        self.devices
            .iter()
            .find(|served| served.name == device)
            .map(|served| served.counters.counts())
    }

    /// Numbers calls from one again, as tool trouble counts them; for healing and injecting.
    pub fn restart_call_numbers(&self) {
        for served in &self.devices {
            served.counters.restart();
        }
    }

    /// Closes every port and connection and waits until all is quiet.
    pub async fn stop(self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Drop for LabRunning {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn port(ports: Ports, index: usize, devices: usize) -> Result<u16, TargetError> {
    match ports {
        Ports::Ephemeral => Ok(0),
        Ports::From(first) => u16::try_from(usize::from(first) + index).map_err(|_| TargetError::Ports {
            devices,
            first,
            highest: 65_536_usize.saturating_sub(devices),
        }),
    }
}

async fn bind(device: &str, address: SocketAddr) -> Result<TcpListener, TargetError> {
    TcpListener::bind(address).await.map_err(|source| {
        let hint = match source.kind() {
            io::ErrorKind::AddrInUse => "another lab may be running; choose other ports",
            io::ErrorKind::PermissionDenied => "choose ports above 1023",
            _ => "check the address, and the limit of open files (ulimit -n) for large labs",
        };
        TargetError::Listen {
            device: device.to_owned(),
            address,
            source,
            hint,
        }
    })
}

fn entry(served: &Served, options: &LabOptions) -> InventoryEntry {
    let root = options.tls.as_ref().and_then(|tls| tls.root_file.clone());
    InventoryEntry {
        name: served.name.clone(),
        ip_address: options.address.to_string(),
        port: served.exposure.port,
        nos: "iosxr".into(),
        username: options.credentials.username.clone(),
        password: options.credentials.password.clone(),
        insecure: options.tls.is_none(),
        skip_verify: options.tls.is_some() && root.is_none(),
        path_root: root,
    }
}

/// Sets each gate to what the device's management plane is now.
fn look(source: &dyn Source, gates: &[watch::Sender<bool>]) {
    for (gate, reachable) in gates.iter().zip(source.answering()) {
        gate.send_if_modified(|open| std::mem::replace(open, reachable) != reachable);
    }
}

async fn watch_over(source: Arc<dyn Source>, gates: Vec<watch::Sender<bool>>, stop: CancellationToken) {
    let mut changes = source.changes();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            // A source that announces no more is looked at by the clock.
            Ok(()) = changes.changed() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
        look(source.as_ref(), &gates);
    }
}
