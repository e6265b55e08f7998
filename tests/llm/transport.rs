//! What travels besides the chat: keys, extra headers, a proxy, a certificate authority of one's own.

use std::{
    io::{Read, Write},
    net::TcpListener,
    sync::Arc,
};

use noctui::llm::{AuthStyle, ChatModel, Dialect, ErrorKind, HeaderSource, ProviderConfig, SecretSource};

use crate::fake::*;

fn echo(text: &str) -> SecretSource {
    SecretSource::Command(vec!["echo".into(), text.into()])
}

#[tokio::test]
async fn keys_and_gateway_headers_are_sent_as_configured() {
    let cases = [
        (Dialect::OpenAi, None, "authorization: Bearer k1\r\n"),
        (Dialect::Anthropic, None, "x-api-key: k1\r\n"),
        (
            Dialect::Anthropic,
            Some(AuthStyle::Bearer),
            "authorization: Bearer k1\r\n",
        ),
    ];
    for (dialect, auth, expected) in cases {
        let fake = Fake::start(vec![answer(dialect, "ok")]).await;
        let mut config = ProviderConfig {
            key: Some(echo("k1")),
            auth,
            ..ProviderConfig::local(&fake.url, dialect)
        };
        let gateway = HeaderSource::Secret {
            source: echo("g1"),
            prefix: "Bearer ".into(),
        };
        config.headers.insert("cf-aig-authorization".into(), gateway);
        config
            .headers
            .insert("x-team".into(), HeaderSource::Literal("noc".into()));
        config.body.insert("seed".into(), 7.into());
        provider(config).chat(&request(), &mut ignore).await.unwrap();
        let seen = fake.seen(0);
        for header in [expected, "cf-aig-authorization: Bearer g1\r\n", "x-team: noc\r\n"] {
            assert!(seen.head.contains(header), "{header:?} in {}", seen.head);
        }
        assert_eq!(
            seen.head.contains("anthropic-version: 2023-06-01"),
            dialect == Dialect::Anthropic
        );
        assert!(seen.body.contains("\"seed\":7"), "{}", seen.body);
    }
}

#[tokio::test]
async fn no_key_is_sent_where_the_gateway_holds_it() {
    let fake = Fake::start(vec![answer(Dialect::OpenAi, "ok")]).await;
    let config = ProviderConfig {
        key: Some(echo("k1")),
        auth: Some(AuthStyle::None),
        ..ProviderConfig::local(&fake.url, Dialect::OpenAi)
    };
    provider(config).chat(&request(), &mut ignore).await.unwrap();
    assert!(!fake.seen(0).head.contains("authorization"));
}

#[tokio::test]
async fn a_refused_key_is_read_again_for_the_next_call() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key");
    std::fs::write(&path, "old").unwrap();
    let fake = Fake::start(vec![
        response("401 Unauthorized", "", ""),
        answer(Dialect::OpenAi, "ok"),
    ])
    .await;
    let key = Some(SecretSource::File(path.clone()));
    let provider = provider(ProviderConfig {
        key,
        ..ProviderConfig::local(&fake.url, Dialect::OpenAi)
    });
    assert_eq!(
        provider.chat(&request(), &mut ignore).await.unwrap_err().kind,
        ErrorKind::Auth
    );
    std::fs::write(&path, "new").unwrap();
    provider.chat(&request(), &mut ignore).await.unwrap();
    assert!(fake.seen(1).head.contains("authorization: Bearer new"));
}

#[tokio::test]
async fn the_configured_proxy_is_used() {
    let proxy = Fake::start(vec![answer(Dialect::OpenAi, "through the proxy")]).await;
    let config = ProviderConfig {
        proxy: Some(proxy.url.trim_end_matches("/v1").to_owned()),
        ..ProviderConfig::local("http://models.invalid/v1", Dialect::OpenAi)
    };
    let reply = provider(config).chat(&request(), &mut ignore).await.unwrap();
    assert_eq!(reply.text, "through the proxy");
    assert!(
        proxy
            .seen(0)
            .head
            .starts_with("POST http://models.invalid/v1/chat/completions ")
    );
}

/// A TLS server with a certificate nobody knows, answering every connection with `body` once.
fn tls_server(body: String, connections: usize) -> (String, String) {
    let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let pem = key.cert.pem();
    let private = rustls::pki_types::PrivateKeyDer::try_from(key.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![key.cert.der().clone()], private)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for _ in 0..connections {
            let (mut socket, _) = listener.accept().unwrap();
            let mut session = rustls::ServerConnection::new(Arc::new(config.clone())).unwrap();
            let mut stream = rustls::Stream::new(&mut session, &mut socket);
            let mut seen = Vec::new();
            let mut buffer = [0; 4096];
            // the request is small: it ends where the JSON body does
            while !seen.ends_with(b"}") {
                match stream.read(&mut buffer) {
                    Ok(n) if n > 0 => seen.extend_from_slice(&buffer[..n]),
                    _ => break,
                }
            }
            let _ = stream.write_all(body.as_bytes());
            session.send_close_notify();
            let _ = session.complete_io(&mut socket);
        }
    });
    (format!("https://localhost:{port}/v1"), pem)
}

#[tokio::test]
async fn an_unknown_certificate_is_refused_and_a_configured_authority_trusted() {
    let body = format!(
        "{}{}",
        text_event(Dialect::OpenAi, "secret"),
        end_events(Dialect::OpenAi)
    );
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let (url, pem) = tls_server(head, 2);
    let refused = provider(ProviderConfig::local(&url, Dialect::OpenAi))
        .chat(&request(), &mut ignore)
        .await;
    let error = refused.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Connect);
    assert!(error.to_string().contains("CA known"), "{error}");

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ca.pem");
    std::fs::write(&path, pem).unwrap();
    let config = ProviderConfig {
        ca_file: Some(path),
        ..ProviderConfig::local(&url, Dialect::OpenAi)
    };
    let reply = provider(config).chat(&request(), &mut ignore).await.unwrap();
    assert_eq!(reply.text, "secret");
}
