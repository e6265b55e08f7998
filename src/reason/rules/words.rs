//! The query as words: what looks like a device, a VRF, an interface, an address.

/// A text cut into words, punctuation at their ends removed. `xrd-1:Gi0/0/0/1` and `xrd-1--xrd-3` are two.
pub fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| c.is_whitespace() || PUNCTUATION.contains(&c))
        .flat_map(|w| w.split("--"))
        .flat_map(|w| match w.split_once(':') {
            Some((a, b)) if b.starts_with(|c: char| c.is_ascii_alphabetic()) => [a, b],
            _ => [w, ""],
        })
        .map(|w| {
            w.trim_matches(|c: char| matches!(c, '.' | ':' | '…' | '\'' | '’'))
                .trim_end_matches("'s")
                .trim_end_matches("’s")
        })
        .filter(|w| !w.is_empty())
        .collect()
}

/// What stands between words besides blanks.
const PUNCTUATION: [char; 16] = [
    ',', ';', '"', '(', ')', '?', '!', '<', '>', '[', ']', '`', '“', '”', '|', '→',
];

/// Names that look like a VRF and are none.
const NO_VRF: [&str; 24] = [
    "IS-IS",
    "PE-CE",
    "CE-PE",
    "SR-MPLS",
    "MP-BGP",
    "BGP-LS",
    "SR-PCE",
    "IPV4-UNICAST",
    "L3-VPN",
    "E-BGP",
    "I-BGP",
    "SR-TE",
    "P-ROUTER",
    "PE-ROUTER",
    "MPLS-TE",
    "BUNDLE-ETHER",
    "PREFIX-SID",
    "ADJ-SID",
    "RT-IMPORT",
    "RT-EXPORT",
    "BFD",
    "READ-ONLY",
    "END-TO-END",
    "VPN-V4",
];

/// True for a name in capitals with a hyphen or underscore, as customers' VRFs are named.
pub fn looks_like_vrf(word: &str) -> bool {
    let upper = word.chars().filter(|c| c.is_ascii_uppercase()).count();
    upper >= 2
        && (word.contains('-') || word.contains('_'))
        && !word.contains('/')
        && word
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
        && !NO_VRF.contains(&word.to_ascii_uppercase().as_str())
}

const INTERFACES: [(&str, &str); 24] = [
    ("gigabitethernet", "GigabitEthernet"),
    ("tengige", "TenGigE"),
    ("twentyfivegige", "TwentyFiveGigE"),
    ("fortygige", "FortyGigE"),
    ("hundredgige", "HundredGigE"),
    ("fourhundredgige", "FourHundredGigE"),
    ("bundle-ether", "Bundle-Ether"),
    ("loopback", "Loopback"),
    ("mgmteth", "MgmtEth"),
    ("gigabiteth", "GigabitEthernet"),
    ("tengig", "TenGigE"),
    ("hundredgig", "HundredGigE"),
    ("bundle", "Bundle-Ether"),
    ("ethernet", "Ethernet"),
    ("gige", "GigabitEthernet"),
    ("gig", "GigabitEthernet"),
    ("gi", "GigabitEthernet"),
    ("g", "GigabitEthernet"),
    ("te", "TenGigE"),
    ("hu", "HundredGigE"),
    ("fo", "FortyGigE"),
    ("be", "Bundle-Ether"),
    ("lo", "Loopback"),
    ("eth", "Ethernet"),
];

/// The full name of an interface, also from its usual abbreviation.
pub fn interface(word: &str) -> Option<String> {
    let lower = word.to_ascii_lowercase();
    INTERFACES.iter().find_map(|(short, full)| {
        let rest = &word[lower.strip_prefix(short).map(|r| word.len() - r.len())?..];
        let numbered = rest.starts_with(|c: char| c.is_ascii_digit())
            && rest
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.'));
        let ported = rest.contains('/') || matches!(*full, "Bundle-Ether" | "Loopback" | "Ethernet");
        (numbered && ported).then(|| format!("{full}{rest}"))
    })
}

/// True for an IPv4 address.
pub fn is_address(word: &str) -> bool {
    word.parse::<std::net::Ipv4Addr>().is_ok()
}

/// Letters and digits only, lower case: `XRD 1` and `xrd-1` are the same.
pub fn plain(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart() {
        assert_eq!(interface("Gi0/0/0/1").as_deref(), Some("GigabitEthernet0/0/0/1"));
        assert_eq!(interface("BE34").as_deref(), Some("Bundle-Ether34"));
        assert_eq!(
            interface("GigabitEthernet0/0/0/2").as_deref(),
            Some("GigabitEthernet0/0/0/2")
        );
        assert_eq!(interface("gi"), None);
        assert_eq!(interface("bed"), None);
        assert!(looks_like_vrf("CUST-A") && looks_like_vrf("ACME_VOICE"));
        assert!(!looks_like_vrf("IS-IS") && !looks_like_vrf("xrd-1") && !looks_like_vrf("PE-CE"));
        assert_eq!(
            words("Check xrd-1's BGP (now)?"),
            ["Check", "xrd-1", "BGP", "now"]
        );
    }
}
