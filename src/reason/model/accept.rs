//! From a role's answer to the agent's vocabulary: validated first, refused with a reason otherwise.

use super::{
    ModelOptions, Runbook,
    answers::{
        AssessAnswer, CritiqueAnswer, KindName, NextName, Over, PassFail, PerceiveAnswer, PlanAnswer,
        ProseAnswer, ReadAnswer, StepAnswer,
    },
    check::{MAX_ITEMS, MAX_REPORT, MAX_TEXT, Objections, cites_evidence},
    render,
};
use crate::agent::{
    model::{
        Assessment, Confidence, Critique, Draft, Entities, FindingId, Goal, HypothesisId, Intent, Next,
        Perception, Prose, Provenance, Reading, RiskFlag, Role, Scope, Step, StepId, StepKind, Targets,
        Timestamp, Window,
    },
    state::State,
};

/// Longest stretch of time that may be asked about, in minutes.
const MAX_MINUTES: u32 = 60 * 24 * 31;

pub(super) fn reading(state: &State, answer: ReadAnswer, now: Timestamp) -> Result<Reading, String> {
    let mut objections = Objections::default();
    objections.text("intent", &answer.intent, 80);
    objections.text("objective", &answer.objective, MAX_TEXT);
    objections.text("result_requirement", &answer.result_requirement, MAX_TEXT);
    objections.list("unclear", &answer.unclear);
    objections.mentions(state, &answer.objective);
    objections.mentions(state, &answer.result_requirement);
    let said = said_by_engineer(state);
    let in_question = |name: &str| !name.trim().is_empty() && said.contains(&name.trim().to_lowercase());
    for name in answer.devices.iter().chain(&answer.patterns) {
        if !in_question(name) {
            objections.push(format!("the question does not name {name:?}"));
        }
    }
    if answer.minutes_back == 0 || answer.minutes_back > MAX_MINUTES {
        objections.push(format!("minutes_back must lie between 1 and {MAX_MINUTES}"));
    }
    objections.into_result()?;
    // names of lesser weight are dropped instead of refused: they only help the search
    let kept = |names: Vec<String>| {
        names
            .into_iter()
            .filter(|n| in_question(n))
            .take(MAX_ITEMS)
            .collect::<Vec<_>>()
    };
    let roles: Vec<Role> = answer.roles.into_iter().map(Role::from).collect();
    let targets = match (&answer.devices[..], &answer.patterns[..], &roles[..]) {
        ([_, ..], ..) => Targets::Names(answer.devices.clone()),
        ([], [_, ..], _) => Targets::Patterns(answer.patterns),
        ([], [], [_, ..]) => Targets::Roles(roles),
        ([], [], []) if answer.whole_network => Targets::All,
        ([], [], []) => Targets::Unclear,
    };
    let window = Window {
        from: now.minus_s(i64::from(answer.minutes_back) * 60),
        until: now,
    };
    Ok(Reading {
        intent: Intent(answer.intent.trim().to_owned()),
        objective: answer.objective,
        result_requirement: answer.result_requirement,
        targets,
        entities: Entities {
            devices: answer.devices,
            vrfs: kept(answer.vrfs),
            interfaces: kept(answer.interfaces),
            protocols: answer
                .protocols
                .into_iter()
                .take(MAX_ITEMS)
                .map(|p| p.to_lowercase())
                .collect(),
            peers: kept(answer.peers),
        },
        window,
        wants_change: answer.wants_change,
        unclear: answer
            .unclear
            .into_iter()
            .filter(|q| !q.trim().is_empty())
            .take(2)
            .collect(),
    })
}

fn said_by_engineer(state: &State) -> String {
    let mut said = String::new();
    if let Some(query) = &state.query {
        said.push_str(&query.text);
        for device in &query.devices {
            said.push('\n');
            said.push_str(device);
        }
    }
    for (_, answer) in state.dialogue.clarifications() {
        said.push('\n');
        said.push_str(answer.unwrap_or_default());
    }
    for words in &state.dialogue.steering {
        said.push('\n');
        said.push_str(words);
    }
    said.to_lowercase()
}

