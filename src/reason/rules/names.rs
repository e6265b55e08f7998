//! The names in a query: devices as the inventory has them or as people write them, VRFs, interfaces, peers.

use super::aspects;
use super::words::{interface, is_address, looks_like_vrf, plain, words};
use crate::agent::model::Entities;

/// Every name in the text, each once, in order.
pub fn entities(text: &str, inventory: &[&str]) -> Entities {
    let list = words(text);
    let mut entities = Entities::default();
    let add = |list: &mut Vec<String>, name: String| {
        if !list.contains(&name) {
            list.push(name);
        }
    };
    let mut after_device = false;
    for (at, word) in list.iter().enumerate() {
        let lower = word.to_ascii_lowercase();
        let before = at.checked_sub(1).map(|i| list[i].to_ascii_lowercase());
        let next = list.get(at + 1).copied();
        if let Some(both) = pair(word, inventory) {
            for name in both {
                add(&mut entities.devices, name);
            }
            after_device = true;
            continue;
        }
        let numbered = after_device && is_number(word) && !counts_something(next);
        let found = if numbered {
            Some(of_number(word, inventory))
        } else {
            device(word, next, before.as_deref(), inventory)
        };
        if let Some(device) = found {
            add(&mut entities.devices, device);
            after_device = true;
            continue;
        }
        let joins = matches!(lower.as_str(), "and" | "or" | "&" | "to" | "-");
        after_device = after_device && (joins || next.is_some() && is_number(word));
        if is_address(word) {
            add(&mut entities.peers, (*word).to_owned());
        } else if let Some(name) = interface(word).or_else(|| spaced(word, next)) {
            add(&mut entities.interfaces, name);
        } else if let Some(name) = vrf(word, before.as_deref()) {
            add(&mut entities.vrfs, name);
        }
    }
    entities.protocols = aspects::protocols(text);
    entities
}

/// `xrd-3-xrd-5`, `xrd-3/xrd-5`: two devices of the inventory.
fn pair(word: &str, inventory: &[&str]) -> Option<[String; 2]> {
    let known = |name: &str| inventory.iter().find(|n| n.eq_ignore_ascii_case(name));
    word.match_indices(['-', '/', '~']).find_map(|(at, _)| {
        let (a, b) = (known(&word[..at])?, known(&word[at + 1..])?);
        Some([(*a).to_owned(), (*b).to_owned()])
    })
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
}

/// `2 hours`, `3 errors`: the number counts, it names nothing.
fn counts_something(next: Option<&str>) -> bool {
    const COUNTED: [&str; 44] = [
        "adjacencies",
        "alarms",
        "bytes",
        "customer",
        "customers",
        "day",
        "days",
        "devices",
        "discards",
        "drops",
        "errors",
        "flaps",
        "frames",
        "hour",
        "hours",
        "hrs",
        "interfaces",
        "lines",
        "links",
        "min",
        "mins",
        "minute",
        "minutes",
        "neighbors",
        "neighbours",
        "nodes",
        "packets",
        "peers",
        "percent",
        "ports",
        "prefixes",
        "routers",
        "routes",
        "sec",
        "seconds",
        "secs",
        "sessions",
        "sites",
        "times",
        "vrfs",
        "week",
        "weeks",
        "x",
        "%",
    ];
    next.is_some_and(|n| COUNTED.contains(&n.to_ascii_lowercase().as_str()))
}

/// A VRF: in capitals, behind the word, or a customer's name in small letters.
fn vrf(word: &str, before: Option<&str>) -> Option<String> {
    let named = looks_like_vrf(word) || before == Some("vrf") && !is_plain_word(word);
    if named {
        return Some(word.to_owned());
    }
    let upper = word.to_ascii_uppercase();
    let customer = ["CUST-", "CUST_", "CUSTOMER-"]
        .iter()
        .any(|p| upper.starts_with(p))
        && looks_like_vrf(&upper);
    let letter =
        before == Some("customer") && word.len() == 1 && word.chars().all(|c| c.is_ascii_uppercase());
    if customer {
        Some(upper)
    } else {
        letter.then(|| format!("CUST-{word}"))
    }
}

