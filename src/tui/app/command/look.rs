//! Looking closer: plan versions, evidence, devices, the map.

use super::super::App;
use super::super::msg::Effect;
use super::super::tab::Page;
use crate::tui::action::{Look, Map};
use crate::tui::panes::PaneId;

/// Does an action of this group.
pub(super) fn perform(app: &mut App, action: Look) -> Vec<Effect> {
    let tab = app.tab_mut();
    let story = &tab.story;
    match action {
        Look::Diff => tab.panes.plan.toggle_diff(),
        Look::OlderVersion => tab.panes.plan.turn(story, true),
        Look::NewerVersion => tab.panes.plan.turn(story, false),
        Look::NextEvidence => tab.panes.evidence.turn(story, 1),
        Look::PrevEvidence => tab.panes.evidence.turn(story, -1),
        Look::NextCitation => {
            if !tab.panes.evidence.next_citation() {
                app.complain("nothing cites this evidence");
            }
        }
        Look::CitedBy => match tab.panes.evidence.cited_by(story) {
            Some(finding) => {
                tab.panes.steps.show_finding(finding);
                tab.page = Page::Overview;
                tab.focus = PaneId::Steps;
            }
            None => {
                if let Some(id) = tab.panes.evidence.shown() {
                    tab.panes.steps.show_evidence(id);
                    tab.page = Page::Overview;
                    tab.focus = PaneId::Steps;
                }
            }
        },
        Look::FoldAll => tab.panes.evidence.fold_all(story, true),
        Look::UnfoldAll => tab.panes.evidence.fold_all(story, false),
        Look::Sort => {
            tab.panes.devices.next_sort();
        }
        Look::Filter => {
            tab.panes.devices.next_show();
        }
        Look::Grid => tab.panes.devices.toggle_grid(),
    }
    Vec::new()
}

/// Does an action on the map.
pub(super) fn map(app: &mut App, action: Map) -> Vec<Effect> {
    let map = &mut app.tab_mut().panes.map;
    match action {
        Map::In => map.zoom(1.25),
        Map::Out => map.zoom(0.8),
        Map::Left => map.pan(-1.0, 0.0),
        Map::Right => map.pan(1.0, 0.0),
        Map::Up => map.pan(0.0, 1.0),
        Map::Down => map.pan(0.0, -1.0),
        Map::Fit => map.fit(),
    }
    Vec::new()
}
