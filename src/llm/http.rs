//! The wire: one HTTP client a provider, headers with secrets, and failures put into our kinds.
//!
//! Written on reqwest rather than on a chat crate because the promises made here live at this level: which
//! timeout fired, what `Retry-After` said, whether a stream ended with its sign of completion, and a
//! connection that closes when the future is dropped. Redirects are not followed: a key is sent to the
//! configured host only. Knows no dialect.

use std::{error::Error as _, io, time::Duration};

use reqwest::{
    Client, Method, RequestBuilder, Response, StatusCode,
    header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER},
};
use secrecy::ExposeSecret;
use serde_json::Value;
use tokio::time::timeout;

use super::{
    AuthStyle, ErrorKind, HeaderSource, LlmError, ProviderConfig, Timeouts, config::seconds, scrub::excerpt,
    secret::KeyRing,
};

/// Most bytes of an error page that are read, and how long for.
const MAX_ERROR_BODY: usize = 16 * 1024;
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// A provider's HTTP endpoint.
pub(crate) struct Wire {
    provider: String,
    client: Client,
    config: ProviderConfig,
    keys: KeyRing,
}

impl Wire {
    /// # Errors
    /// `Config` when the base URL, the proxy or the CA file is unusable.
    pub(crate) fn new(provider: &str, config: ProviderConfig, timeouts: &Timeouts) -> Result<Self, LlmError> {
        let bad = |what: String, hint: &str| LlmError::new(ErrorKind::Config, provider, what, hint);
        // Another part of the program may have installed it already; that is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        if !config.base_url.starts_with("http://") && !config.base_url.starts_with("https://") {
            let what = format!("base_url {:?} is no http(s) URL", config.base_url);
            return Err(bad(what, "write it as https://host/v1"));
        }
        let mut builder = Client::builder()
            .user_agent(concat!("noctui/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(seconds(timeouts.connect_s));
        if config.base_url.starts_with("http://") {
            // servers of one's own close idle connections without a word, and a new one costs nothing there
            builder = builder.pool_max_idle_per_host(0);
        }
        if let Some(proxy) = &config.proxy {
            let proxy = reqwest::Proxy::all(proxy).map_err(|e| {
                bad(
                    format!("the proxy is unusable: {}", root_cause(&e)),
                    "write it as http://host:port",
                )
            })?;
            builder = builder.proxy(proxy);
        }
        if let Some(path) = &config.ca_file {
            let hint = "ca_file must be a PEM file with certificates";
            let pem = std::fs::read(path).map_err(|e| bad(format!("{}: {e}", path.display()), hint))?;
            let certificates = reqwest::Certificate::from_pem_bundle(&pem)
                .map_err(|e| bad(format!("{}: {}", path.display(), root_cause(&e)), hint))?;
            if certificates.is_empty() {
                return Err(bad(format!("{}: no certificate in it", path.display()), hint));
            }
            builder = builder.tls_certs_merge(certificates);
        }
        let client = builder.build().map_err(|e| {
            bad(
                format!("no HTTP client: {}", root_cause(&e)),
                "check proxy and ca_file",
            )
        })?;
        Ok(Self {
            provider: provider.to_owned(),
            client,
            config,
            keys: KeyRing::default(),
        })
    }

    pub(crate) fn provider(&self) -> &str {
        &self.provider
    }

    pub(crate) fn config(&self) -> &ProviderConfig {
        &self.config
    }

    /// Sends and returns a successful response with its body unread.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Response, LlmError> {
        let url = format!("{}/{path}", self.config.base_url.trim_end_matches('/'));
        let mut secrets = Vec::new();
        let headers = self.headers(&mut secrets).await?;
        let mut request: RequestBuilder = self.client.request(method, url).headers(headers);
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await.map_err(|e| self.transport_error(e))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        if status == StatusCode::UNAUTHORIZED {
            self.keys.forget().await;
        }
        Err(self.status_error(response, &secrets).await)
    }

