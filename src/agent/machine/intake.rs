//! Intake: tools, inventory, the reading of the query, targets. Nothing is planned before it is done.

use super::reuse::Choice;
use super::{is_resolved, reuse};
use crate::agent::effect::{Effect, read_devices};
use crate::agent::event::Event;
use crate::agent::model::{
    Answer, Device, DeviceName, Outcome, Purpose, Question, QuestionKind, Role, Targets, ToolCall, ToolSpec,
};
use crate::agent::state::{Asked, Phase, State};

/// At most so many questions in one clarification round.
const QUESTIONS_A_ROUND: usize = 2;

pub(super) fn effects(state: &State) -> Vec<Effect> {
    let mut effects = Vec::new();
    let intake = &state.intake;
    if intake.tools.is_none() {
        effects.push(Effect::ListTools);
    }
    if intake.incidents.is_none() && !state.options.without_memory {
        effects.push(Effect::Recall);
    }
    if let Some(effect) = reuse::effect(state) {
        effects.push(effect);
    }
    if intake.devices.is_some() && wants_reading(state) {
        effects.push(Effect::Read {
            round: intake.readings,
        });
    }
    effects
}

pub(super) fn next(state: &State) -> Option<Event> {
    let intake = &state.intake;
    let tools = intake.tools.as_ref()?;
    if intake.devices.is_none() {
        return list_devices(state, tools);
    }
    if intake.incidents.is_none() && state.options.without_memory {
        return Some(Event::IncidentsRecalled {
            incidents: Vec::new(),
            facts: Vec::new(),
        });
    }
    if intake.reading.is_none() || wants_reading(state) {
        return None;
    }
    if let Some(event) = ask(state) {
        return Some(event);
    }
    if intake.targets.is_none() {
        return resolve(state, tools);
    }
    intake.incidents.as_ref()?;
    match reuse::choice(state) {
        Choice::Run => Some(Event::PhaseEntered {
            phase: Phase::Planning,
        }),
        Choice::Ask(question) => Some(Event::QuestionAsked { question }),
        Choice::Waiting | Choice::Use(_) => None,
    }
}

fn list_devices(state: &State, tools: &[ToolSpec]) -> Option<Event> {
    let failed = |reason: String| {
        Some(Event::EffectFailed {
            effect: Effect::ListTools,
            reason,
        })
    };
    if state.ledger.failed.is_some() {
        return None;
    }
    let Some(call) = state.intake.inventory_call else {
        let Some(tool) = tools.iter().find(|t| t.purpose == Purpose::Inventory) else {
            return failed(if tools.is_empty() {
                "no tool server is ready - see `noctui tools list` and the MCP servers in mcp.json".to_owned()
            } else {
                "no tool lists the devices - add a server with an inventory tool to mcp.json".to_owned()
            });
        };
        return Some(Event::CallRequested {
            call: Box::new(intake_call(state, tool, None)),
        });
    };
    let mut record = state.execution.call(call)?;
    while let Some(next) = record.follow_up.and_then(|id| state.execution.call(id)) {
        record = next;
    }
    if !is_resolved(state, call) {
        return None;
    }
    let evidence = record.evidence.last().and_then(|id| state.evidence(*id));
    let devices = evidence.and_then(|e| read_devices(&e.value)).unwrap_or_default();
    if devices.is_empty() {
        return Some(Event::SessionEnded {
            outcome: Outcome::Failed {
                reason: format!(
                    "{} returned no devices - check the inventory file of that server",
                    record.call.tool
                ),
            },
        });
    }
    Some(Event::DevicesListed { devices })
}

fn intake_call(state: &State, tool: &ToolSpec, device: Option<&DeviceName>) -> ToolCall {
    let mut arguments = serde_json::Map::new();
    if let Some(device) = device {
        let key = device_argument(tool).unwrap_or_else(|| "device_name".to_owned());
        arguments.insert(key, device.as_str().into());
    }
    ToolCall {
        id: state.execution.next_call(),
        lane: None,
        step: None,
        tool: tool.id.clone(),
        arguments,
        devices: device.cloned().into_iter().collect(),
        why: if device.is_some() {
            "learn its role".to_owned()
        } else {
            "list the devices".to_owned()
        },
        approved: false,
        grant: None,
        follows: None,
    }
}