pub(super) fn draft(
    state: &State,
    number: u32,
    runbook: Option<&Runbook>,
    options: &ModelOptions,
    answer: PlanAnswer,
) -> Result<Draft, String> {
    let mut objections = Objections::default();
    objections.text("objective", &answer.objective, MAX_TEXT);
    objections.length("thinking", &answer.thinking, MAX_TEXT);
    objections.length("rationale", &answer.rationale, MAX_TEXT);
    objections.mentions(state, &answer.objective);
    objections.mentions(state, &answer.rationale);
    if answer.steps.is_empty() {
        objections.push("the plan has no steps");
    }
    if answer.steps.len() > MAX_ITEMS {
        objections.push(format!("the plan has more than {MAX_ITEMS} steps"));
    }
    let mut steps = Vec::new();
    for (n, step) in answer.steps.into_iter().take(MAX_ITEMS).enumerate() {
        let id = StepId(u32::try_from(n + 1).unwrap_or(u32::MAX));
        steps.extend(plan_step(
            state,
            number,
            runbook,
            options,
            id,
            step,
            &mut objections,
        ));
    }
    objections.into_result()?;
    Ok(Draft {
        objective: answer.objective,
        runbook: runbook.map(|r| r.intent.clone()),
        strategy: answer.strategy.name().to_owned(),
        steps,
        rationale: answer.rationale,
    })
}

fn plan_step(
    state: &State,
    draft: u32,
    runbook: Option<&Runbook>,
    options: &ModelOptions,
    id: StepId,
    step: StepAnswer,
    objections: &mut Objections,
) -> Option<Step> {
    objections.text("a step's title", &step.title, 200);
    objections.text("a step's instruction", &step.instruction, MAX_TEXT);
    objections.mentions(state, &step.title);
    objections.mentions(state, &step.instruction);
    let kind = match step.kind {
        KindName::Instruction => StepKind::Instruction,
        KindName::Conclude => StepKind::Conclude,
        KindName::Clarify => {
            objections.text("the question of a clarify step", &step.source, 600);
            StepKind::Nop {
                question: step.source,
            }
        }
        KindName::Code if !options.scripts => {
            objections.push("code steps are not allowed here");
            return None;
        }
        KindName::Code => {
            objections.text("the script of a code step", &step.source, 16_000);
            StepKind::Code { source: step.source }
        }
    };
    let scope = match step.over {
        Over::Targets => Scope::Targets,
        Over::Network => Scope::Network,
        Over::Devices => {
            if step.devices.is_empty() {
                objections.push(format!("step {:?} runs over devices and names none", step.title));
            }
            for name in &step.devices {
                objections.device(state, name);
            }
            Scope::Devices(step.devices.iter().map(|d| d.as_str().into()).collect())
        }
    };
    let mut provenance: Vec<Provenance> = Vec::new();
    for source in step.because.iter().take(MAX_ITEMS) {
        match provenance_of(state, draft, runbook, source) {
            Some(known) => provenance.push(known),
            None => objections.push(format!(
                "step {:?} rests on {source:?}, which is not there",
                step.title
            )),
        }
    }
    if provenance.is_empty() {
        provenance.push(Provenance::Reasoner);
    }
    let mut aspects = Vec::new();
    for aspect in step.aspects {
        let aspect = aspect.into();
        if !aspects.contains(&aspect) {
            aspects.push(aspect);
        }
    }
    Some(Step {
        id,
        title: step.title,
        instruction: step.instruction,
        kind,
        scope,
        aspects,
        provenance,
    })
}