    async fn headers(&self, secrets: &mut Vec<String>) -> Result<HeaderMap, LlmError> {
        let mut headers = HeaderMap::new();
        headers.insert(
            "accept",
            HeaderValue::from_static("text/event-stream, application/json"),
        );
        if self.config.dialect == super::Dialect::Anthropic {
            headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        }
        let style = self.config.auth.unwrap_or(self.config.dialect.default_auth());
        if let (Some(source), false) = (&self.config.key, style == AuthStyle::None) {
            let key = self.keys.get(source, &self.provider).await?;
            secrets.push(key.expose_secret().to_owned());
            let (name, text) = match style {
                AuthStyle::XApiKey => ("x-api-key", key.expose_secret().to_owned()),
                AuthStyle::Bearer | AuthStyle::None => {
                    ("authorization", format!("Bearer {}", key.expose_secret()))
                }
            };
            headers.insert(HeaderName::from_static(name), self.header_value(name, &text)?);
        }
        for (name, source) in &self.config.headers {
            let text = match source {
                HeaderSource::Literal(text) => {
                    // it may well hold a token, so a server that echoes it is not quoted
                    secrets.extend((text.len() >= 8).then(|| text.clone()));
                    text.clone()
                }
                HeaderSource::Secret { source, prefix } => {
                    let secret = self.keys.get(source, &self.provider).await?;
                    secrets.push(secret.expose_secret().to_owned());
                    format!("{prefix}{}", secret.expose_secret())
                }
            };
            let value = self.header_value(name, &text)?;
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| {
                LlmError::new(
                    ErrorKind::Config,
                    &self.provider,
                    format!("{name:?} is no header name"),
                    "fix headers",
                )
            })?;
            headers.insert(name, value);
        }
        Ok(headers)
    }

    fn header_value(&self, name: &str, text: &str) -> Result<HeaderValue, LlmError> {
        let mut value = HeaderValue::from_str(text).map_err(|_| {
            let what = format!("the value of header {name} holds characters a header cannot have");
            LlmError::new(
                ErrorKind::Config,
                &self.provider,
                what,
                "check the key or the header",
            )
        })?;
        value.set_sensitive(true);
        Ok(value)
    }

    async fn status_error(&self, mut response: Response, secrets: &[String]) -> LlmError {
        let status = response.status();
        let retry_after = retry_after(response.headers());
        let mut body = Vec::new();
        let read = async {
            while let Ok(Some(chunk)) = response.chunk().await {
                body.extend_from_slice(&chunk);
                if body.len() >= MAX_ERROR_BODY {
                    break;
                }
            }
        };
        let _ = timeout(ERROR_BODY_TIMEOUT, read).await;
        let text = String::from_utf8_lossy(&body);
        let json: Value = serde_json::from_str(&text).unwrap_or_default();
        let said = ["/error/message", "/message", "/detail", "/error"]
            .iter()
            .find_map(|at| json.pointer(at).and_then(Value::as_str))
            .unwrap_or(&text);
        let said = excerpt(said, secrets);
        let quota = text.contains("insufficient_quota");
        let (kind, what, hint) = describe_status(status, quota, retry_after);
        let message = if said.is_empty() {
            format!("{what} ({status})")
        } else {
            format!("{what} ({status}): {said}")
        };
        LlmError::new(kind, &self.provider, message, hint)
            .with_status(status.as_u16())
            .with_retry_after(retry_after)
    }

    /// A failure below HTTP, while connecting or in the middle of a body.
    pub(crate) fn transport_error(&self, error: reqwest::Error) -> LlmError {
        let cause = excerpt(&root_cause(&error), &[]);
        let host = self
            .config
            .base_url
            .split('/')
            .nth(2)
            .unwrap_or_default()
            .rsplit('@')
            .next()
            .unwrap_or_default();
        let (kind, message, hint) = if error.is_connect() && error.is_timeout() {
            let hint = "is the host reachable from here, or behind a proxy?";
            (
                ErrorKind::ConnectTimeout,
                format!("no connection to {host} in time"),
                hint,
            )
        } else if error.is_connect() {
            let hint = "is the server running, the base_url right, the CA known?";
            (
                ErrorKind::Connect,
                format!("no connection to {host}: {cause}"),
                hint,
            )
        } else if is_garbage(&error) {
            let hint = "a proxy or the server garbles the transfer";
            (
                ErrorKind::Malformed,
                format!("the answer is no proper HTTP: {cause}"),
                hint,
            )
        } else {
            let hint = "the server or the network dropped it; try again";
            (ErrorKind::Broken, format!("the connection broke: {cause}"), hint)
        };
        LlmError::new(kind, &self.provider, message, hint)
    }
}

