//! Turns words as people type them into an FTS5 expression, and spreads compound words for the index.
//!
//! Raw text is a syntax error to FTS5, so each term is quoted; names such as `xrd-1`, `100.100.100.107` or
//! `Gi0/0/0/1` stay whole and are also searched by their parts.

/// Characters that belong to a word; the index's tokenizer has the same list.
pub(super) const WORD_CHARS: &str = "-_/.:";

/// Words that carry no meaning in a query.
const NOISE: [&str; 44] = [
    "a", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "do", "does", "doing", "for",
    "from", "has", "have", "how", "i", "in", "is", "it", "its", "me", "my", "of", "on", "or", "our",
    "please", "that", "the", "there", "this", "to", "was", "we", "what", "which", "why", "with", "you",
    "all",
];

/// One idea, several spellings: a term of a row also searches the rest of its row.
const SPELLINGS: [&[&str]; 10] = [
    &["isis", "is-is"],
    &["neighbor", "neighbour", "peer"],
    &["rr", "reflector"],
    &["vpn", "l3vpn", "vrf"],
    &["sr", "segment", "sr-mpls"],
    &["down", "idle", "active"],
    &["flap", "flapping", "bouncing"],
    &["crc", "fcs"],
    &["lag", "bundle"],
    &["rt", "target"],
];

/// Most terms of one query; a query of a hundred kilobytes searches by its first words.
const MAX_TERMS: usize = 48;

/// The FTS5 expression for a query; none when nothing in it can be searched.
pub(super) fn expression(text: &str) -> Option<String> {
    let mut terms: Vec<String> = Vec::new();
    for word in words(text) {
        if terms.len() >= MAX_TERMS {
            break;
        }
        let row = SPELLINGS.iter().find(|row| row.contains(&word.as_str()));
        let spellings = row
            .into_iter()
            .flat_map(|row| row.iter().map(|term| (*term).to_owned()));
        for term in std::iter::once(word.clone()).chain(parts(&word)).chain(spellings) {
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
    }
    let quoted: Vec<String> = terms.iter().map(|term| format!("\"{term}\"")).collect();
    (!quoted.is_empty()).then(|| quoted.join(" OR "))
}

/// The parts of the compound words of a text, for a column of their own.
pub(super) fn spread(text: &str) -> String {
    let parts: Vec<String> = raw_words(text).flat_map(|word| parts(&word)).collect();
    parts.join(" ")
}

fn words(text: &str) -> impl Iterator<Item = String> {
    raw_words(text).filter(|word| !NOISE.contains(&word.as_str()))
}

fn raw_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !(c.is_alphanumeric() || WORD_CHARS.contains(c)))
        .map(|word| word.trim_matches(|c: char| WORD_CHARS.contains(c)).to_lowercase())
        .filter(|word| !word.is_empty())
}

fn parts(word: &str) -> Vec<String> {
    if !word.contains(|c: char| WORD_CHARS.contains(c)) {
        return Vec::new();
    }
    // Parts of two letters and numbers alone say nothing (the `is` of is-is, the bytes of an address).
    let telling = |part: &&str| part.len() >= 3 && part.chars().any(char::is_alphabetic);
    word.split(|c: char| WORD_CHARS.contains(c))
        .filter(telling)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_whole_and_noise_goes() {
        let found = expression("Why is the BGP session to 100.100.100.107 on xrd-1 down?").unwrap();
        assert!(
            found.contains("\"100.100.100.107\"") && found.contains("\"xrd-1\""),
            "{found}"
        );
        assert!(found.contains("\"bgp\"") && !found.contains("\"the\""), "{found}");
    }

    #[test]
    fn spellings_and_parts_are_searched_too() {
        assert_eq!(expression("isis").unwrap(), "\"isis\" OR \"is-is\"");
        let found = expression("collector.get_routing_info").unwrap();
        assert!(
            found.contains("\"routing\"") && found.contains("\"info\""),
            "{found}"
        );
    }

    #[test]
    fn nothing_to_search_is_none_and_hostile_text_is_quoted() {
        assert_eq!(expression(" ?! the -- "), None);
        let hostile = expression("\" OR body:* NEAR(x y) \u{1b}[31m -- ; drop table").unwrap();
        assert_eq!(hostile.matches('"').count() % 2, 0, "{hostile}");
        assert!(expression(&"word ".repeat(50_000)).unwrap().len() < 100);
        let many: String = (0..50_000).map(|i| format!("w{i} ")).collect();
        assert!(expression(&many).unwrap().len() < 2_000);
    }
}
