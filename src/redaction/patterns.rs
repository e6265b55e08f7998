//! The shapes of secrets in running text: configuration lines, headers, URLs, key=value, well-known tokens.
//!
//! Each pattern captures the secret in groups named `s`, `t` or `u`; everything else stays. The sources are
//! the configuration syntaxes of IOS, IOS XR, NX-OS, Junos and SR OS, RFC 6750 (bearer), RFC 3986 (userinfo),
//! RFC 7519 (JWT) and the prefixes that token issuers document.

use std::sync::LazyLock;

use regex::Regex;

/// Cheap test: a text without any of these words needs no further look.
pub(super) static TRIGGER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)pass|pwd|secret|key|token|communit|bearer|basic|authoriz|authentic|cookie|credential|md5|sha|snmp|psk|://|\$\w{1,2}\$|eyj|sk-|gh[a-z]_|github_pat|glpat|xox|akia|asia|aiza|hf_|curl",
    )
    .ok()
});

/// The patterns in the order in which they are applied: whole blocks first, then lines, then loose tokens.
pub(super) static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    SOURCES
        .iter()
        .filter_map(|source| Regex::new(source).ok())
        .collect()
});

/// Words that follow "password" or "key" in prose and log messages; they are not the secret.
pub(super) const PROSE: [&str; 52] = [
    "mismatch",
    "mismatched",
    "failed",
    "fails",
    "failure",
    "failures",
    "authentication",
    "auth",
    "incorrect",
    "invalid",
    "required",
    "expired",
    "expires",
    "missing",
    "not",
    "is",
    "was",
    "for",
    "has",
    "and",
    "or",
    "of",
    "on",
    "in",
    "the",
    "to",
    "from",
    "policy",
    "prompt",
    "rejected",
    "accepted",
    "configured",
    "changed",
    "error",
    "wrong",
    "id",
    "chain",
    "exchange",
    "set",
    "length",
    "type",
    "value",
    "with",
    "received",
    "count",
    "encrypted",
    "encryption",
    "inheritance-disable",
    "chains",
    "mode",
    "keychain",
    "key-chain",
];