fn provenance_of(state: &State, draft: u32, runbook: Option<&Runbook>, source: &str) -> Option<Provenance> {
    let source = source.trim();
    let numbered = |prefix: &str| {
        source
            .strip_prefix(prefix)?
            .trim()
            .parse::<usize>()
            .ok()?
            .checked_sub(1)
    };
    if let Some(n) = numbered("runbook:") {
        let runbook = runbook.filter(|r| n < r.steps.len())?;
        return Some(Provenance::Runbook {
            intent: runbook.intent.clone(),
            step: u32::try_from(n + 1).ok()?,
        });
    }
    if let Some(n) = numbered("passage:") {
        let elsewhere = runbook.map_or(&[][..], |r| &r.steps);
        let passage = render::passage(state, draft, elsewhere, n)?;
        return Some(Provenance::Passage {
            source: passage.source.clone(),
            heading: passage.heading.clone(),
        });
    }
    if let Some(n) = numbered("incident:") {
        let incident = render::incident(state, n)?;
        return Some(Provenance::Incident {
            session: incident.session.clone(),
        });
    }
    match source.to_ascii_lowercase().as_str() {
        "own" | "reasoner" => return Some(Provenance::Reasoner),
        "critic" => {
            let missing = last_missing(state).unwrap_or_default();
            return Some(Provenance::Critic { missing });
        }
        "human" | "engineer" => {
            let words = state.dialogue.steering.last().cloned();
            let words = words.or_else(|| state.query.as_ref().map(|q| q.text.clone()))?;
            return Some(Provenance::Human { words });
        }
        _ => {}
    }
    if let Ok(finding) = source.parse::<FindingId>()
        && source.starts_with(['F', 'f'])
    {
        return state
            .finding(finding)
            .map(|f| Provenance::Finding { finding: f.id });
    }
    let hypothesis = source
        .parse::<HypothesisId>()
        .ok()
        .filter(|_| source.starts_with(['H', 'h']))?;
    let known = state.diagnosed.hypotheses.iter().any(|h| h.id == hypothesis);
    known.then_some(Provenance::Hypothesis { hypothesis })
}

fn last_missing(state: &State) -> Option<String> {
    state
        .planning
        .drafts
        .iter()
        .rev()
        .find_map(|d| d.critique.as_ref())?
        .missing
        .first()
        .cloned()
}

pub(super) fn critique(state: &State, answer: CritiqueAnswer) -> Result<Critique, String> {
    let mut objections = Objections::default();
    objections.length("thinking", &answer.thinking, MAX_TEXT);
    objections.list("missing", &answer.missing);
    let confidence = objections.fraction("confidence", answer.confidence);
    let mut risk_flags = Vec::new();
    for flag in answer.risk_flags.into_iter().take(MAX_ITEMS) {
        objections.length("a risk", &flag.risk, MAX_TEXT);
        let confidence = objections.fraction("a risk's confidence", flag.confidence);
        objections.mentions(state, &flag.risk);
        risk_flags.push(RiskFlag {
            risk: flag.risk,
            confidence,
        });
    }
    for missing in &answer.missing {
        objections.mentions(state, missing);
    }
    if answer.verdict == PassFail::Fail && answer.missing.is_empty() && risk_flags.is_empty() {
        objections.push("the plan fails, but nothing is missing and no risk is named");
    }
    objections.into_result()?;
    let words = |search: String| search.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
    let searches = answer
        .next_search
        .into_iter()
        .map(words)
        .filter(|s| !s.is_empty() && s.len() <= 120);
    Ok(Critique {
        pass: answer.verdict == PassFail::Pass,
        confidence,
        missing: answer.missing,
        next_search: searches.take(3).collect(),
        risk_flags,
    })
}