/// The argument of a tool that takes one device name.
pub(super) fn device_argument(tool: &ToolSpec) -> Option<String> {
    let properties = tool.input_schema.get("properties")?.as_object()?;
    ["device_name", "device", "target", "hostname", "host"]
        .iter()
        .find(|key| properties.contains_key(**key))
        .map(|key| (*key).to_owned())
}

/// The questions of the current reading: its own, or the one that an unclear target makes necessary.
fn questions(state: &State) -> Vec<(String, Vec<String>)> {
    let Some(reading) = &state.intake.reading else {
        return Vec::new();
    };
    let names: Vec<String> = state
        .intake
        .devices
        .iter()
        .flatten()
        .map(|d| d.name.0.clone())
        .collect();
    let named = state.query.as_ref().is_some_and(|q| !q.devices.is_empty());
    if !reading.unclear.is_empty() {
        return reading
            .unclear
            .iter()
            .take(QUESTIONS_A_ROUND)
            .map(|q| (q.clone(), names.clone()))
            .collect();
    }
    if reading.targets == Targets::Unclear && names.len() > 1 && !named {
        return vec![("Which device or devices is this about?".to_owned(), names)];
    }
    Vec::new()
}

fn asked_this_round(state: &State) -> Vec<&Asked> {
    let this = state.intake.readings;
    let is_ours = |asked: &&Asked| {
        asked.question.step.is_none()
            && matches!(asked.question.kind, QuestionKind::Clarification { round } if round == this)
    };
    state.dialogue.asked.iter().filter(is_ours).collect()
}

/// True when the query must be read (again): at first, and after an answer in words.
fn wants_reading(state: &State) -> bool {
    if state.intake.reading.is_none() {
        return true;
    }
    let asked = asked_this_round(state);
    let all_answered = !asked.is_empty()
        && asked.len() >= questions(state).len()
        && asked.iter().all(|a| a.answer.is_some());
    let words = asked
        .iter()
        .any(|a| matches!(a.answer, Some((Answer::Text { .. }, ..))));
    all_answered && words && state.intake.targets.is_none()
}

fn ask(state: &State) -> Option<Event> {
    let asked = asked_this_round(state);
    if state.intake.readings > state.options.limits.clarification_rounds {
        return None;
    }
    let (text, suggestions) = questions(state).into_iter().nth(asked.len())?;
    Some(Event::QuestionAsked {
        question: Box::new(Question {
            id: state.dialogue.next_id(),
            kind: QuestionKind::Clarification {
                round: state.intake.readings,
            },
            text,
            suggestions,
            lane: None,
            step: None,
            at: state.updated_at,
        }),
    })
}

/// Targets from the reading; waits while a question is open.
fn resolve(state: &State, tools: &[ToolSpec]) -> Option<Event> {
    if asked_this_round(state).iter().any(|a| a.answer.is_none()) {
        return None;
    }
    let devices: &[Device] = state.intake.devices.as_deref().unwrap_or_default();
    let reading = state.intake.reading.as_ref()?;
    let typed = state
        .query
        .as_ref()
        .map(|q| q.devices.clone())
        .unwrap_or_default();
    let targets = if typed.is_empty() {
        reading.targets.clone()
    } else {
        Targets::Names(typed)
    };
    let found = match targets {
        Targets::Names(names) => by_name(devices, &names),
        Targets::Patterns(patterns) => by_pattern(devices, &patterns),
        Targets::Roles(roles) => match by_role(state, tools, devices, &roles) {
            Ok(found) => found,
            Err(event) => return event,
        },
        Targets::All | Targets::Unclear => Ok(devices.iter().map(|d| d.name.clone()).collect()),
    };
    Some(match found {
        Ok(targets) => Event::TargetsResolved { targets },
        Err(reason) => Event::SessionEnded {
            outcome: Outcome::Refused { reason },
        },
    })
}

