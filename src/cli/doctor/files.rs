//! The files: settings, journal, log, inventory.

use super::super::{Context, compose, gnmi, log};
use super::Finding;

pub(super) fn check(context: &Context) -> Vec<Finding> {
    let settings = settings(context);
    // With broken settings nobody knows where the rest is.
    if settings.grade == super::Grade::Fail {
        return vec![settings];
    }
    vec![settings, journal(context), logs(context), inventory(context)]
}

fn settings(context: &Context) -> Finding {
    const CHECK: &str = "settings";
    let folders = match context.folders() {
        Ok(folders) => folders,
        Err(failure) => return Finding::failure(CHECK, failure),
    };
    let file = folders.settings_file();
    match context.loaded() {
        Err(failure) => Finding::failure(CHECK, failure),
        Ok(_) if !file.exists() => Finding::warn(
            CHECK,
            format!("built in; there is no {}", file.display()),
            "`noctui setup` asks three questions and writes it",
        ),
        Ok(_) => Finding::ok(CHECK, file.display().to_string()),
    }
}

fn journal(context: &Context) -> Finding {
    const CHECK: &str = "journal";
    let counted = compose::store(context).and_then(|store| Ok(store.sessions("", usize::MAX)?.len()));
    match counted {
        Ok(count) => Finding::ok(CHECK, format!("opens; {count} sessions")),
        Err(failure) => Finding::failure(CHECK, failure),
    }
}

fn logs(context: &Context) -> Finding {
    const CHECK: &str = "log";
    let (Ok(settings), Ok(folders)) = (context.settings(), context.folders()) else {
        return Finding::ok(CHECK, "not looked at");
    };
    let folder = log::folder(&settings.log, folders);
    match tempfile::tempfile_in(&folder) {
        Ok(_) => Finding::ok(CHECK, folder.display().to_string()),
        Err(error) => Finding::warn(
            CHECK,
            format!("{}: {error}", folder.display()),
            "set log.dir to a folder you may write to",
        ),
    }
}

fn inventory(context: &Context) -> Finding {
    const CHECK: &str = "inventory";
    let path = match gnmi::inventory_in_force(context) {
        Ok(path) => path,
        Err(failure) => {
            let next = "`noctui setup` asks for it; `noctui demo` and --lab need none";
            return Finding::warn(CHECK, failure.what, next);
        }
    };
    match gnmi::load(context, Some(&path)) {
        Ok(inventory) if inventory.devices().is_empty() => Finding::warn(
            CHECK,
            format!("{}: no devices", path.display()),
            "add your routers to it",
        ),
        Ok(inventory) => Finding::ok(
            CHECK,
            format!("{}: {} devices", path.display(), inventory.devices().len()),
        ),
        Err(failure) => Finding::failure(CHECK, failure),
    }
}