fn describe_status(
    status: StatusCode,
    quota: bool,
    wait: Option<Duration>,
) -> (ErrorKind, &'static str, String) {
    let (kind, what, hint) = match status.as_u16() {
        401 | 403 => (
            ErrorKind::Auth,
            "the key was refused",
            "check the key and what it may use",
        ),
        402 => (
            ErrorKind::Quota,
            "the account must be paid",
            "top it up or choose another provider",
        ),
        404 => (
            ErrorKind::NotFound,
            "no such address or model",
            "check base_url and the model's name: noctui models list",
        ),
        429 if quota => (
            ErrorKind::Quota,
            "the account is out of credit",
            "top it up or choose another provider",
        ),
        429 => (
            ErrorKind::RateLimited,
            "too many requests or tokens",
            "wait, or choose another model for some roles",
        ),
        503 | 529 => (
            ErrorKind::Overloaded,
            "the provider is overloaded",
            "try again or choose another provider",
        ),
        500..=599 => (
            ErrorKind::Server,
            "the server failed",
            "try again; if it stays, ask the provider",
        ),
        300..=399 => (
            ErrorKind::NotFound,
            "the server sends us elsewhere",
            "set base_url to the final address",
        ),
        _ => (
            ErrorKind::BadRequest,
            "the server refused the request",
            "check the model's limits and the provider's settings",
        ),
    };
    match (kind, wait) {
        (ErrorKind::RateLimited | ErrorKind::Overloaded, Some(wait)) => (
            kind,
            what,
            format!("the server asks to wait {:.0} s", wait.as_secs_f64().ceil()),
        ),
        _ => (kind, what, hint.to_owned()),
    }
}

/// `Retry-After` (seconds or a date, RFC 9110 section 10.2.3) or OpenAI's `retry-after-ms`.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|t| t.parse::<u64>().ok()) {
        return Some(Duration::from_millis(ms));
    }
    let value = text(RETRY_AFTER.as_str())?;
    if let Ok(wait) = value.parse::<f64>() {
        return (wait >= 0.0).then(|| seconds(wait));
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?;
    let wait = date
        .timestamp()
        .as_second()
        .saturating_sub(jiff::Timestamp::now().as_second());
    Some(Duration::from_secs(u64::try_from(wait).unwrap_or(0)))
}

/// The innermost reason, without the URL: it may hold a password.
fn root_cause(error: &reqwest::Error) -> String {
    let mut source = error.source();
    let mut text = None;
    while let Some(inner) = source {
        text = Some(inner.to_string());
        source = inner.source();
    }
    text.unwrap_or_else(|| "request failed".into())
}

fn is_garbage(error: &reqwest::Error) -> bool {
    let mut source = error.source();
    while let Some(inner) = source {
        if let Some(hyper) = inner.downcast_ref::<io::Error>()
            && matches!(
                hyper.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData
            )
        {
            return true;
        }
        let text = inner.to_string();
        if text.contains("invalid HTTP") || text.to_lowercase().contains("invalid chunk") {
            return true;
        }
        source = inner.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(
            HeaderName::from_static(name),
            HeaderValue::from_str(value).unwrap(),
        )])
    }

    #[test]
    fn retry_after_is_read_in_all_its_forms() {
        assert_eq!(
            retry_after(&headers("retry-after", "2")),
            Some(Duration::from_secs(2))
        );
        assert_eq!(
            retry_after(&headers("retry-after", "0.5")),
            Some(Duration::from_millis(500))
        );
        assert_eq!(
            retry_after(&headers("retry-after-ms", "120")),
            Some(Duration::from_millis(120))
        );
        assert_eq!(
            retry_after(&headers("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")),
            Some(Duration::ZERO)
        );
        assert_eq!(retry_after(&headers("retry-after", "soon")), None);
        assert_eq!(retry_after(&headers("retry-after", "-3")), None);
        let far =
            (jiff::Timestamp::now() + jiff::SignedDuration::from_secs(60)).to_zoned(jiff::tz::TimeZone::UTC);
        let date = jiff::fmt::rfc2822::to_string(&far).unwrap();
        let wait = retry_after(&headers("retry-after", &date)).unwrap();
        assert!((58..=60).contains(&wait.as_secs()), "{wait:?}");
    }

    #[test]
    fn bad_settings_are_refused_before_any_call() {
        let local = |url: &str| ProviderConfig::local(url, crate::llm::Dialect::OpenAi);
        let e = Wire::new("p", local("ftp://x"), &Timeouts::default())
            .err()
            .unwrap();
        assert_eq!(e.kind, ErrorKind::Config);
        let config = ProviderConfig {
            ca_file: Some("/nonexistent.pem".into()),
            ..local("http://x/v1")
        };
        let e = Wire::new("p", config, &Timeouts::default()).err().unwrap();
        assert!(e.message.contains("/nonexistent.pem"), "{e}");
        let config = ProviderConfig {
            proxy: Some("::".into()),
            ..local("http://x/v1")
        };
        assert!(Wire::new("p", config, &Timeouts::default()).is_err());
    }
}
