//! The gRPC face of one device: Capabilities, Get, Subscribe, and a Set that is always refused.

use super::device::Served;
use super::listener::Link;
use super::trouble::{self, Call};
use super::{answer, get, subscribe};
use crate::lab::openconfig::MODELS;
use crate::proto::gnmi::g_nmi_server::GNmi;
use crate::proto::gnmi::{
    CapabilityRequest, CapabilityResponse, GetRequest, GetResponse, ModelData, SetRequest, SetResponse,
    SubscribeRequest, SubscribeResponse,
};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio_stream::Stream;
use tonic::{Request, Response, Status, Streaming};

/// Version of the protocol the targets speak.
const GNMI_VERSION: &str = "0.10.0";

/// One device's server.
#[derive(Clone)]
pub(super) struct Target {
    served: Arc<Served>,
}

impl Target {
    pub(super) fn new(served: Arc<Served>) -> Self {
        Target { served }
    }
}

#[tonic::async_trait]
impl GNmi for Target {
    async fn capabilities(
        &self,
        request: Request<CapabilityRequest>,
    ) -> Result<Response<CapabilityResponse>, Status> {
        self.served.counters.capabilities.fetch_add(1, Ordering::Relaxed);
        self.served.credentials.check(request.metadata())?;
        trouble::meet(&self.served, Call::Capabilities, Link::of(&request).as_ref()).await?;
        let models = MODELS.iter().map(|model| ModelData {
            name: model.name.into(),
            organization: model.organization.into(),
            version: model.version.into(),
        });
        Ok(Response::new(CapabilityResponse {
            supported_models: models.collect(),
            supported_encodings: answer::ENCODINGS.map(i32::from).to_vec(),
            g_nmi_version: GNMI_VERSION.into(),
            ..CapabilityResponse::default()
        }))
    }

    async fn get(&self, request: Request<GetRequest>) -> Result<Response<GetResponse>, Status> {
        self.served.counters.gets.fetch_add(1, Ordering::Relaxed);
        self.served.credentials.check(request.metadata())?;
        let spoil = trouble::meet(&self.served, Call::Read, Link::of(&request).as_ref()).await?;
        let mut response = get::get(&self.served.view()?, request.get_ref())?;
        spoil.apply(&mut response);
        Ok(Response::new(response))
    }

    async fn set(&self, request: Request<SetRequest>) -> Result<Response<SetResponse>, Status> {
        self.served.counters.sets.fetch_add(1, Ordering::Relaxed);
        self.served.credentials.check(request.metadata())?;
        Err(Status::permission_denied(
            "this device is read-only over gNMI: Set is refused and counted",
        ))
    }

    type SubscribeStream = Pin<Box<dyn Stream<Item = Result<SubscribeResponse, Status>> + Send>>;

    async fn subscribe(
        &self,
        request: Request<Streaming<SubscribeRequest>>,
    ) -> Result<Response<Self::SubscribeStream>, Status> {
        self.served.counters.subscribes.fetch_add(1, Ordering::Relaxed);
        self.served.credentials.check(request.metadata())?;
        let spoil = trouble::meet(&self.served, Call::Read, Link::of(&request).as_ref()).await?;
        let stream = subscribe::subscribe(self.served.clone(), request.into_inner(), &spoil).await?;
        Ok(Response::new(Box::pin(stream)))
    }
}
