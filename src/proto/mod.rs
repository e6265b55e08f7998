//! Wire types: the gNMI messages generated from `proto/`, and gNMI paths as text.
//!
//! Ground floor: the lab's targets and the collector both speak these. It holds no connection, no
//! server and no rendering of data.

pub mod path;

/// Messages, client and server of package `gnmi`, generated at build time.
#[allow(clippy::all, clippy::pedantic, deprecated, reason = "generated code")]
pub mod gnmi {
    tonic::include_proto!("gnmi");
}

/// Messages of package `gnmi_ext`, generated at build time.
#[allow(clippy::all, clippy::pedantic, reason = "generated code")]
pub mod gnmi_ext {
    tonic::include_proto!("gnmi_ext");
}