const SOURCES: [&str; 25] = [
    // PEM blocks.
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?P<s>[\s\S]*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)",
    // HTTP authorisation, as a header or as key=value.
    r#"(?i)\b(?:proxy-)?authorization\\?["']?\s*[:=]\s*\\?["']?(?:(?:bearer|basic|digest|token|apikey)\s+)?(?P<s>[^\s"'\\,;}]+)"#,
    r"(?i)\bbearer\s+(?P<s>[A-Za-z0-9._~+/=-]{8,})",
    r"(?im)\b(?:set-)?cookie:\s*(?P<s>[^\r\n]+)",
    // user:password@host in a URL.
    r"(?i)\b[a-z][a-z0-9+.-]*://[^\s/:@]+:(?P<s>[^\s/@]+)@",
    // Well-known token shapes.
    r"\b(?P<s>eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*)",
    r"\b(?P<s>(?:sk-(?:ant-|proj-)?[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeoprs]-[A-Za-z0-9-]{10,}|A[KS]IA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|hf_[A-Za-z0-9]{20,}))",
    // SNMP: communities, trap hosts and v3 users.
    r#"(?i)\bcommunity\s+"(?P<s>[^"]+)"\s+(?:r|rw|rwa|mgmt|vpls-mgmt)\s+version\b"#,
    r#"(?i)\bsnmp(?:-server|-agent)?\s+community(?:\s+(?:read|write|clear|encrypted|cipher|0|7|8))*\s+"?(?P<s>[^\s";{]+)"#,
    r"(?i)\bsnmp-server\s+host\s+\S+(?:\s+(?:vrf\s+\S+|use-vrf\s+\S+|traps?|informs?|version\s+(?:1|2c|3)|noauth|auth|priv|clear|encrypted|0|7))*\s+(?P<s>[^\s]+)",
    r"(?i)\bauth(?:entication)?\s+(?:md5|sha(?:-?\d+)?)(?:\s+(?:clear|encrypted|key-string|0|7))*\s+(?P<s>\S+)(?:\s+priv(?:acy)?(?:\s+(?:des\S*|3des|aes\S*))?(?:\s+(?:128|192|256))?(?:\s+(?:clear|encrypted|0|7))?\s+(?P<t>\S+))?",
    // Basic authentication on its own: base64 that ends in padding.
    r"\b[Bb]asic\s+(?P<s>[A-Za-z0-9+/]{8,}={1,2})",
    // Command lines: --password X, sshpass -p X, curl -u user:X.
    r"(?i)(?:^|\s)--(?:password|passwd|passphrase|secret|token|api-key)[= ]+(?P<s>[^\s-]\S*)",
    r"(?i)\bsshpass\s+-p\s*(?P<s>\S+)",
    r"(?i)\bcurl\s(?:[^\r\n]*?\s)?(?:-u|--user)\s+[^\s:]+:(?P<s>\S+)",
    // XML leaves, with or without a prefix and attributes.
    r"(?i)<(?:[\w.-]+:)?[\w.-]*(?:password|passphrase|secret|auth-key|authentication-key|key-string|private-key|token)(?:\s[^<>]*)?>(?P<s>[^<>]+)</",
    // key: value and key=value, quoted or not, also inside escaped JSON.
    r#"(?i)\b[\w.-]*(?:password|passwd|pwd|passphrase|secret|secret[_-]?key|api[_-]?key|auth[_-]?key|authentication[_-]key|private[_-]?key|pre[_-]?shared[_-]?key|shared[_-]?key|access[_-]?key|key[_-]string|[_-]token|auth[_-]?token|access[_-]?token|snmp[_-]?community|community[_-]?string)\\?["']?\s*[:=]\s*(?:\\?"(?P<s>[^"\\]*)\\?"|'(?P<t>[^']*)'|(?P<u>[^\s"',;&}\]\\]+))"#,
    r#"(?i)(?:^|[\s,{(?&"'\\])token\\?["']?\s*[:=]\s*(?:\\?"(?P<s>[^"\\]*)\\?"|'(?P<t>[^']*)'|(?P<u>[^\s"',;&}\]\\]+))"#,
    // Configuration: an encryption type makes the next word a secret wherever it stands.
    r#"(?i)\b(?:password|secret|passphrase|key|key-string|key-octet-string|md5|cipher|hmac-md5|keychain)\s+(?:(?:0|4|5|6|7|8|9|10|encrypted|clear|cleartext|clear-text|cipher|plain-text|hash2?|md5|ascii-text|hexadecimal|password)\s+)+"?(?P<s>[^\s";]+)"#,
    // Configuration: bare password lines (neighbor, isis, area, domain, hello, lsp, line, ppp, enable).
    r#"(?i)\b(?:hello-password|lsp-password|area-password|domain-password|isis password|enable (?:password|secret)|neighbor \S+ password|chap password|pap sent-username \S+ password)\s+(?:(?:hmac-md5|keychain|text|level [12]|encrypted|clear|0|7)\s+)*"?(?P<s>[^\s";]+)"#,
    r#"(?im)\b(?:password|secret|passphrase)\s+"?(?P<s>[^\s";:=]+)"?;?\s*$"#,
    // Configuration: shared keys of NTP, OSPF, RSVP, IPsec, and of TACACS+ and RADIUS servers.
    r#"(?i)\b(?:authentication[ -]key|pre-shared-key|shared-secret|key-string|message-digest-key|simple-password|(?:authentication|privacy)-password)\s+(?:\d+\s+)?(?:(?:md5|sha\S*|aes\S*|hmac\S*|cmac\S*|ascii-text|hexadecimal|local|encrypted|clear|password|address \S+|0|6|7)\s+)*"?(?P<s>[^\s";]+)"#,
    r#"(?i)\b(?:tacacs|tacplus|radius)(?:-server|\+)?[^\r\n]*?\s(?:key|secret)\s+(?:[067]\s+)?"?(?P<s>[^\s";]+)"#,
    r#"(?i)\b(?:standby|vrrp|glbp)\s+(?:\d+\s+)?authentication\s+(?:(?:text|md5|key-string|0|7)\s+)*"?(?P<s>[^\s";]+)"#,
    // Hashes: crypt(3) $1$ $5$ $6$, Cisco $8$ $9$ $14$, Junos $9$, bcrypt.
    r"(?P<s>\$(?:1|2[aby]|5|6|8|9|14)\$[A-Za-z0-9./$+=_-]{4,})",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_names_a_secret() {
        assert_eq!(PATTERNS.len(), SOURCES.len());
        assert!(TRIGGER.is_some());
        for pattern in PATTERNS.iter() {
            assert!(
                pattern.capture_names().flatten().any(|name| name == "s"),
                "{pattern}"
            );
        }
    }
}
