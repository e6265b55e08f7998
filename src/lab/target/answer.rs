//! What Get and Subscribe have in common: which encodings and origins there are, and how found nodes
//! become updates.

use crate::lab::openconfig::MODELS;
use crate::lab::openconfig::encode::{self, JsonFlavour};
use crate::lab::openconfig::tree::{Found, Leaf, MAX_PATH_ELEMENTS, Node};
use crate::proto::gnmi::{Encoding, ModelData, Path, PathElem, TypedValue, Update};
use crate::proto::path::{self, local_name};
use tonic::Status;

/// How values are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json(JsonFlavour),
    /// One typed value a leaf.
    Proto,
    /// Text of a command.
    Ascii,
}

/// Encodings as Capabilities lists them.
pub(super) const ENCODINGS: [Encoding; 4] = [
    Encoding::JsonIetf,
    Encoding::Json,
    Encoding::Proto,
    Encoding::Ascii,
];

/// # Errors
/// `UNIMPLEMENTED` for an encoding the target does not speak, `INVALID_ARGUMENT` for a number that is none.
pub(super) fn form(encoding: i32) -> Result<Form, Status> {
    match Encoding::try_from(encoding) {
        Ok(Encoding::JsonIetf) => Ok(Form::Json(JsonFlavour::Ietf)),
        Ok(Encoding::Json) => Ok(Form::Json(JsonFlavour::Plain)),
        Ok(Encoding::Proto) => Ok(Form::Proto),
        Ok(Encoding::Ascii) => Ok(Form::Ascii),
        Ok(Encoding::Bytes) => Err(Status::unimplemented(
            "encoding BYTES is not supported; use JSON_IETF, JSON, PROTO or ASCII",
        )),
        Err(_) => Err(Status::invalid_argument(format!(
            "encoding {encoding} is not an encoding of gNMI"
        ))),
    }
}

/// # Errors
/// `UNIMPLEMENTED` when a model is asked for that the target does not have.
pub(super) fn check_models(asked: &[ModelData]) -> Result<(), Status> {
    match asked
        .iter()
        .find(|model| !MODELS.iter().any(|own| own.name == model.name))
    {
        Some(model) => Err(Status::unimplemented(format!(
            "model \"{}\" is not supported",
            model.name
        ))),
        None => Ok(()),
    }
}

/// The elements to look for. An origin that names a module binds the first element to it.
///
/// # Errors
/// `INVALID_ARGUMENT` for an origin the target has no tree for, for paths of gNMI before 0.4 and for
/// paths longer than any of its models.
pub(super) fn elements(path: &Path) -> Result<Vec<PathElem>, Status> {
    #[allow(deprecated, reason = "refused, not used")]
    if !path.element.is_empty() {
        return Err(Status::invalid_argument(
            "paths of string elements (before gNMI 0.4) are not supported",
        ));
    }
    if path.elem.len() > MAX_PATH_ELEMENTS {
        return Err(Status::invalid_argument(format!(
            "the path has {} elements; no model is deeper than {MAX_PATH_ELEMENTS}",
            path.elem.len()
        )));
    }
    let mut elements = path.elem.clone();
    match path.origin.as_str() {
        "" | "openconfig" | "rfc7951" => {}
        module if MODELS.iter().any(|model| model.name == module) => {
            if let Some(first) = elements.first_mut()
                && first.name != "*"
                && first.name != "..."
                && !first.name.contains(':')
            {
                first.name = format!("{module}:{}", first.name);
            }
        }
        other => {
            return Err(Status::invalid_argument(format!(
                "origin \"{other}\" is not supported; use \"openconfig\" or none"
            )));
        }
    }
    Ok(elements)
}

/// A path of an answer, with the origin that was asked with.
pub(super) fn answer_path(origin: &str, elem: Vec<PathElem>) -> Path {
    Path {
        origin: origin.to_owned(),
        elem,
        ..Path::default()
    }
}

/// Found nodes as the updates of a Get.
pub(super) fn updates(origin: &str, found: Vec<Found>, form: Form) -> Vec<Update> {
    match form {
        Form::Json(flavour) => found
            .into_iter()
            .map(|found| Update {
                val: Some(encode::json_value(&found.node, flavour)),
                path: Some(answer_path(origin, found.path)),
                ..Update::default()
            })
            .collect(),
        Form::Proto | Form::Ascii => found
            .into_iter()
            .flat_map(encode::leaves)
            .map(|(elem, leaf)| leaf_update(origin, elem, &leaf, form))
            .collect(),
    }
}

/// One leaf as an update.
pub(super) fn leaf_update(origin: &str, elem: Vec<PathElem>, leaf: &Leaf, form: Form) -> Update {
    Update {
        path: Some(answer_path(origin, elem)),
        val: Some(leaf_value(leaf, form)),
        ..Update::default()
    }
}

fn leaf_value(leaf: &Leaf, form: Form) -> TypedValue {
    match form {
        Form::Json(flavour) => encode::json_value(&Node::Leaf(leaf.clone()), flavour),
        Form::Proto | Form::Ascii => encode::typed(leaf),
    }
}

/// Whether a leaf moves all the time by itself; such leaves are sampled, never sent "on change".
pub(super) fn is_restless(elem: &[PathElem]) -> bool {
    const CONTAINERS: [&str; 8] = [
        "counters",
        "circuit-counters",
        "packet-counters",
        "system-level-counters",
        "messages",
        "processes",
        "memory",
        "cpus",
    ];
    const LEAVES: [&str; 3] = ["current-datetime", "offset", "offset-ms"];
    elem.iter()
        .any(|elem| CONTAINERS.contains(&local_name(&elem.name)))
        || elem
            .last()
            .is_some_and(|leaf| LEAVES.contains(&local_name(&leaf.name)))
}

/// The paths of a request as one text, for messages.
pub(super) fn name_paths(paths: &[Path]) -> String {
    let texts: Vec<String> = paths
        .iter()
        .map(|path| format!("'{}'", path::print(path)))
        .collect();
    texts.join(", ")
}
