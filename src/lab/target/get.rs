//! Get: every path of a request answered from one instant, in one Notification.

use super::answer::{self, Form};
use super::command;
use super::device::View;
use crate::lab::openconfig::tree::DataKind;
use crate::proto::gnmi::get_request::DataType;
use crate::proto::gnmi::{GetRequest, GetResponse, Notification, Path, TypedValue, Update, typed_value};
use crate::proto::path;
use tonic::Status;

/// # Errors
/// `NOT_FOUND` when no path leads anywhere; `INVALID_ARGUMENT` or `UNIMPLEMENTED` for what cannot be asked.
pub(super) fn get(view: &View<'_>, request: &GetRequest) -> Result<GetResponse, Status> {
    let form = answer::form(request.encoding)?;
    let kind = match DataType::try_from(request.r#type) {
        Ok(DataType::All) => DataKind::All,
        Ok(DataType::Config) => DataKind::Config,
        Ok(DataType::State) => DataKind::State,
        Ok(DataType::Operational) => DataKind::Operational,
        Err(_) => return Err(Status::invalid_argument("the data type is none of gNMI's")),
    };
    answer::check_models(&request.use_models)?;
    let paths = paths(request)?;
    let mut update = Vec::new();
    for path in &paths {
        match command::command(path) {
            Some(command) => update.push(run(view, path, &command, form)?),
            None if form == Form::Ascii => {
                return Err(Status::invalid_argument(
                    "encoding ASCII is for command output (\"show logging\"); ask data with JSON_IETF",
                ));
            }
            None => {
                let found = view.read(&answer::elements(path)?, kind);
                update.extend(answer::updates(&path.origin, found, form));
            }
        }
    }
    if update.is_empty() {
        let names = answer::name_paths(&paths);
        return Err(Status::not_found(format!(
            "Requested element(s) not found: {names}"
        )));
    }
    let prefix = request.prefix.as_ref().filter(|prefix| !prefix.target.is_empty());
    let notification = Notification {
        timestamp: view.clock_ns(),
        prefix: prefix.map(|prefix| Path {
            target: prefix.target.clone(),
            ..Path::default()
        }),
        update,
        ..Notification::default()
    };
    Ok(GetResponse {
        notification: vec![notification],
        ..GetResponse::default()
    })
}

/// The asked paths with the prefix in front; a request with only a prefix asks for that.
fn paths(request: &GetRequest) -> Result<Vec<Path>, Status> {
    let prefix = request.prefix.as_ref();
    if request.path.is_empty() {
        return match prefix {
            Some(prefix) => Ok(vec![prefix.clone()]),
            None => Err(Status::invalid_argument("a Get needs at least one path")),
        };
    }
    Ok(request.path.iter().map(|item| path::join(prefix, item)).collect())
}

fn run(view: &View<'_>, path: &Path, command: &str, form: Form) -> Result<Update, Status> {
    if form != Form::Ascii {
        return Err(Status::invalid_argument("command output needs encoding ASCII"));
    }
    let text = command::run(command, view.log_lines())?;
    Ok(Update {
        path: Some(answer::answer_path(&path.origin, path.elem.clone())),
        val: Some(TypedValue {
            value: Some(typed_value::Value::AsciiVal(text)),
        }),
        ..Update::default()
    })
}
