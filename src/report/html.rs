//! One self-contained HTML page: no script, no font, no picture from elsewhere.

use std::fmt::Write;

use super::markdown::cite;
use super::{clock, duration, headline};
use crate::agent::model::{Cause, Confidence, Origin, SessionId, Statement, Usage};
use crate::agent::state::State;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color:#1b2330;background:#fff}h1{font-size:1.5rem}code,pre{font-family:ui-monospace,monospace;font-size:.9em}\
pre{background:#f2f4f8;padding:.75rem;overflow:auto}blockquote{border-left:3px solid #9aa6b8;margin:0;padding-left:1rem}\
.cause{border:1px solid #c9d1de;border-radius:6px;padding:.75rem 1rem;margin:1rem 0}.mark{font-weight:700}\
details{margin:.4rem 0}footer{color:#55617a;margin-top:2rem}\
@media(prefers-color-scheme:dark){body{background:#10151f;color:#dfe6f2}pre{background:#1a2130}.cause{border-color:#37425a}\
footer{color:#9fabc3}}";

pub(super) fn write(session: &SessionId, state: &State) -> String {
    let mut out = String::new();
    let title = escape(&headline(state));
    let _ = write!(
        out,
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style><h1>{title}</h1>"
    );
    let query = state.query.as_ref().map_or("", |q| q.text.as_str());
    let _ = write!(out, "<blockquote>{}</blockquote>", escape(query));
    if let Some(verdict) = &state.diagnosed.verdict {
        for cause in &verdict.causes {
            write_cause(&mut out, state, cause);
        }
        let unobserved: Vec<String> = verdict
            .unobserved
            .iter()
            .map(|u| format!("{}: {}", u.device, u.reason))
            .collect();
        for (title, rows) in [
            ("Seen and not explained", &Statement::lines(&verdict.unexplained)),
            ("Ruled out", &Statement::lines(&verdict.ruled_out)),
            ("Not observed", &unobserved),
            ("Remarks", &Statement::lines(&verdict.remarks)),
            ("What would change this verdict", &verdict.would_change),
        ] {
            if !rows.is_empty() {
                let items: String = rows.iter().map(|r| format!("<li>{}</li>", escape(r))).collect();
                let _ = write!(out, "<h2>{title}</h2><ul>{items}</ul>");
            }
        }
    }
    write_evidence(&mut out, state);
    write_usage(&mut out, &state.ledger.usage);
    let _ = writeln!(
        out,
        "<footer>Session {} · {} · {} · {} tool calls · {}</footer></html>",
        escape(&session.0),
        escape(&state.options.context),
        clock(state.opened_at),
        state.execution.attempts(),
        duration(state.elapsed_ms()),
    );
    out
}

fn write_cause(out: &mut String, state: &State, cause: &Cause) {
    let mark = match cause.confidence {
        Confidence::Confirmed => "● CONFIRMED",
        Confidence::Likely => "◐ LIKELY",
        Confidence::Inconclusive => "○ INCONCLUSIVE",
    };
    let _ = write!(
        out,
        "<section class=\"cause\"><p><span class=\"mark\">{mark}</span> <code>{}</code> {}</p><p>{}</p><ul>",
        escape(&cause.resource.to_string()),
        cause.fault,
        escape(&cause.statement)
    );
    for citation in &cause.citations {
        let _ = write!(
            out,
            "<li><a href=\"#{}\">{}</a> {}</li>",
            citation.evidence,
            citation.evidence,
            escape(&cite(citation))
        );
    }
    for finding in cause.consequences.iter().filter_map(|id| state.finding(*id)) {
        let _ = write!(out, "<li>consequence: {}</li>", escape(&finding.statement));
    }
    out.push_str("</ul>");
    if let Some(change) = &cause.suggested_change {
        let _ = write!(
            out,
            "<p>A change for you to make:</p><pre>{}</pre>",
            escape(change)
        );
    }
    out.push_str("</section>");
}

fn write_evidence(out: &mut String, state: &State) {
    out.push_str("<h2>Evidence</h2>");
    for evidence in &state.evidence {
        let tool = match &evidence.origin {
            Origin::Tool { tool, .. } => tool.clone(),
            Origin::Human { tool, .. } => format!("supplied by hand for {tool}"),
            Origin::Session {
                session,
                evidence,
                tool,
            } => format!("{tool}, {evidence} of session {session}"),
        };
        let value = serde_json::to_string_pretty(&evidence.value).unwrap_or_default();
        let _ = write!(
            out,
            "<details id=\"{id}\"><summary>{id} {} {}</summary><pre>{}</pre></details>",
            escape(&tool),
            clock(evidence.at),
            escape(&value),
            id = evidence.id,
        );
    }
}

/// What each role of the model was asked and cost. Nothing for the rules.
fn write_usage(out: &mut String, usage: &[Usage]) {
    if usage.is_empty() {
        return;
    }
    out.push_str("<h2>Model calls</h2><pre>");
    for usage in usage.iter().chain([&Usage::sum(usage)]) {
        let _ = writeln!(out, "{}", escape(&usage.to_string()));
    }
    out.push_str("</pre>");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_escapes_into_the_page() {
        let query = crate::agent::model::Query {
            text: "<script>alert(1)</script> \"&".into(),
            devices: vec![],
            runbook: None,
        };
        let state = State {
            query: Some(query),
            ..State::default()
        };
        let page = write(&SessionId("s".into()), &state);
        assert!(!page.contains("<script>"));
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt; &quot;&amp;"));
    }
}
