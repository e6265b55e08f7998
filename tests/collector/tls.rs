//! TLS as gnmic users know it: CA, name, skip-verify, client certificates, and what a bad one says.

use super::broken::{assert_failed, beside_a_healthy_one};
use super::fake::{Device, start, start_tls};
use super::{call, connect, trees};
use noctui::gnmi::client::Limits;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use serde_json::{Value, json};
use std::path::Path;
use tonic::transport::{Certificate, Identity, ServerTlsConfig};

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Certificate and key (PEM) for `name`, signed by `issuer`.
fn issue(
    issuer: &CertifiedIssuer<'static, KeyPair>,
    name: &str,
    usage: ExtendedKeyUsagePurpose,
) -> (String, String) {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.extended_key_usages = vec![usage];
    let key = KeyPair::generate().unwrap();
    (params.signed_by(&key, issuer).unwrap().pem(), key.serialize_pem())
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

async fn ask(entry: Value) -> Value {
    let client = connect(&[entry], Limits::default()).await;
    call(&client, "get_system_info", json!({ "device_name": "r" })).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn certificates_are_checked_unless_told_not_to() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let (good, other) = (authority(), authority());
    let (cert, key) = issue(&good, "router.example", ExtendedKeyUsagePurpose::ServerAuth);
    let identity = ServerTlsConfig::new().identity(Identity::from_pem(cert, key));
    let device = start_tls(Device::new(trees::pe("r")), Some(identity)).await;
    let ca = write(folder.path(), "ca.pem", &good.pem());
    let wrong = write(folder.path(), "wrong.pem", &other.pem());
    let entry = |extra: Value| {
        let mut entry = super::entry("r", device.port);
        entry["insecure"] = json!(false);
        entry
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        entry
    };
    let fine = ask(entry(json!({ "path_root": ca, "override": "router.example" }))).await;
    assert_eq!(fine["status"], "success", "{fine}");
    let skipped = ask(entry(json!({ "skip_verify": true }))).await;
    assert_eq!(skipped["status"], "success", "{skipped}");
    for (extra, part) in [
        (
            json!({ "path_root": wrong, "override": "router.example" }),
            "certificate",
        ),
        (
            json!({ "path_root": ca, "override": "another.example" }),
            "certificate",
        ),
    ] {
        let failed = ask(entry(extra)).await;
        assert_eq!(failed["status"], "failed", "{failed}");
        assert_eq!(failed["error_response"]["type"], "CONNECTION_TIMEOUT", "{failed}");
        assert_eq!(failed["error_response"]["details"]["kind"], "tls", "{failed}");
        let message = failed["error_response"]["message"].as_str().unwrap();
        assert!(
            message.contains("TLS handshake") && message.contains(part),
            "{message}"
        );
    }
    let absent = ask(entry(json!({ "path_root": "/nowhere/ca.pem" }))).await;
    assert_eq!(
        absent["error_response"]["details"]["kind"], "configuration",
        "{absent}"
    );
    assert!(
        absent["error_response"]["message"]
            .as_str()
            .unwrap()
            .contains("/nowhere/ca.pem")
    );
    let clear = ask(super::entry("r", device.port)).await;
    assert_eq!(
        clear["status"], "failed",
        "clear text to a TLS port fails: {clear}"
    );
    let plain = start(Device::new(trees::pe("r"))).await;
    let mut secret = super::entry("r", plain.port);
    secret["insecure"] = json!(false);
    let refused = ask(secret).await;
    let message = refused["error_response"]["message"].as_str().unwrap();
    assert!(message.contains("may speak clear text"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_certificate() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let (good, other) = (authority(), authority());
    let (cert, key) = issue(&other, "router.example", ExtendedKeyUsagePurpose::ServerAuth);
    let identity = ServerTlsConfig::new().identity(Identity::from_pem(cert, key));
    let device = start_tls(Device::new(trees::pe("r")), Some(identity)).await;
    let mut broken = super::entry("broken", device.port);
    broken["path_root"] = json!(write(folder.path(), "ca.pem", &good.pem()));
    broken["override"] = json!("router.example");
    let answer = beside_a_healthy_one(broken).await;
    assert_failed(&answer, "CONNECTION_TIMEOUT", "tls");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_certificate_logs_in() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let good = authority();
    let (cert, key) = issue(&good, "router.example", ExtendedKeyUsagePurpose::ServerAuth);
    let (own, own_key) = issue(&good, "noctui", ExtendedKeyUsagePurpose::ClientAuth);
    let tls = ServerTlsConfig::new()
        .identity(Identity::from_pem(cert, key))
        .client_ca_root(Certificate::from_pem(good.pem()));
    let device = start_tls(Device::new(trees::pe("r")), Some(tls)).await;
    let ca = write(folder.path(), "ca.pem", &good.pem());
    let mut entry = super::entry("r", device.port);
    entry["path_root"] = json!(ca);
    entry["override"] = json!("router.example");
    let refused = ask(entry.clone()).await;
    assert_eq!(refused["status"], "failed", "{refused}");
    entry["path_cert"] = json!(write(folder.path(), "own.pem", &own));
    entry["path_key"] = json!(write(folder.path(), "own.key", &own_key));
    let fine = ask(entry).await;
    assert_eq!(fine["status"], "success", "{fine}");
}
