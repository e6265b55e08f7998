//! Which JSON keys and option names carry a secret.
//!
//! Names are compared without case and separators, by their ending, so that `bgp-auth-password`,
//! `authPassword` and `AUTH_PASSWORD` are one. It does not look at values.

/// Endings that mark a secret, in the normal form of [`normal`].
const SECRET_ENDINGS: [&str; 37] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "passwordhash",
    "passwordhashed",
    "hashedpassword",
    "passwordencrypted",
    "secret",
    "secretkey",
    "secretkeyhashed",
    "secretaccesskey",
    "clientsecret",
    "apikey",
    "authkey",
    "authenticationkey",
    "privatekey",
    "sharedkey",
    "presharedkey",
    "signingkey",
    "encryptionkey",
    "privkey",
    "md5key",
    "psk",
    "keystring",
    "keyoctetstring",
    "basicauth",
    "jwt",
    "token",
    "authorization",
    "cookie",
    "credential",
    "credentials",
    "communitystring",
    "snmpcommunity",
    "rocommunity",
    "rwcommunity",
];

/// Names that end like a secret and are none.
const HARMLESS: [&str; 5] = [
    "progresstoken",
    "pagetoken",
    "nexttoken",
    "cancellationtoken",
    "lasttoken",
];

/// Whether the value under this key is a secret, such as `password`, `auth-key`, `x-api-key`, `client_secret`.
#[must_use]
pub fn is_secret_key(key: &str) -> bool {
    let name = normal(key);
    !HARMLESS.iter().any(|ending| name.ends_with(ending))
        && SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether this key opens an SNMP section, inside which a bare `community` is a secret and not a BGP value.
pub(super) fn is_snmp_section(key: &str) -> bool {
    normal(key).contains("snmp")
}

/// Whether this key is a bare `community` or `communities`, secret only inside SNMP.
pub(super) fn is_community(key: &str) -> bool {
    matches!(normal(key).as_str(), "community" | "communityname")
}

fn normal(key: &str) -> String {
    key.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_by_name() {
        for key in [
            "password",
            "PASSWORD",
            "auth-password",
            "authPassword",
            "openconfig-bgp:auth-password",
            "api_key",
            "X-API-Key",
            "client_secret",
            "access_token",
            "Authorization",
            "private-key",
            "key-string",
            "hello-password",
            "secret-key-hashed",
            "snmp_community",
            "OPENAI_API_KEY",
            "Set-Cookie",
            "rw-community",
        ] {
            assert!(is_secret_key(key), "{key}");
        }
    }

    #[test]
    fn network_facts_are_not_secrets() {
        for key in [
            "community",
            "communities",
            "key",
            "keychain",
            "prompt_tokens",
            "max_tokens",
            "token_count",
            "progressToken",
            "authentication-type",
            "neighbor-address",
            "router-id",
            "passwordless",
            "route-target",
            "secret_count",
            "public-key-algorithm",
        ] {
            assert!(!is_secret_key(key), "{key}");
        }
    }
}
