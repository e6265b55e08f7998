//! A JSON value as foldable lines. Lines are built once for a value and its folds; nothing is copied but
//! keys and pointers.

use std::collections::HashSet;

use serde_json::Value;

use crate::tui::rows::Row;
use crate::tui::text;
use crate::tui::theme::Role;

/// From this many lines on, deep parts of a value start folded.
const FOLD_ABOVE_LINES: usize = 400;

/// A line of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonLine {
    /// Its place (RFC 6901).
    pub pointer: String,
    depth: u16,
    kind: Kind,
    comma: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Leaf,
    Open { folded: bool },
    Close,
}

/// The folded places of one value.
#[derive(Debug, Clone, Default)]
pub struct Folds {
    folded: HashSet<String>,
    /// Changes with every fold.
    pub version: u64,
}

impl Folds {
    /// Folds that suit a value: everything open, unless it is long.
    pub fn for_value(value: &Value) -> Self {
        let mut folds = Self::default();
        if count_lines(value, FOLD_ABOVE_LINES + 1) > FOLD_ABOVE_LINES {
            folds.fold_all(value, 3);
        }
        folds
    }

    /// Folds or unfolds a place. Returns whether something changed.
    pub fn set(&mut self, pointer: &str, fold: bool) -> bool {
        let changed = if fold {
            self.folded.insert(pointer.to_owned())
        } else {
            self.folded.remove(pointer)
        };
        self.version += u64::from(changed);
        changed
    }

    /// Folds every object and list from `depth` on.
    pub fn fold_all(&mut self, value: &Value, depth: usize) {
        fold_deep(value, "", 0, depth, &mut self.folded);
        self.version += 1;
    }

    /// Unfolds everything.
    pub fn unfold_all(&mut self) {
        self.folded.clear();
        self.version += 1;
    }

    /// Unfolds whatever hides `pointer`.
    pub fn reveal(&mut self, pointer: &str) {
        let before = self.folded.len();
        self.folded
            .retain(|f| !(pointer == f || pointer.starts_with(&format!("{f}/"))));
        self.version += u64::from(self.folded.len() != before);
    }
}

/// The number of lines a value takes, counted up to `limit`.
fn count_lines(value: &Value, limit: usize) -> usize {
    let mut n = 1;
    let mut add = |child: &Value| {
        if n < limit {
            n += count_lines(child, limit - n);
        }
    };
    match value {
        Value::Array(items) => items.iter().for_each(&mut add),
        Value::Object(map) => map.values().for_each(&mut add),
        _ => {}
    }
    n
}

fn fold_deep(value: &Value, pointer: &str, depth: usize, from: usize, folded: &mut HashSet<String>) {
    if depth >= from && !is_leaf(value) {
        folded.insert(pointer.to_owned());
    }
    for (name, child) in children(value) {
        if !is_leaf(child) {
            fold_deep(child, &join(pointer, &name), depth + 1, from, folded);
        }
    }
}

fn is_leaf(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => true,
    }
}

fn children(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(i, v)| (i.to_string(), v))
            .collect(),
        Value::Object(map) => map.iter().map(|(k, v)| (k.clone(), v)).collect(),
        _ => Vec::new(),
    }
}

