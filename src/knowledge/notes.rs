//! Markdown notes: the built-in handbook and the user's folder, cut into sections under their headings.
//!
//! Notes are data from outside: secrets are hidden and control characters made visible when they are read.

use std::fs;
use std::path::{Path, PathBuf};

use crate::redaction::{neutralise, redact_text};

/// The extension of a note.
pub const NOTE_EXTENSION: &str = "md";

/// A section of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The file, relative to its folder: `notes/bgp.md`.
    pub source: String,
    /// Headings from the title down: `BGP › Session stuck in ACTIVE`.
    pub heading: String,
    /// The text below the last heading.
    pub text: String,
}

/// The built-in handbook.
const HANDBOOK: [(&str, &str); 7] = [
    ("notes/bgp.md", include_str!("../../config/notes/bgp.md")),
    ("notes/gnmi.md", include_str!("../../config/notes/gnmi.md")),
    (
        "notes/interfaces.md",
        include_str!("../../config/notes/interfaces.md"),
    ),
    ("notes/isis.md", include_str!("../../config/notes/isis.md")),
    ("notes/l3vpn.md", include_str!("../../config/notes/l3vpn.md")),
    (
        "notes/segment-routing.md",
        include_str!("../../config/notes/segment-routing.md"),
    ),
    (
        "notes/system-and-time.md",
        include_str!("../../config/notes/system-and-time.md"),
    ),
];

/// Longest section handed to a reader, in characters; longer ones are cut at paragraphs.
const SECTION_CHARS: usize = 1_500;
/// Largest note, number of notes and depth of folders that are read.
const MAX_NOTE_BYTES: u64 = 1 << 20;
const MAX_NOTES: usize = 2_000;
const MAX_DEPTH: usize = 4;

/// The sections of the built-in handbook.
pub fn handbook() -> Vec<Note> {
    HANDBOOK
        .iter()
        .flat_map(|(source, text)| sections(source, text))
        .collect()
}

/// The sections of every note below a folder, which may be missing. What cannot be read is logged and left out.
pub fn read_notes(folder: &Path) -> Vec<Note> {
    let mut files = Vec::new();
    find(folder, 0, &mut files);
    files.sort();
    let mut notes = Vec::new();
    for file in files {
        match fs::read_to_string(&file) {
            Ok(text) => {
                let name = file.strip_prefix(folder).unwrap_or(&file).display();
                let text = redact_text(&text).into_owned();
                notes.extend(sections(&format!("notes/{name}"), &neutralise(&text)));
            }
            Err(error) => tracing::warn!(file = %file.display(), %error, "a note was left out"),
        }
    }
    notes
}

fn find(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else {
            continue;
        };
        if entry.file_name().to_string_lossy().starts_with('.') || files.len() >= MAX_NOTES {
            continue;
        }
        if kind.is_dir() && depth < MAX_DEPTH {
            find(&path, depth + 1, files);
        } else if kind.is_file()
            && path
                .extension()
                .is_some_and(|extension| extension == NOTE_EXTENSION)
        {
            match entry.metadata().map(|data| data.len()) {
                Ok(size) if size <= MAX_NOTE_BYTES => files.push(path),
                _ => tracing::warn!(file = %path.display(), "a note is too large and was left out"),
            }
        }
    }
}

/// Cuts Markdown at its headings; lines inside fences are text, whatever they begin with.
fn sections(source: &str, text: &str) -> Vec<Note> {
    let mut cutter = Cutter {
        source,
        path: Vec::new(),
        body: String::new(),
        found: Vec::new(),
    };
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        match heading(line).filter(|_| !fenced) {
            Some((level, title)) => cutter.open(level, title),
            None => {
                cutter.body.push_str(line);
                cutter.body.push('\n');
            }
        }
    }
    cutter.flush();
    cutter.found
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line[level..].strip_prefix(' ')?.trim();
    ((1..=6).contains(&level) && !title.is_empty()).then_some((level, title))
}

struct Cutter<'a> {
    source: &'a str,
    path: Vec<(usize, String)>,
    body: String,
    found: Vec<Note>,
}

impl Cutter<'_> {
    fn open(&mut self, level: usize, title: &str) {
        self.flush();
        self.path.retain(|(above, _)| *above < level);
        self.path.push((level, title.to_owned()));
    }

    fn flush(&mut self) {
        let heading = self
            .path
            .iter()
            .map(|(_, title)| title.as_str())
            .collect::<Vec<_>>()
            .join(" › ");
        for text in pieces(self.body.trim()) {
            self.found.push(Note {
                source: self.source.to_owned(),
                heading: heading.clone(),
                text,
            });
        }
        self.body.clear();
    }
}

/// A text cut at paragraphs so that no piece is longer than a section may be; one paragraph is cut hard.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for paragraph in text
        .split("\n\n")
        .map(str::trim)
        .filter(|paragraph| !paragraph.is_empty())
    {
        let length = paragraph.chars().count();
        match pieces.last_mut() {
            Some(last) if last.chars().count() + length < SECTION_CHARS => {
                last.push_str("\n\n");
                last.push_str(paragraph);
            }
            _ => {
                let chars: Vec<char> = paragraph.chars().collect();
                pieces.extend(
                    chars
                        .chunks(SECTION_CHARS)
                        .map(|chunk| chunk.iter().collect::<String>()),
                );
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_know_their_headings_and_fences_are_text() {
        let text =
            "intro\n# A\none\n## B\ntwo\n```\n# not a heading\n```\n### C\nthree\n## D\nfour\n#nothing\n";
        let found: Vec<(String, String)> = sections("notes/x.md", text)
            .into_iter()
            .map(|note| (note.heading, note.text))
            .collect();
        let expected = [
            ("", "intro"),
            ("A", "one"),
            ("A › B", "two\n```\n# not a heading\n```"),
            ("A › B › C", "three"),
            ("A › D", "four\n#nothing"),
        ];
        assert_eq!(found, expected.map(|(h, t)| (h.to_owned(), t.to_owned())));
    }

    #[test]
    fn long_sections_are_cut() {
        let text = format!("{}\n\n{}", "a".repeat(4_000), "b ".repeat(100));
        let pieces = pieces(&text);
        assert!(
            pieces.iter().all(|piece| piece.chars().count() <= SECTION_CHARS),
            "{}",
            pieces.len()
        );
        assert_eq!(pieces.concat().matches('a').count(), 4_000);
    }

    #[test]
    fn a_users_notes_are_read_without_their_secrets() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("deep")).unwrap();
        let note = "# Site\nneighbor 10.0.0.1 password 7 0822455D0A16\n\u{1b}[31mred\n";
        fs::write(home.path().join("deep/site.md"), note).unwrap();
        fs::write(home.path().join("bad.md"), [0xff, 0xfe]).unwrap();
        fs::write(home.path().join("not.txt"), "# no").unwrap();
        let notes = read_notes(home.path());
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert_eq!(
            (notes[0].source.as_str(), notes[0].heading.as_str()),
            ("notes/deep/site.md", "Site")
        );
        assert!(
            !notes[0].text.contains("0822455D0A16") && !notes[0].text.contains('\u{1b}'),
            "{notes:?}"
        );
        assert!(read_notes(&home.path().join("missing")).is_empty());
    }

    #[test]
    fn every_note_of_config_is_in_the_handbook() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/notes");
        let mut files = Vec::new();
        find(&folder, 0, &mut files);
        assert_eq!(files.len(), HANDBOOK.len());
        assert!(handbook().len() > 30);
    }
}
