//! The topology: devices by health, links with the faulty one marked, zoom and pan.
//!
//! Positions come from a force layout that starts from a circle and has no randomness, so the same network
//! always looks the same. It is computed once per graph.

use std::collections::HashMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::text::Line as TextLine;
use ratatui::text::Span;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Line};

use super::words::health;
use super::{Cx, Pane, draw_empty};
use crate::agent::model::Severity;
use crate::tui::rows::{Link, ListState, Row};
use crate::tui::story::{Health, Story};
use crate::tui::text;
use crate::tui::theme::Role;

/// Rounds of the force layout: enough for a hundred devices to settle.
const ROUNDS: usize = 300;

/// How strongly devices are drawn to the middle, against the repulsion of the others.
const GRAVITY: f64 = 3.0;

/// With more devices than this the circle is kept: forces cost the square.
const MAX_FORCED: usize = 150;

/// A link between two devices, as the agent's facts have it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cable {
    a: String,
    a_if: String,
    b: String,
    b_if: String,
}

impl Cable {
    /// The names under which findings speak of it.
    fn names(&self) -> [String; 4] {
        let (a, b) = (
            format!("{}:{}", self.a, self.a_if),
            format!("{}:{}", self.b, self.b_if),
        );
        [
            format!("link/{a}--{b}"),
            format!("link/{b}--{a}"),
            format!("interface/{}/{}", self.a, self.a_if),
            format!("interface/{}/{}", self.b, self.b_if),
        ]
    }
}

/// The map pane.
#[derive(Debug)]
pub struct MapPane {
    list: ListState,
    places: Vec<(String, f64, f64)>,
    cables: Vec<Cable>,
    zoom: f64,
    center: (f64, f64),
    key: (usize, usize),
}

impl Default for MapPane {
    fn default() -> Self {
        Self {
            list: ListState::top(),
            places: Vec::new(),
            cables: Vec::new(),
            zoom: 1.0,
            center: (0.5, 0.5),
            key: (usize::MAX, 0),
        }
    }
}

impl MapPane {
    /// Zooms by a factor.
    pub fn zoom(&mut self, factor: f64) {
        self.zoom = (self.zoom * factor).clamp(0.5, 16.0);
    }

    /// Moves the view by parts of what is seen.
    pub fn pan(&mut self, x: f64, y: f64) {
        let step = 0.2 / self.zoom;
        self.center = (
            (self.center.0 + x * step).clamp(-0.5, 1.5),
            (self.center.1 + y * step).clamp(-0.5, 1.5),
        );
    }

    /// Shows everything.
    pub fn fit(&mut self) {
        self.zoom = 1.0;
        self.center = (0.5, 0.5);
    }

    fn place(&mut self, story: &Story) {
        let mut names: Vec<String> = story.devices.iter().map(|d| d.name.0.clone()).collect();
        let own = |end: &(String, String)| end.clone();
        let links = story.state.diagnosed.network.links();
        self.cables = links
            .iter()
            .map(|(a, b)| {
                let ((a, a_if), (b, b_if)) = (own(a), own(b));
                Cable { a, a_if, b, b_if }
            })
            .collect();
        for cable in &self.cables {
            for end in [&cable.a, &cable.b] {
                if !names.contains(end) {
                    names.push(end.clone());
                }
            }
        }
        self.places = layout(&names, &self.cables);
    }

    /// What of the plane is seen: at zoom 1 all of it, with room for the names at the right edge.
    fn bounds(&self, area: Rect) -> ([f64; 2], [f64; 2]) {
        let longest = self
            .places
            .iter()
            .map(|(name, ..)| text::width(name))
            .max()
            .unwrap_or(0);
        let label = u16::try_from(longest + 3).unwrap_or(16).min(area.width / 3);
        let (x0, x1) = stretch(area.width, 2, label);
        let (y0, y1) = stretch(area.height, 1, 1);
        let (x, y) = (
            (x0 + x1) / 2.0 + self.center.0 - 0.5,
            (y0 + y1) / 2.0 + self.center.1 - 0.5,
        );
        let (dx, dy) = ((x1 - x0) / 2.0 / self.zoom, (y1 - y0) / 2.0 / self.zoom);
        ([x - dx, x + dx], [y - dy, y + dy])
    }
}

/// The ends of an axis of `cells` cells on which the places, which lie from 0.05 to 0.95, leave so many cells
/// free before and after.
fn stretch(cells: u16, before: u16, after: u16) -> (f64, f64) {
    let used = f64::from(cells.saturating_sub(before + after).max(1));
    let cell = 0.9 / used;
    (0.05 - f64::from(before) * cell, 0.95 + f64::from(after) * cell)
}

