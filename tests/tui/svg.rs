//! A terminal screen as an SVG picture, for the documentation.

use vt100::{Color, Screen};

const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 18.0;
const PAD: f64 = 12.0;
const CANVAS: &str = "#0e131a";
const INK: &str = "#d7dde5";

/// The picture of a screen.
pub fn of(screen: &Screen) -> String {
    let (rows, columns) = screen.size();
    let (rows, columns) = (rows.get(), columns.get());
    let (w, h) = (
        f64::from(columns) * WIDTH + 2.0 * PAD,
        f64::from(rows) * HEIGHT + 2.0 * PAD,
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w:.0} {h:.0}\" font-family=\"DejaVu Sans Mono, Menlo, \
         Consolas, monospace\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{CANVAS}\"/>\n"
    );
    for row in 0..rows {
        let mut column = 0;
        while column < columns {
            column = run(screen, row, column, columns, &mut out);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Writes the cells from `start` on that look alike; returns the column after them.
fn run(screen: &Screen, row: u16, start: u16, columns: u16, out: &mut String) -> u16 {
    let look = |column: u16| {
        screen
            .cell(row, column)
            .map(|c| (c.fgcolor(), c.bgcolor(), c.bold(), c.inverse()))
            .unwrap_or_default()
    };
    let first = look(start);
    let mut end = start;
    let mut text = String::new();
    while end < columns && look(end) == first {
        let cell = screen
            .cell(row, end)
            .map(|c| c.contents().to_owned())
            .unwrap_or_default();
        text.push_str(if cell.is_empty() { " " } else { &cell });
        end += 1;
    }
    let (fg, bg) = (color(first.0, INK), color(first.1, CANVAS));
    let (fg, bg) = if first.3 { (bg, fg) } else { (fg, bg) };
    let (x, y) = (PAD + f64::from(start) * WIDTH, PAD + f64::from(row) * HEIGHT);
    let width = f64::from(end - start) * WIDTH;
    if bg != CANVAS {
        out.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{HEIGHT}\" fill=\"{bg}\"/>\n"
        ));
    }
    if !text.trim().is_empty() {
        let weight = if first.2 { " font-weight=\"bold\"" } else { "" };
        let text = text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        out.push_str(&format!(
            "<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{fg}\"{weight} textLength=\"{width:.1}\" xml:space=\"preserve\">{text}</text>\n",
            y + 13.5
        ));
    }
    end
}

fn color(color: Color, default: &str) -> String {
    match color {
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Default | Color::Idx(_) => default.to_owned(),
    }
}
