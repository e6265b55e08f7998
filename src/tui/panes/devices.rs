//! Devices with role, state, findings, how long their last call took and those before it; a grid when there are hundreds.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::words::{health, sparkline};
use super::{Cx, Pane};
use crate::tui::rows::{Link, ListState, Row};
use crate::tui::story::{DeviceRow, Health, SPARK};
use crate::tui::text;
use crate::tui::theme::Role;

/// How the devices are ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// The worst first, targets before others.
    #[default]
    Health,
    /// By name.
    Name,
    /// By role.
    Role,
    /// Most findings first.
    Findings,
}

/// Which devices are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Show {
    /// All.
    #[default]
    All,
    /// Those with findings or trouble.
    Trouble,
    /// Those the query is about.
    Targets,
    /// Those not looked at.
    Unseen,
}

/// The devices pane.
#[derive(Debug, Default)]
pub struct Devices {
    list: ListState,
    order: Vec<usize>,
    sort: Sort,
    show: Show,
    grid: bool,
    columns: usize,
    /// The longest call of any device, in milliseconds: the top of every sparkline.
    longest: u64,
    key: (u64, usize, u8),
}

/// Cells of one device in the grid.
const CELL: usize = 14;

impl Devices {
    /// The next order.
    pub fn next_sort(&mut self) -> Sort {
        self.sort = match self.sort {
            Sort::Health => Sort::Name,
            Sort::Name => Sort::Role,
            Sort::Role => Sort::Findings,
            Sort::Findings => Sort::Health,
        };
        self.sort
    }

    /// The next choice of devices.
    pub fn next_show(&mut self) -> Show {
        self.show = match self.show {
            Show::All => Show::Trouble,
            Show::Trouble => Show::Targets,
            Show::Targets => Show::Unseen,
            Show::Unseen => Show::All,
        };
        self.show
    }

    /// List or grid.
    pub fn toggle_grid(&mut self) {
        self.grid = !self.grid;
    }

    /// Selects a device.
    pub fn select(&mut self, cx: &Cx, name: &str) {
        if let Some(row) = self
            .order
            .iter()
            .position(|i| cx.story.devices[*i].name.as_str() == name)
        {
            self.list.select(row);
        }
    }

    /// Rows that one step up or down crosses: more than one in the grid.
    pub fn stride(&self) -> isize {
        if self.grid {
            isize::try_from(self.columns.max(1)).unwrap_or(1)
        } else {
            1
        }
    }

    fn device<'a>(&self, cx: &'a Cx, index: usize) -> Option<&'a DeviceRow> {
        cx.story.devices.get(*self.order.get(index)?)
    }

    fn index(&mut self, cx: &Cx) {
        let devices = &cx.story.devices;
        self.longest = devices.iter().flat_map(|d| &d.times).copied().max().unwrap_or(0);
        let passes = |d: &DeviceRow| match self.show {
            Show::All => true,
            Show::Trouble => d.health >= Health::Warning,
            Show::Targets => d.target,
            Show::Unseen => d.health == Health::Unseen,
        };
        self.order = (0..devices.len()).filter(|i| passes(&devices[*i])).collect();
        match self.sort {
            Sort::Health => self.order.sort_by_key(|i| {
                let d = &devices[*i];
                (std::cmp::Reverse(d.health), !d.target)
            }),
            Sort::Name => self.order.sort_by(|a, b| devices[*a].name.cmp(&devices[*b].name)),
            Sort::Role => self
                .order
                .sort_by_key(|i| devices[*i].role.map_or(9, |r| r as u8)),
            Sort::Findings => self
                .order
                .sort_by_key(|i| std::cmp::Reverse(devices[*i].findings)),
        }
    }

    fn draw_grid(&mut self, cx: &Cx, area: Rect, buf: &mut Buffer) {
        self.columns = (usize::from(area.width) / CELL).max(1);
        let rows = usize::from(area.height);
        let line = self.list.selected() / self.columns;
        let first = line.saturating_sub(rows.saturating_sub(1));
        for (cell, index) in (first * self.columns..self.order.len())
            .take(rows * self.columns)
            .enumerate()
        {
            let Some(device) = self.device(cx, index) else {
                break;
            };
            let (glyph, role) = health(device.health);
            let selected = cx.focused && index == self.list.selected();
            let row = Row::text(format!("{glyph} "), role).column(device.name.as_str(), CELL - 3, Role::Text);
            let x = area.x + u16::try_from(cell % self.columns * CELL).unwrap_or(0);
            let y = area.y + u16::try_from(cell / self.columns).unwrap_or(0);
            let width = u16::try_from(CELL - 1)
                .unwrap_or(1)
                .min(area.right().saturating_sub(x));
            buf.set_line(x, y, &row.line(usize::from(width), cx.theme, selected), width);
        }
    }
}

