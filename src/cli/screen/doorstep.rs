//! Before the program proper: the first run, the set-up, and a session that was cut short.

use std::sync::Arc;

use super::super::compose;
use super::super::{Context, Failure, gnmi, setup};
use super::desk::{Doorstep, shown};
use super::{base, leave};
use crate::tui::source::SessionRow;
use crate::tui::{self, Options, Setting, Start};

/// A session that was cut short longer ago than this is no longer what somebody was about to do: 12 hours.
const RECENT_MS: i64 = 12 * 3_600_000;

/// Sessions looked at for one that was cut short.
const LOOKED_AT: usize = 20;

/// Whether nobody has told noctui anything yet: no settings, no servers, no inventory, no flags.
///
/// # Errors
/// When the settings can't be read.
pub(super) fn first_run(context: &Context) -> Result<bool, Failure> {
    let folders = context.folders()?;
    let told = context.globals.config.is_some()
        || !context.globals.set.is_empty()
        || folders.settings_file().exists()
        || folders.servers_file().exists()
        || context
            .loaded()?
            .origins
            .values()
            .any(|o| *o != crate::settings::Origin::Default)
        || gnmi::inventory_in_force(context).is_ok();
    Ok(!told)
}

/// The latest session that was cut short: killed, or left while it ran. One that another process plays was not.
///
/// # Errors
/// When the journal can't be read.
pub(super) fn cut_short(context: &Context) -> Result<Option<SessionRow>, Failure> {
    let store = compose::store(context)?;
    let now = jiff::Timestamp::now().as_millisecond();
    let rows = store.sessions("", LOOKED_AT)?;
    for row in rows {
        let open = row.outcome.is_empty() && now - row.updated_at.0 < RECENT_MS;
        if open && !compose::is_played(context, &row.id)? {
            return Ok(Some(shown(row)));
        }
    }
    Ok(None)
}

/// Shows the set-up; on the first run it offers the demo before.
///
/// # Errors
/// When the screen can't be opened.
pub(super) fn run(context: &Context, offer: bool) -> Result<tui::Exit, Failure> {
    let options = Options {
        setting: Setting {
            known: setup::known(context),
            ..Setting::default()
        },
        start: Start::Setup { offer },
        ..base(context)?
    };
    let desk = Arc::new(Doorstep::new(context));
    context.block_on(async { leave(tui::run(desk, options).await) })
}
