//! TLS and mutual TLS with certificates made for the test.

use super::client::{Bench, get, signed};
use noctui::lab::target::{LabOptions, Tls};
use noctui::proto::gnmi::CapabilityRequest;
use noctui::proto::gnmi::g_nmi_client::GNmiClient;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Identity};

struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Authority {
            issuer: CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap(),
        }
    }

    fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// Certificate and key in PEM.
    fn issue(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        (
            params.signed_by(&key, &self.issuer).unwrap().pem(),
            key.serialize_pem(),
        )
    }
}

async fn connect(
    bench: &Bench,
    config: ClientTlsConfig,
) -> Result<GNmiClient<Channel>, tonic::transport::Error> {
    let url = format!("https://127.0.0.1:{}", bench.entry("xrd-1").port);
    let endpoint = Channel::from_shared(url)
        .unwrap()
        .tls_config(config.domain_name("xrd-1"))?;
    Ok(GNmiClient::new(endpoint.connect().await?))
}

#[tokio::test]
async fn tls_is_spoken_and_client_certificates_are_demanded() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (authority, stranger) = (Authority::new(), Authority::new());
    let (certificate, key) = authority.issue("xrd-1");
    let tls = Tls {
        certificate,
        key,
        client_ca: Some(authority.pem()),
        root_file: None,
    };
    let bench = Bench::with(
        "S",
        LabOptions {
            tls: Some(tls),
            ..LabOptions::default()
        },
    )
    .await;
    assert!(!bench.entry("xrd-1").insecure && bench.entry("xrd-1").skip_verify);

    let trusted = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authority.pem()));
    let identity = |by: &Authority| {
        let (certificate, key) = by.issue("client");
        Identity::from_pem(certificate, key)
    };
    let mut client = connect(&bench, trusted.clone().identity(identity(&authority)))
        .await
        .unwrap();
    assert!(
        client
            .capabilities(signed(CapabilityRequest::default()))
            .await
            .is_ok()
    );
    let secure = get(
        &mut client,
        "system/grpc-servers/grpc-server/state/transport-security",
    )
    .await
    .unwrap();
    assert_eq!(secure[0].1, true);

    // Without a certificate, with a stranger's, or without trust in the server there is no answer.
    for config in [
        trusted.clone(),
        trusted.identity(identity(&stranger)),
        ClientTlsConfig::new()
            .ca_certificate(Certificate::from_pem(stranger.pem()))
            .identity(identity(&authority)),
    ] {
        let answered = match connect(&bench, config).await {
            Ok(mut client) => client
                .capabilities(signed(CapabilityRequest::default()))
                .await
                .is_ok(),
            Err(_) => false,
        };
        assert!(!answered);
    }
}