impl Pane for Devices {
    fn title(&self, cx: &Cx) -> (String, String) {
        let all = cx.story.devices.len();
        let mut note = match self.show {
            Show::All if all == 0 => String::new(),
            Show::All => all.to_string(),
            Show::Trouble => format!("{} of {all} in trouble", self.order.len()),
            Show::Targets => format!("{} of {all} asked about", self.order.len()),
            Show::Unseen => format!("{} of {all} not seen", self.order.len()),
        };
        match self.sort {
            Sort::Health => {}
            Sort::Name => note.push_str(" by name"),
            Sort::Role => note.push_str(" by role"),
            Sort::Findings => note.push_str(" by findings"),
        }
        ("Devices".to_owned(), note)
    }

    fn prepare(&mut self, cx: &Cx, _: Rect) {
        let key = (
            cx.story.versions.work,
            cx.story.devices.len(),
            self.sort as u8 * 8 + self.show as u8,
        );
        if key != self.key {
            self.key = key;
            self.index(cx);
            self.list.set_len(self.order.len());
        }
    }

    fn draw(&mut self, cx: &Cx, area: Rect, buf: &mut Buffer) {
        self.prepare(cx, area);
        if self.grid && !self.list.is_empty() {
            self.draw_grid(cx, area, buf);
        } else {
            self.draw_list(cx, area, buf);
        }
    }

    fn row(&self, cx: &Cx, index: usize) -> Row {
        let Some(device) = self.device(cx, index) else {
            return Row::new();
        };
        let (glyph, role) = health(device.health);
        let what = match (device.busy, device.findings) {
            (1.., _) => (format!("{} reading", cx.spinner), Role::Running),
            (0, 1..) => (text::plural(device.findings, "finding"), role),
            (0, 0) => (
                device.health.word().to_owned(),
                if device.health == Health::Unseen {
                    Role::Unknown
                } else {
                    role
                },
            ),
        };
        let spark = sparkline(device.times.iter().copied(), self.longest);
        let last = device
            .times
            .back()
            .map(|ms| format!("{}  ", text::duration(*ms)))
            .unwrap_or_default();
        let kind = device.role.map(|r| r.to_string()).unwrap_or_default();
        Row::text(format!("{glyph} "), role)
            .column(
                device.name.as_str(),
                10,
                if device.target { Role::Accent } else { Role::Text },
            )
            .column(&kind, 3, Role::Dim)
            .put(what.0, what.1)
            .soft(last, Role::Dim)
            .end(text::pad_left(&spark, SPARK), Role::Dim)
            .link(Link::Device(device.name.clone()))
            .raw(format!(
                "{} {kind} {}, {}",
                device.name,
                device.health.word(),
                text::plural(device.findings, "finding")
            ))
    }

    fn list(&self) -> &ListState {
        &self.list
    }

    fn list_mut(&mut self) -> &mut ListState {
        &mut self.list
    }

    fn empty(&self, cx: &Cx) -> String {
        if cx.story.devices.is_empty() {
            "The inventory appears here.".to_owned()
        } else {
            "No device here: show others.".to_owned()
        }
    }
}