fn join(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The visible lines of a value.
pub fn lines(value: &Value, folds: &Folds) -> Vec<JsonLine> {
    let mut out = Vec::new();
    push(value, String::new(), 0, false, folds, &mut out);
    out
}

fn push(value: &Value, pointer: String, depth: u16, comma: bool, folds: &Folds, out: &mut Vec<JsonLine>) {
    if is_leaf(value) {
        out.push(JsonLine {
            pointer,
            depth,
            kind: Kind::Leaf,
            comma,
        });
        return;
    }
    let folded = folds.folded.contains(&pointer);
    let kind = Kind::Open { folded };
    out.push(JsonLine {
        pointer: pointer.clone(),
        depth,
        kind,
        comma: comma && folded,
    });
    if folded {
        return;
    }
    let list = children(value);
    let last = list.len().saturating_sub(1);
    for (i, (name, child)) in list.into_iter().enumerate() {
        push(child, join(&pointer, &name), depth + 1, i < last, folds, out);
    }
    out.push(JsonLine {
        pointer,
        depth,
        kind: Kind::Close,
        comma,
    });
}

impl JsonLine {
    /// Whether the line opens something that folds.
    pub fn folds(&self) -> bool {
        matches!(self.kind, Kind::Open { .. })
    }

    /// Whether it closes what an earlier line opened.
    pub fn closes(&self) -> bool {
        self.kind == Kind::Close
    }

    /// The line drawn. `root` is the whole value; `cited` draws the value as cited.
    pub fn row(&self, root: &Value, cited: bool) -> Row {
        let Some(value) = root.pointer(&self.pointer) else {
            return Row::new();
        };
        let list = value.is_array();
        let mark = match self.kind {
            Kind::Open { folded: true } => "▸ ",
            Kind::Open { folded: false } => "▾ ",
            _ => "  ",
        };
        let mut row = Row::text(
            format!("{mark}{}", "  ".repeat(usize::from(self.depth))),
            Role::Dim,
        );
        if self.kind != Kind::Close
            && let Some((parent, name)) = self.pointer.rsplit_once('/')
            && root.pointer(parent).is_some_and(Value::is_object)
        {
            let name = name.replace("~1", "/").replace("~0", "~");
            row = row
                .put(format!("\"{}\"", text::one_line(&name)), Role::JsonKey)
                .put(": ", Role::Dim);
        }
        let comma = if self.comma { "," } else { "" };
        let (open, close) = if list { ("[", "]") } else { ("{", "}") };
        let role = |own: Role| if cited { Role::Cited } else { own };
        match self.kind {
            Kind::Close => row.put(format!("{close}{comma}"), Role::JsonLiteral),
            Kind::Open { folded: false } => row.put(open, role(Role::JsonLiteral)),
            Kind::Open { folded: true } => {
                let n = value
                    .as_array()
                    .map_or_else(|| value.as_object().map_or(0, |m| m.len()), Vec::len);
                row.put(format!("{open} {n} {close}"), role(Role::JsonLiteral))
                    .put(comma, Role::Dim)
            }
            Kind::Leaf => {
                let (shown, own) = leaf(value);
                row.put(shown, role(own)).put(comma, Role::Dim)
            }
        }
    }
}

fn leaf(value: &Value) -> (String, Role) {
    match value {
        Value::String(s) => (format!("\"{}\"", text::one_line(s)), Role::JsonString),
        Value::Number(n) => (n.to_string(), Role::JsonNumber),
        Value::Array(_) => ("[]".to_owned(), Role::JsonLiteral),
        Value::Object(_) => ("{}".to_owned(), Role::JsonLiteral),
        other => (other.to_string(), Role::JsonLiteral),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(value: &Value, folds: &Folds) -> Vec<String> {
        lines(value, folds)
            .iter()
            .map(|l| l.row(value, false).plain())
            .collect()
    }

    #[test]
    fn a_tree_reads_as_json_and_folds() {
        let value = json!({"a": [1, {"b/c": null}], "d": "x"});
        let mut folds = Folds::default();
        assert_eq!(
            shown(&value, &folds),
            [
                "▾ {",
                "▾   \"a\": [",
                "      1,",
                "▾     {",
                "        \"b/c\": null",
                "      }",
                "    ],",
                "    \"d\": \"x\"",
                "  }"
            ]
        );
        folds.set("/a", true);
        assert_eq!(
            shown(&value, &folds),
            ["▾ {", "▸   \"a\": [ 2 ],", "    \"d\": \"x\"", "  }"]
        );
        folds.fold_all(&value, 1);
        folds.reveal("/a/1/b~1c");
        assert!(
            shown(&value, &folds).iter().any(|l| l.contains("b/c")),
            "a cited place is never hidden"
        );
    }

    #[test]
    fn long_values_start_folded() {
        let long = json!(
            (0..500)
                .map(|i| json!({"n": {"i": {"deep": {"x": i}}}}))
                .collect::<Vec<_>>()
        );
        let n = lines(&long, &Folds::for_value(&long)).len();
        assert!(n < 2_600, "{n}");
    }
}