fn is_plain_word(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    word == lower && word.chars().all(|c| c.is_ascii_alphabetic())
}

/// `Gi 0/0/0/1`, `Bundle-Ether 34`.
fn spaced(word: &str, next: Option<&str>) -> Option<String> {
    let next = next.filter(|n| n.starts_with(|c: char| c.is_ascii_digit()))?;
    interface(&format!("{word}{next}"))
}

/// The stem that most names of the inventory share: `xrd-`.
fn stem<'a>(inventory: &[&'a str]) -> Option<&'a str> {
    let first = inventory.first()?;
    let stem = first.trim_end_matches(|c: char| c.is_ascii_digit());
    let share = inventory.iter().filter(|n| n.starts_with(stem)).count();
    (stem.len() < first.len() && share * 2 > inventory.len()).then_some(stem)
}

/// The device with that number, or a name that the machine refuses with the nearest ones.
fn of_number(number: &str, inventory: &[&str]) -> String {
    let ends = |n: &&&str| n.rsplit(|c: char| !c.is_ascii_digit()).next() == Some(number);
    match inventory.iter().find(ends) {
        Some(name) => (*name).to_owned(),
        None => format!("{}{number}", stem(inventory).unwrap_or_default()),
    }
}

/// The device a word names: as it is in the inventory, spelt a little differently, or unknown but
/// named like one, which the machine then refuses with the nearest names.
fn device(word: &str, next: Option<&str>, before: Option<&str>, inventory: &[&str]) -> Option<String> {
    if word.contains('*') {
        return None;
    }
    let known = |name: &str| inventory.iter().find(|n| n.eq_ignore_ascii_case(name));
    // A name with its domain is the name.
    let short = word.split('.').next().filter(|_| !is_address(word));
    if let Some(name) = known(word).or_else(|| known(short?)) {
        return Some((*name).to_owned());
    }
    let joined = next
        .filter(|n| is_number(n))
        .map(|n| plain(&format!("{word}{n}")));
    let spelt = plain(word);
    let near = inventory
        .iter()
        .find(|n| plain(n) == spelt || joined.as_deref() == Some(plain(n).as_str()));
    if let Some(name) = near.filter(|_| spelt.len() > 2) {
        return Some((*name).to_owned());
    }
    let kinds = ["router", "device", "node", "routers", "devices", "nodes"];
    if is_number(word) && before.is_some_and(|b| kinds.contains(&b)) && !counts_something(next) {
        return Some(of_number(word, inventory));
    }
    looks_like_device(word, before, inventory).then(|| word.to_owned())
}

/// Customers' and neighbours' routers are talked of but not managed: no inventory has them.
const FOREIGN: [&str; 8] = [
    "ce", "cpe", "cust", "customer", "ixp", "peer", "transit", "upstream",
];

fn is_foreign(word: &str) -> bool {
    let kind: String = word.chars().take_while(char::is_ascii_alphabetic).collect();
    FOREIGN.iter().any(|name| kind.eq_ignore_ascii_case(name))
}

fn looks_like_device(word: &str, before: Option<&str>, inventory: &[&str]) -> bool {
    if interface(word).is_some() || is_address(word) || looks_like_vrf(word) || word.contains('/') {
        return false;
    }
    let shape = |name: &str| {
        let stem: String = name.chars().take_while(|c| !c.is_ascii_digit()).collect();
        plain(&stem)
    };
    let digits = word.chars().any(|c| c.is_ascii_digit());
    let same_family = digits
        && word.len() > 2
        && inventory
            .iter()
            .any(|n| shape(n).len() > 1 && shape(n) == shape(word));
    let dashed = word.contains('-')
        && !word.starts_with('-')
        && word.chars().next().is_some_and(|c| c.is_ascii_alphabetic());
    let placed = matches!(
        before,
        Some("on" | "device" | "router" | "node" | "from" | "host" | "at")
    );
    same_family || digits && dashed && placed && !is_foreign(word)
}
