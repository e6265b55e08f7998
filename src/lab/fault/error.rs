//! What can be wrong with a `[[fault]]` entry. Two lines: what, and the nearest thing that exists.

/// A fault that can't be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    #[error("fault: no operation \"{op}\"\n  {hint}")]
    UnknownOp { op: String, hint: String },
    #[error("fault {op}: no device \"{device}\"\n  {hint}")]
    UnknownDevice {
        op: String,
        device: String,
        hint: String,
    },
    #[error("fault {op} on {device}: no {field} \"{name}\"\n  {hint}")]
    UnknownName {
        op: String,
        device: String,
        field: &'static str,
        name: String,
        hint: String,
    },
    #[error("fault {op} on {device}: {field} is missing\n  it takes {fields}")]
    MissingField {
        op: String,
        device: String,
        field: &'static str,
        fields: String,
    },
    #[error("fault {op} on {device}: {field} means nothing here\n  it takes {fields}")]
    StrayField {
        op: String,
        device: String,
        field: &'static str,
        fields: String,
    },
    #[error("fault {op} on {device}: {field} = {got} will not do\n  expected {expected}")]
    BadValue {
        op: String,
        device: String,
        field: &'static str,
        got: String,
        expected: String,
    },
}

/// The nearest of `known` to `name`, as a hint.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let mut all: Vec<&str> = known.collect();
    all.sort_by(|a, b| strsim::jaro_winkler(name, b).total_cmp(&strsim::jaro_winkler(name, a)));
    match all.as_slice() {
        [] => "there are none".into(),
        [best, ..] if strsim::jaro_winkler(name, best) > 0.75 => format!("did you mean \"{best}\"?"),
        many => format!(
            "there are: {}",
            many.iter().take(8).copied().collect::<Vec<_>>().join(", ")
        ),
    }
}
