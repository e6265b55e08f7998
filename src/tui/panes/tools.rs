//! MCP servers and the tools they offer.

use super::words::glyph;
use super::{Cx, ProsePane, Sheet, Stamp};
use crate::agent::model::{Purpose, Risk, ToolSpec};
use crate::tui::rows::Row;
use crate::tui::source::{ServerHealth, ServerRow};
use crate::tui::text;
use crate::tui::theme::Role;

/// The tools pane.
#[derive(Debug, Default)]
pub struct Tools {
    sheet: Sheet,
}

/// How a server's health looks: glyph, word and role.
pub fn server_health(health: ServerHealth) -> (&'static str, &'static str, Role) {
    match health {
        ServerHealth::Starting => (glyph::OPEN, "starting", Role::Running),
        ServerHealth::Ready => (glyph::DOT, "ready", Role::Ok),
        ServerHealth::Failed => (glyph::BAD, "failed", Role::Bad),
        ServerHealth::Disabled => (glyph::SKIPPED, "disabled", Role::Unknown),
    }
}

fn risk(risk: Risk) -> (&'static str, Role) {
    match risk {
        Risk::ReadOnly => ("reads", Role::Ok),
        Risk::ChangesState => ("changes state", Role::Warn),
        Risk::Dangerous => ("dangerous", Role::Bad),
    }
}

/// `GetMany` as people say it: `get many`.
fn purpose(purpose: Purpose) -> String {
    let mut words = String::new();
    for c in format!("{purpose:?}").chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

impl Tools {
    fn build_server(&mut self, server: &ServerRow, cells: usize) {
        let (mark, word, role) = server_health(server.health);
        self.sheet.rows.push(
            Row::text(format!(" {mark} "), role)
                .put(server.name.clone(), Role::Title)
                .put(format!("  {word}"), role)
                .end(text::plural(server.tools, "tool"), Role::Dim),
        );
        if let Some(line) = &server.last_line {
            self.sheet
                .rows
                .wrapped(("   last line  ", Role::Dim), line, Role::Dim, cells);
        }
    }

    /// What the human allowed for the rest of the session.
    fn build_grants(&mut self, cx: &Cx, cells: usize) {
        let mut any = false;
        for (question, grant) in cx.story.state.dialogue.grants() {
            let words = format!("{grant} ({question})");
            self.sheet
                .rows
                .wrapped((" allowed always  ", Role::Human), &words, Role::Text, cells);
            any = true;
        }
        if any {
            self.sheet.rows.gap();
        }
    }

    fn build_tool(&mut self, tool: &ToolSpec, cells: usize) {
        let (word, role) = risk(tool.risk);
        let name = cells.clamp(10, 34);
        self.sheet.rows.push(
            Row::text("   ", Role::Dim)
                .column(&tool.name, name, Role::Text)
                .column(&purpose(tool.purpose), 13, Role::Info)
                .put(
                    text::one_line(tool.description.lines().next().unwrap_or("")),
                    Role::Dim,
                )
                .end(word, role)
                .raw(format!("{}: {}", tool.id, tool.description)),
        );
    }
}

impl ProsePane for Tools {
    fn title(&self, cx: &Cx) -> (String, String) {
        let n = cx.story.state.intake.tools.as_ref().map_or(0, Vec::len);
        (
            "Tools".to_owned(),
            if n > 0 {
                text::plural(n, "tool")
            } else {
                String::new()
            },
        )
    }

    fn stamp(&self, cx: &Cx) -> Stamp {
        [cx.story.versions.knowledge, cx.story.versions.dialogue, 0, 0]
    }

    fn fill(&mut self, cx: &Cx, cells: usize) {
        let tools = cx.story.state.intake.tools.as_deref().unwrap_or_default();
        let mut servers: Vec<String> = cx.story.servers.iter().map(|s| s.name.clone()).collect();
        for tool in tools {
            if !servers.contains(&tool.server) {
                servers.push(tool.server.clone());
            }
        }
        self.build_grants(cx, cells);
        for name in servers {
            match cx.story.servers.iter().find(|s| s.name == name) {
                Some(server) => self.build_server(server, cells),
                None => self
                    .sheet
                    .rows
                    .push(Row::text(format!(" {} ", glyph::DOT), Role::Ok).put(&name, Role::Title)),
            }
            for tool in tools.iter().filter(|t| t.server == name) {
                self.build_tool(tool, cells);
            }
            self.sheet.rows.gap();
        }
    }

    fn sheet(&self) -> &Sheet {
        &self.sheet
    }

    fn sheet_mut(&mut self) -> &mut Sheet {
        &mut self.sheet
    }

    fn empty(&self, _: &Cx) -> String {
        "MCP servers and their tools appear here when the first investigation starts.".to_owned()
    }
}