/// Positions in the unit square: springs along links, repulsion between all, started from a circle.
fn layout(names: &[String], links: &[Cable]) -> Vec<(String, f64, f64)> {
    let n = names.len();
    let angle = |i: usize| i as f64 / n.max(1) as f64 * std::f64::consts::TAU;
    let mut at: Vec<(f64, f64)> = (0..n)
        .map(|i| (0.5 + 0.45 * angle(i).cos(), 0.5 + 0.45 * angle(i).sin()))
        .collect();
    if n > 2 && n <= MAX_FORCED && !links.is_empty() {
        let index: HashMap<&str, usize> = names.iter().enumerate().map(|(i, s)| (s.as_str(), i)).collect();
        let pairs: Vec<(usize, usize)> = links
            .iter()
            .filter_map(|l| Some((*index.get(l.a.as_str())?, *index.get(l.b.as_str())?)))
            .collect();
        let ideal = (1.0 / n as f64).sqrt();
        for round in 0..ROUNDS {
            let heat = 0.1 * (1.0 - round as f64 / ROUNDS as f64);
            relax(&mut at, &pairs, ideal, heat);
        }
        normalise(&mut at);
    }
    names
        .iter()
        .cloned()
        .zip(at)
        .map(|(name, (x, y))| (name, x, y))
        .collect()
}

/// One round after Fruchterman and Reingold (1991).
fn relax(at: &mut [(f64, f64)], pairs: &[(usize, usize)], ideal: f64, heat: f64) {
    let mut force = vec![(0.0, 0.0); at.len()];
    for i in 0..at.len() {
        for j in i + 1..at.len() {
            let (dx, dy) = (at[i].0 - at[j].0, at[i].1 - at[j].1);
            let d = dx.hypot(dy).max(0.01);
            let push = ideal * ideal / d / d;
            for (k, sign) in [(i, 1.0), (j, -1.0)] {
                force[k].0 += sign * dx * push;
                force[k].1 += sign * dy * push;
            }
        }
    }
    for (i, j) in pairs {
        let (dx, dy) = (at[*i].0 - at[*j].0, at[*i].1 - at[*j].1);
        let pull = dx.hypot(dy) / ideal;
        for (k, sign) in [(*i, -1.0), (*j, 1.0)] {
            force[k].0 += sign * dx * pull;
            force[k].1 += sign * dy * pull;
        }
    }
    for (place, own) in at.iter().zip(&mut force) {
        // Without a pull to the middle a device nobody links to drives all others into a corner.
        own.0 += (0.5 - place.0) * GRAVITY;
        own.1 += (0.5 - place.1) * GRAVITY;
    }
    for (place, (fx, fy)) in at.iter_mut().zip(force) {
        let size = fx.hypot(fy).max(1e-9);
        let step = size.min(heat);
        place.0 += fx / size * step;
        place.1 += fy / size * step;
    }
}

/// Scales positions to the unit square.
fn normalise(at: &mut [(f64, f64)]) {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::MAX, f64::MIN), |(lo, hi), v| (lo.min(v), hi.max(v)))
    };
    let (x0, x1) = range(&mut at.iter().map(|p| p.0));
    let (y0, y1) = range(&mut at.iter().map(|p| p.1));
    for place in at {
        place.0 = 0.05 + 0.9 * (place.0 - x0) / (x1 - x0).max(1e-9);
        place.1 = 0.05 + 0.9 * (place.1 - y0) / (y1 - y0).max(1e-9);
    }
}

/// How a cable does: `Bad` when the verdict or a critical finding names it, or an interface at its ends.
fn cable_health(story: &Story, cable: &Cable) -> Health {
    let names = cable.names();
    let diagnosed = &story.state.diagnosed;
    if diagnosed
        .verdict
        .iter()
        .flat_map(|v| &v.causes)
        .any(|c| names.contains(&c.resource.to_string()))
    {
        return Health::Critical;
    }
    let worst = diagnosed
        .findings
        .iter()
        .filter(|f| names.contains(&f.resource.to_string()))
        .map(|f| f.severity)
        .max();
    match worst {
        Some(Severity::Critical) => Health::Critical,
        Some(Severity::Warning) => Health::Warning,
        _ => Health::Healthy,
    }
}

impl Pane for MapPane {
    fn title(&self, _: &Cx) -> (String, String) {
        let note = match self.cables.len() {
            0 => String::new(),
            n => format!("{} devices, {n} links", self.places.len()),
        };
        ("Map".to_owned(), note)
    }

