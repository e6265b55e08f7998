//! What of a request stays when the clock moves on: its text without times, ages, counters and ports.
//!
//! The same investigation an hour later asks the same questions about other numbers. Names stay as they
//! are: whatever has a letter, a dash or a slash in it (`xrd-1`, `Gi0/0/0/1`, `E4`), and addresses.

use super::ChatRequest;
use crate::llm::Message;

/// True when two requests differ at most in what moves with the clock.
pub(super) fn same(a: &ChatRequest, b: &ChatRequest) -> bool {
    a.role == b.role
        && a.tool_choice == b.tool_choice
        && a.output == b.output
        && a.tools == b.tools
        && a.messages.len() == b.messages.len()
        && a.messages.iter().zip(&b.messages).all(|(a, b)| alike(a, b))
}

fn alike(a: &Message, b: &Message) -> bool {
    use Message::{Assistant, System, Tool, User};
    match (a, b) {
        (System { text: a }, System { text: b }) | (User { text: a }, User { text: b }) => {
            steady(a) == steady(b)
        }
        (Assistant { text: a, calls: x }, Assistant { text: b, calls: y }) => {
            steady(a) == steady(b)
                && x.len() == y.len()
                && x.iter()
                    .zip(y)
                    .all(|(x, y)| x.name == y.name && steady(&x.arguments) == steady(&y.arguments))
        }
        (
            Tool {
                name: x,
                text: a,
                failed: f,
                ..
            },
            Tool {
                name: y,
                text: b,
                failed: g,
                ..
            },
        ) => x == y && f == g && steady(a) == steady(b),
        _ => false,
    }
}

/// `text` with `#` for every number that moves.
pub(super) fn steady(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    for c in text.chars() {
        if is_part(c) {
            word.push(c);
        } else {
            settle(&mut word, &mut out);
            out.push(c);
        }
    }
    settle(&mut word, &mut out);
    out
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | ':' | '-' | '+' | '_' | '/')
}

fn settle(word: &mut String, out: &mut String) {
    // a dot or colon before or after a number is none of its own
    let rest = word.trim_start_matches(['.', ':']);
    out.push_str(&word[..word.len() - rest.len()]);
    let body = rest.trim_end_matches(['.', ':']);
    match address(body) {
        Some(address) => out.push_str(address),
        None if moves(body) => out.push('#'),
        None => out.push_str(body),
    }
    out.push_str(&rest[body.len()..]);
    word.clear();
}

/// The address of `10.0.0.1`, `10.0.0.1:5000` and `10.0.0.1/32`; a port moves, a length does not.
fn address(word: &str) -> Option<&str> {
    let host = word.split_once(':').map_or(word, |(host, _)| host);
    let plain = host.split_once('/').map_or(host, |(host, _)| host);
    let parts: Vec<&str> = plain.split('.').collect();
    let octet = |p: &&str| !p.is_empty() && p.len() <= 3 && p.bytes().all(|b| b.is_ascii_digit());
    (parts.len() == 4 && parts.iter().all(octet)).then_some(host)
}

/// A plain number, one with a unit or units (`12s`, `1h30m`), a date, a time of day.
fn moves(word: &str) -> bool {
    let first = word.trim_start_matches(['-', '+']);
    if !first.starts_with(|c: char| c.is_ascii_digit()) || word.contains(['/', '_']) {
        return false;
    }
    if first.starts_with("0x") {
        return false;
    }
    let date = first.len() >= 10
        && first.is_char_boundary(10)
        && first[..10].bytes().enumerate().all(|(n, b)| {
            if n == 4 || n == 7 {
                b == b'-'
            } else {
                b.is_ascii_digit()
            }
        });
    let mut letters = 0;
    for c in first.chars() {
        letters = if c.is_alphabetic() { letters + 1 } else { 0 };
        if letters > 2 && !date {
            return false;
        }
    }
    date || !first.contains('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_ages_counters_and_ports_move() {
        for (text, kept) in [
            ("read at 2026-11-22T04:45:56.123Z.", "read at #."),
            ("up since 12s, 1h30m, 3w2d and 45 s", "up since #, #, # and # s"),
            ("Nov 22 04:45:56.1: %BGP-5-ADJ", "Nov # #: %BGP-5-ADJ"),
            (
                "{\"in_errors\":1234,\"rate\":-0.25}",
                "{\"in_errors\":#,\"rate\":#}",
            ),
            ("127.0.0.1:41234 (612 bytes)", "127.0.0.1 (# bytes)"),
        ] {
            assert_eq!(steady(text), kept);
        }
    }

    #[test]
    fn names_and_addresses_stay() {
        for text in [
            "xrd-1 and xrd-12 [E4] C7 F2 S3",
            "Gi0/0/0/1, GigabitEthernet0/0/0/0.100, 0/RP0/CPU0",
            "100.100.100.107 10.1.0.0/30 4-byte",
            "49.0001.aaaa runbook:2 step_3 0x1F état",
        ] {
            assert_eq!(steady(text), text);
        }
    }
}