pub(super) fn perception(
    state: &State,
    answer: PerceiveAnswer,
    now: Timestamp,
) -> Result<Perception, String> {
    let mut objections = Objections::default();
    objections.text("summary", &answer.summary, MAX_TEXT);
    let texts = [
        &answer.local_reasoning,
        &answer.original_reasoning,
        &answer.summary,
        &answer.replan,
    ];
    for text in texts {
        objections.length("a text", text, MAX_TEXT);
        objections.mentions(state, text);
    }
    let confidence = objections.fraction("confidence", answer.confidence);
    objections.into_result()?;
    let reading = state.intake.reading.as_ref();
    let last_tool = state
        .execution
        .calls
        .values()
        .next_back()
        .map(|r| r.call.tool.clone());
    let replan = answer.replan.trim();
    Ok(Perception {
        entities: reading.map(|r| r.entities.clone()).unwrap_or_default(),
        result_requirement: reading.map(|r| r.result_requirement.clone()).unwrap_or_default(),
        original_goal: Goal {
            achieved: answer.original_goal_achieved,
            reasoning: answer.original_reasoning,
        },
        local_goal: Goal {
            achieved: answer.local_goal_achieved,
            reasoning: answer.local_reasoning,
        },
        last_tool,
        solution_summary: answer.summary,
        confidence,
        human_input: state.dialogue.steering.last().cloned(),
        replan: (!replan.is_empty() && !replan.eq_ignore_ascii_case("none")).then(|| replan.to_owned()),
        at: now,
    })
}

pub(super) fn assessment(state: &State, answer: AssessAnswer) -> Result<Assessment, String> {
    let mut objections = Objections::default();
    objections.text("reasoning", &answer.reasoning, MAX_TEXT);
    objections.list("tool_limitations", &answer.tool_limitations);
    objections.list("notes_for_report", &answer.notes_for_report);
    objections.length("feedback", &answer.feedback, MAX_TEXT);
    let lists = answer.tool_limitations.iter().chain(&answer.notes_for_report);
    for text in lists.chain([&answer.reasoning, &answer.feedback]) {
        objections.mentions(state, text);
    }
    let confidence = objections.fraction("confidence", answer.confidence);
    if answer.next == NextName::Retry && answer.feedback.trim().is_empty() {
        objections.push("next is retry, but feedback is empty");
    }
    objections.into_result()?;
    Ok(Assessment {
        objective_met: answer.objective_met,
        reasoning: answer.reasoning,
        confidence,
        tool_limitations: answer.tool_limitations,
        notes_for_report: answer.notes_for_report,
        next: match answer.next {
            NextName::Report => Next::Report,
            NextName::Retry => Next::Retry {
                feedback: answer.feedback,
            },
        },
    })
}

pub(super) fn prose(state: &State, answer: ProseAnswer) -> Result<Prose, String> {
    let mut objections = Objections::default();
    objections.text("headline", &answer.headline, 300);
    objections.text("body", &answer.body, MAX_REPORT);
    for text in [&answer.headline, &answer.body] {
        objections.mentions(state, text);
        objections.faults(state, text);
    }
    let causes = state.diagnosed.verdict.as_ref().map_or(0, |v| v.causes.len());
    if causes > 0 && !cites_evidence(&answer.body) {
        objections.push("the body cites no evidence");
    }
    let whole = format!("{}\n{}", answer.headline, answer.body);
    for word in [
        Confidence::Inconclusive,
        Confidence::Likely,
        Confidence::Confirmed,
    ] {
        let said = state
            .diagnosed
            .verdict
            .iter()
            .any(|v| v.confidence == word || v.causes.iter().any(|c| c.confidence == word));
        if !said && whole.contains(&word.to_string()) {
            objections.push(format!("nothing in the verdict is {word}"));
        }
    }
    for cause in state.diagnosed.verdict.iter().flat_map(|v| &v.causes) {
        if !cause.resource.devices().iter().any(|d| whole.contains(d)) {
            objections.push(format!("the cause at {} is left out", cause.resource));
        }
    }
    objections.into_result()?;
    let headline = answer.headline.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(Prose {
        headline,
        body: answer.body,
    })
}