    fn prepare(&mut self, cx: &Cx, _: Rect) {
        let key = (cx.story.state.evidence.len(), cx.story.devices.len());
        if key != self.key {
            self.key = key;
            self.place(cx.story);
            self.list.set_len(self.cables.len());
        }
    }

    fn draw(&mut self, cx: &Cx, area: Rect, buf: &mut Buffer) {
        self.prepare(cx, area);
        if self.places.is_empty() || area.height < 4 || area.width < 20 {
            draw_empty(&self.empty(cx), cx.theme, area, buf);
            return;
        }
        let color = |role: Role| cx.theme.style(role).fg.unwrap_or(Color::Reset);
        let at: HashMap<&str, (f64, f64)> = self
            .places
            .iter()
            .map(|(n, x, y)| (n.as_str(), (*x, *y)))
            .collect();
        let (x_bounds, y_bounds) = self.bounds(area);
        let label = |name: &str| {
            let row = cx.story.devices.iter().find(|d| d.name.as_str() == name);
            let (glyph, role) = health(row.map_or(Health::Unseen, |d| d.health));
            let name_role = if row.is_some_and(|d| d.target) {
                Role::Accent
            } else {
                Role::Text
            };
            TextLine::from(vec![
                Span::styled(glyph.to_owned(), cx.theme.style(role)),
                Span::styled(format!(" {name}"), cx.theme.style(name_role)),
            ])
        };
        Canvas::default()
            .marker(Marker::Braille)
            .x_bounds(x_bounds)
            .y_bounds(y_bounds)
            .background_color(cx.theme.style(Role::Canvas).bg.unwrap_or(Color::Reset))
            .paint(|canvas| {
                for cable in &self.cables {
                    let (Some(a), Some(b)) = (at.get(cable.a.as_str()), at.get(cable.b.as_str())) else {
                        continue;
                    };
                    let state = cable_health(cx.story, cable);
                    let role = if state == Health::Healthy {
                        Role::Dim
                    } else {
                        health(state).1
                    };
                    canvas.draw(&Line::new(a.0, a.1, b.0, b.1, color(role)));
                }
                canvas.layer();
                for cable in &self.cables {
                    let (Some(a), Some(b)) = (at.get(cable.a.as_str()), at.get(cable.b.as_str())) else {
                        continue;
                    };
                    let state = cable_health(cx.story, cable);
                    if state >= Health::Warning {
                        let (glyph, role) = health(state);
                        let mark = Span::styled(format!("{glyph} {}", state.word()), cx.theme.style(role));
                        canvas.print(
                            f64::midpoint(a.0, b.0),
                            f64::midpoint(a.1, b.1),
                            TextLine::from(mark),
                        );
                    }
                }
                for (name, x, y) in &self.places {
                    canvas.print(*x, *y, label(name));
                }
            })
            .render(area, buf);
    }

    fn row(&self, cx: &Cx, index: usize) -> Row {
        let Some(cable) = self.cables.get(index) else {
            return Row::new();
        };
        let state = cable_health(cx.story, cable);
        Row::text(
            format!(
                "{} {} -- {} {}  {}",
                cable.a,
                cable.a_if,
                cable.b,
                cable.b_if,
                state.word()
            ),
            Role::Text,
        )
        .link(Link::Device(cable.a.as_str().into()))
    }

    fn list(&self) -> &ListState {
        &self.list
    }

    fn list_mut(&mut self) -> &mut ListState {
        &mut self.list
    }

    fn empty(&self, cx: &Cx) -> String {
        if cx.story.devices.is_empty() {
            "The network appears here as evidence tells of devices and links.".to_owned()
        } else {
            "Too small for a map.".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_steady_and_stays_in_the_square() {
        let names: Vec<String> = (0..8).map(|i| format!("r{i}")).collect();
        let cable = |a: usize, b: usize| Cable {
            a: names[a].clone(),
            a_if: String::new(),
            b: names[b].clone(),
            b_if: String::new(),
        };
        let links: Vec<Cable> = (0..8).map(|i| cable(i, (i + 1) % 8)).collect();
        let first = layout(&names, &links);
        assert_eq!(first, layout(&names, &links));
        assert!(
            first
                .iter()
                .all(|(_, x, y)| (0.0..=1.0).contains(x) && (0.0..=1.0).contains(y))
        );
        for (i, a) in first.iter().enumerate() {
            for b in &first[i + 1..] {
                assert!((a.1 - b.1).hypot(a.2 - b.2) > 0.05, "{} and {} overlap", a.0, b.0);
            }
        }
        assert!(layout(&[], &[]).is_empty());
        assert_eq!(layout(&names[..1], &[]).len(), 1);
    }
}
