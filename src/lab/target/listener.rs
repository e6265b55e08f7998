//! The port of a device: opens while its management plane answers, and cuts every connection when it stops.

use super::device::Served;
use super::options::Tls;
use super::service::Target;
use crate::proto::gnmi::g_nmi_server::GNmiServer;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_stream::{StreamExt, wrappers::TcpListenerStream};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::{Connected, TlsConnectInfo};
use tonic::transport::{Certificate, Identity, Server, ServerTlsConfig};

/// How long a port that someone else took is left alone before it is tried again.
const REBIND_AFTER: Duration = Duration::from_millis(200);

/// The connection a call came over, known to its handler.
#[derive(Debug, Clone)]
pub(super) struct Link(CancellationToken);

impl Link {
    /// Of a request, with or without TLS.
    pub(super) fn of<T>(request: &tonic::Request<T>) -> Option<Link> {
        let extensions = request.extensions();
        let tls = extensions
            .get::<TlsConnectInfo<Link>>()
            .map(|info| info.get_ref().clone());
        extensions.get::<Link>().cloned().or(tls)
    }

    /// Ends the connection with an error, in the middle of whatever it carries.
    pub(super) fn sever(&self) {
        self.0.cancel();
    }
}

/// A TCP stream that can be severed.
struct Severable {
    stream: TcpStream,
    cut: CancellationToken,
    severed: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Severable {
    fn new(stream: TcpStream, cut: CancellationToken) -> Self {
        Severable {
            stream,
            severed: Box::pin(cut.clone().cancelled_owned()),
            cut,
        }
    }

    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        match self.severed.as_mut().poll(cx) {
            Poll::Ready(()) => Err(io::ErrorKind::ConnectionReset.into()),
            Poll::Pending => Ok(()),
        }
    }
}

impl Connected for Severable {
    type ConnectInfo = Link;

    fn connect_info(&self) -> Link {
        Link(self.cut.clone())
    }
}

impl AsyncRead for Severable {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Severable {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(ready!(Pin::new(&mut self.stream).poll_shutdown(cx)))
    }
}

/// Serves a device until `stop`: while `reachable` says so with the port open, else with it closed.
pub(super) async fn attend(
    served: Arc<Served>,
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    mut reachable: watch::Receiver<bool>,
    stop: CancellationToken,
) {
    let Ok(address) = listener.local_addr() else {
        return;
    };
    let mut listener = Some(listener);
    while !stop.is_cancelled() {
        if !*reachable.borrow_and_update() {
            listener = None;
            tokio::select! {
                () = stop.cancelled() => return,
                changed = reachable.changed() => if changed.is_err() { return },
            }
            continue;
        }
        let Some(open) = open(&mut listener, address).await else {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(REBIND_AFTER) => continue,
            }
        };
        let cut = stop.child_token();
        let serving = serve(served.clone(), open, tls.as_deref(), cut.clone());
        let unreachable = async {
            // An error means the lab is gone, which ends serving too.
            let _ = reachable.wait_for(|reachable| !reachable).await;
            cut.cancel();
        };
        let ((), ended) = tokio::join!(unreachable_or(unreachable, &cut), serving);
        if let Err(error) = ended {
            tracing::warn!(device = served.name, %error, "target stopped serving");
            return;
        }
    }
}

/// Waits for the first of the two.
async fn unreachable_or(unreachable: impl Future<Output = ()>, cut: &CancellationToken) {
    tokio::select! {
        () = unreachable => {}
        () = cut.cancelled() => {}
    }
}

/// The listener at hand, or the port bound again.
async fn open(listener: &mut Option<TcpListener>, address: SocketAddr) -> Option<TcpListener> {
    match listener.take() {
        Some(listener) => Some(listener),
        None => TcpListener::bind(address).await.ok(),
    }
}

async fn serve(
    served: Arc<Served>,
    listener: TcpListener,
    tls: Option<&Tls>,
    cut: CancellationToken,
) -> Result<(), tonic::transport::Error> {
    let connection = cut.clone();
    let incoming = TcpListenerStream::new(listener).map(move |accepted| {
        let stream = accepted?;
        // Small answers must not wait for the peer's acknowledgement.
        stream.set_nodelay(true)?;
        Ok::<_, io::Error>(Severable::new(stream, connection.child_token()))
    });
    let mut server = Server::builder();
    if let Some(tls) = tls {
        server = server.tls_config(tls_config(tls))?;
    }
    let ended = server
        .add_service(GNmiServer::new(Target::new(served)))
        .serve_with_incoming_shutdown(incoming, cut.clone().cancelled_owned())
        .await;
    cut.cancel();
    ended
}

fn tls_config(tls: &Tls) -> ServerTlsConfig {
    let config = ServerTlsConfig::new().identity(Identity::from_pem(&tls.certificate, &tls.key));
    match &tls.client_ca {
        Some(ca) => config.client_ca_root(Certificate::from_pem(ca)),
        None => config,
    }
}
