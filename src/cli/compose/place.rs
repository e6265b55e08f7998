//! Where an investigation takes place: the network of the configured servers, or the built-in lab.

use std::fmt;

use super::super::{Context, Failure};
use crate::agent::model::Options;
use crate::settings::LabSize;

/// Where an investigation takes place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum Place {
    /// What the MCP servers of the configuration reach.
    Network,
    /// A lab in this process.
    Lab {
        /// Size.
        size: LabSize,
        /// What is broken in it; nothing when absent.
        scenario: Option<String>,
        /// Seed of its noise.
        seed: u64,
    },
}

impl Place {
    /// The place that flags ask for.
    ///
    /// # Errors
    /// When there is no such scenario, or the settings can't be read.
    pub(in crate::cli) fn choose(
        size: Option<LabSize>,
        scenario: Option<String>,
        context: &Context,
    ) -> Result<Place, Failure> {
        let seed = context.settings()?.lab.seed;
        match (size, scenario) {
            (None, None) => Ok(Place::Network),
            (size, None) => Ok(Place::Lab {
                size: size.unwrap_or(LabSize::S),
                scenario: None,
                seed,
            }),
            (size, Some(id)) => {
                let scenario = super::lab::scenario(&id)?;
                let own = super::lab::size_of(&scenario);
                if size.is_some_and(|size| size != own) {
                    let what = format!("scenario {id} is for a lab of size {own:?}");
                    return Err(Failure::usage(
                        what,
                        format!("leave --lab out, or say --lab {own:?}"),
                    ));
                }
                Ok(Place::Lab {
                    size: own,
                    scenario: Some(scenario.id.clone()),
                    seed,
                })
            }
        }
    }

    /// The place of a recorded session.
    ///
    /// # Errors
    /// When its scenario is gone, or the settings can't be read.
    pub(in crate::cli) fn of_session(options: &Options, context: &Context) -> Result<Place, Failure> {
        let mut words = options.context.split_whitespace();
        match (
            words.next(),
            words.next().and_then(|size| super::super::lab_size(size).ok()),
            words.next(),
        ) {
            (Some("lab"), Some(size), scenario) => {
                let place = Place::choose(Some(size), scenario.map(str::to_owned), context)?;
                Ok(match place {
                    Place::Lab { size, scenario, .. } => Place::Lab {
                        size,
                        scenario,
                        seed: options.seed,
                    },
                    Place::Network => Place::Network,
                })
            }
            _ => Ok(Place::Network),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Network => f.write_str("network"),
            Place::Lab {
                size, scenario: None, ..
            } => write!(f, "lab {size:?}"),
            Place::Lab {
                size,
                scenario: Some(id),
                ..
            } => write!(f, "lab {size:?} {id}"),
        }
    }
}