fn by_name(devices: &[Device], names: &[String]) -> Result<Vec<DeviceName>, String> {
    let mut found = Vec::new();
    for name in names {
        let exact = devices.iter().find(|d| d.name.0 == *name);
        let device = exact.or_else(|| devices.iter().find(|d| d.name.0.eq_ignore_ascii_case(name)));
        let Some(device) = device else {
            return Err(unknown_device(devices, name));
        };
        if !found.contains(&device.name) {
            found.push(device.name.clone());
        }
    }
    if found.is_empty() {
        Err("no device is named".to_owned())
    } else {
        Ok(found)
    }
}

/// The words for an unknown device, with the nearest names.
fn unknown_device(devices: &[Device], name: &str) -> String {
    let mut near: Vec<(f64, &str)> = devices
        .iter()
        .map(|d| {
            (
                strsim::jaro_winkler(&d.name.0.to_lowercase(), &name.to_lowercase()),
                d.name.as_str(),
            )
        })
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let names: Vec<&str> = near.iter().take(3).map(|(_, n)| *n).collect();
    format!(
        "device \"{name}\" is not in the inventory of {} devices - nearest: {}",
        devices.len(),
        names.join(", ")
    )
}

fn by_pattern(devices: &[Device], patterns: &[String]) -> Result<Vec<DeviceName>, String> {
    let matches = |d: &&Device| patterns.iter().any(|p| glob(p.as_bytes(), d.name.0.as_bytes()));
    let found: Vec<DeviceName> = devices.iter().filter(matches).map(|d| d.name.clone()).collect();
    if found.is_empty() {
        let pattern = patterns.join(", ");
        return Err(format!(
            "no device matches \"{pattern}\" - {}",
            unknown_device(devices, &pattern)
        ));
    }
    Ok(found)
}

/// `*` any run, `?` one character; everything else itself, case ignored.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == b'?' || c.eq_ignore_ascii_case(&text[t]) => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((sp, st)) => {
                    p = sp + 1;
                    t = st + 1;
                    star = Some((sp, st + 1));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

/// Devices of the roles; `Err(event)` while roles must still be learnt.
#[allow(
    clippy::type_complexity,
    clippy::result_large_err,
    reason = "the outer error is the machine's next event, the inner a refusal"
)]
fn by_role(
    state: &State,
    tools: &[ToolSpec],
    devices: &[Device],
    roles: &[Role],
) -> Result<Result<Vec<DeviceName>, String>, Option<Event>> {
    if let Some(tool) = tools.iter().find(|t| t.purpose == Purpose::Profile) {
        let unknown = devices.iter().filter(|d| state.intake.role(&d.name).is_none());
        let mut waiting = false;
        for device in unknown {
            match state.intake.profile_calls.get(&device.name) {
                None => {
                    let call = intake_call(state, tool, Some(&device.name));
                    return Err(Some(Event::CallRequested { call: Box::new(call) }));
                }
                Some(call) => waiting |= !is_resolved(state, *call),
            }
        }
        if waiting {
            return Err(None);
        }
    }
    let has = |d: &&Device| {
        state
            .intake
            .role(&d.name)
            .is_some_and(|role| roles.contains(&role))
    };
    let found: Vec<DeviceName> = devices.iter().filter(has).map(|d| d.name.clone()).collect();
    if found.is_empty() {
        let names: Vec<String> = roles.iter().map(ToString::to_string).collect();
        let reason = format!(
            "no device of role {} is known among {} devices - name the devices instead",
            names.join(", "),
            devices.len()
        );
        return Ok(Err(reason));
    }
    Ok(Ok(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_like_a_shell() {
        for (pattern, name, expected) in [
            ("xrd-*", "xrd-12", true),
            ("*", "", true),
            ("XRD-?", "xrd-1", true),
            ("xrd-?", "xrd-12", false),
            ("*-1", "xrd-1", true),
            ("a*b*c", "aXXbYYc", true),
            ("a*b*c", "aXXbYY", false),
            ("", "x", false),
        ] {
            assert_eq!(
                glob(pattern.as_bytes(), name.as_bytes()),
                expected,
                "{pattern} {name}"
            );
        }
    }
}
