//! MCP servers and the tools they offer.

use ratatui::layout::Rect;

use super::words::glyph;
use super::{Cx, Pane, Prose};
use crate::agent::model::{Purpose, Risk, ToolSpec};
use crate::tui::rows::{ListState, Row};
use crate::tui::source::{ServerHealth, ServerRow};
use crate::tui::text;
use crate::tui::theme::Role;

/// The tools pane.
#[derive(Debug, Default)]
pub struct Tools {
    list: ListState,
    rows: Prose,
    key: (u64, u64, u16),
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

fn purpose(purpose: Purpose) -> String {
    format!("{purpose:?}").to_lowercase()
}

impl Tools {
    fn build_server(&mut self, server: &ServerRow, cells: usize) {
        let (mark, word, role) = server_health(server.health);
        self.rows.push(
            Row::text(format!(" {mark} "), role)
                .put(server.name.clone(), Role::Title)
                .put(format!("  {word}"), role)
                .end(text::plural(server.tools, "tool"), Role::Dim),
        );
        if let Some(line) = &server.last_line {
            self.rows
                .wrapped(("   last line  ", Role::Dim), line, Role::Dim, cells);
        }
    }

    /// What the human allowed for the rest of the session.
    fn build_grants(&mut self, cx: &Cx, cells: usize) {
        let mut any = false;
        for (question, grant) in cx.story.state.dialogue.grants() {
            let words = format!("{grant} ({question})");
            self.rows
                .wrapped((" allowed always  ", Role::Human), &words, Role::Text, cells);
            any = true;
        }
        if any {
            self.rows.gap();
        }
    }

    fn build_tool(&mut self, tool: &ToolSpec, cells: usize) {
        let (word, role) = risk(tool.risk);
        let name = cells.clamp(10, 34);
        self.rows.push(
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

impl Pane for Tools {
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

    fn prepare(&mut self, cx: &Cx, area: Rect) {
        let versions = &cx.story.versions;
        let key = (versions.knowledge, versions.dialogue, area.width);
        if key == self.key {
            return;
        }
        self.key = key;
        self.rows.clear();
        let cells = usize::from(area.width);
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
                    .rows
                    .push(Row::text(format!(" {} ", glyph::DOT), Role::Ok).put(&name, Role::Title)),
            }
            for tool in tools.iter().filter(|t| t.server == name) {
                self.build_tool(tool, cells);
            }
            self.rows.gap();
        }
        self.list.set_len(self.rows.len());
    }

    fn row(&self, _: &Cx, index: usize) -> Row {
        self.rows.row(index)
    }

    fn list(&self) -> &ListState {
        &self.list
    }

    fn list_mut(&mut self) -> &mut ListState {
        &mut self.list
    }

    fn empty(&self, _: &Cx) -> String {
        "MCP servers and their tools appear here when the first investigation starts.".to_owned()
    }
}
