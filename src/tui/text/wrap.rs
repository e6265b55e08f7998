//! Word wrap by display cells: breaks at spaces, splits only words longer than a line.

use unicode_segmentation::UnicodeSegmentation;

use super::width;

/// `text` broken into lines of at most `cells` cells. Existing line breaks are kept; an empty text is one
/// empty line. With `cells == 0` nothing can be shown and the answer is empty.
pub fn wrap(text: &str, cells: usize) -> Vec<String> {
    if cells == 0 {
        return Vec::new();
    }
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        wrap_paragraph(paragraph.trim_end_matches('\r'), cells, &mut lines);
    }
    lines
}

fn wrap_paragraph(paragraph: &str, cells: usize, lines: &mut Vec<String>) {
    let mut line = String::new();
    let mut used = 0;
    for word in paragraph.split_word_bounds() {
        let w = width(word);
        if used + w <= cells {
            line.push_str(word);
            used += w;
            continue;
        }
        if word.trim().is_empty() {
            continue;
        }
        if used > 0 && w <= cells {
            // Keep closing punctuation with the word before it where that word can move along.
            let carried = if word.chars().all(|c| c.is_ascii_punctuation()) {
                carry(&mut line)
            } else {
                String::new()
            };
            lines.push(line.trim_end().to_owned());
            line = carried;
            line.push_str(word);
            used = width(&line);
            continue;
        }
        for grapheme in word.graphemes(true) {
            let g = width(grapheme);
            if used + g > cells && used > 0 {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            if g <= cells {
                line.push_str(grapheme);
                used += g;
            }
        }
    }
    lines.push(line.trim_end().to_owned());
}

/// Takes the last word off `line` when there is another word before it.
fn carry(line: &mut String) -> String {
    match line.trim_end().rfind(' ') {
        Some(at) if line[..at].chars().any(|c| c != ' ') && !line.ends_with(' ') => line.split_off(at + 1),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_at_words_and_splits_only_what_cannot_fit() {
        assert_eq!(
            wrap("the session is down", 10),
            ["the", "session is", "down"].map(String::from).to_vec()
        );
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("a\n\nb", 4), ["a", "", "b"]);
        assert!(wrap("anything", 0).is_empty());
    }

    #[test]
    fn no_line_is_wider_than_asked() {
        let text = "BGP 隣接 100.100.100.107 は Active です, since 02:13:07. (group RR)";
        for cells in 2..60 {
            for line in wrap(text, cells) {
                assert!(width(&line) <= cells, "{line:?} in {cells}");
            }
        }
    }
}
