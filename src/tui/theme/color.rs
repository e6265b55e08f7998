//! Colour arithmetic: contrast after WCAG 2.2 and reduction to smaller palettes.

use ratatui::style::{Color, Style};

use crate::tui::terminal::ColorDepth;

/// The 16 named colours as xterm draws them by default, in the order of their numbers.
const ANSI: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

const NAMED: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

/// The contrast ratio of two colours, 1.0 to 21.0 (WCAG 2.2, "contrast ratio"). `None` when one of them is
/// the terminal's own default, whose value nobody knows.
pub fn contrast(a: Color, b: Color) -> Option<f64> {
    let (a, b) = (luminance(rgb(a)?), luminance(rgb(b)?));
    let (light, dark) = if a > b { (a, b) } else { (b, a) };
    Some((light + 0.05) / (dark + 0.05))
}

/// Relative luminance (WCAG 2.2).
fn luminance((r, g, b): (u8, u8, u8)) -> f64 {
    let channel = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.040_45 {
            c / 12.92
        } else {
            ((c + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b)
}

/// The red, green and blue of a colour; `None` for the terminal's default.
pub(super) fn rgb(color: Color) -> Option<(u8, u8, u8)> {
    match color {
        Color::Rgb(r, g, b) => Some((r, g, b)),
        Color::Indexed(i) => Some(indexed(i)),
        named => NAMED.iter().position(|n| *n == named).map(|i| ANSI[i]),
    }
}

/// Entry `i` of xterm's 256-colour palette.
fn indexed(i: u8) -> (u8, u8, u8) {
    let level = |v: u8| if v == 0 { 0 } else { 55 + 40 * v };
    match i {
        0..=15 => ANSI[usize::from(i)],
        16..=231 => (level((i - 16) / 36), level((i - 16) / 6 % 6), level((i - 16) % 6)),
        232..=255 => {
            let grey = 8 + 10 * (i - 232);
            (grey, grey, grey)
        }
    }
}

/// The style in a smaller palette. Keeps foreground and background readable against each other: when the
/// nearest colours fall below 4.5:1, the foreground becomes black or white.
pub(super) fn quantise(mut style: Style, depth: ColorDepth) -> Style {
    style.fg = style.fg.map(|c| nearest(c, depth));
    style.bg = style.bg.map(|c| nearest(c, depth));
    if let (Some(fg), Some(bg)) = (style.fg, style.bg)
        && contrast(fg, bg).is_some_and(|ratio| ratio < 4.5)
    {
        let white = contrast(Color::White, bg).unwrap_or(0.0);
        let black = contrast(Color::Black, bg).unwrap_or(0.0);
        style.fg = Some(if white > black { Color::White } else { Color::Black });
    }
    style
}

fn nearest(color: Color, depth: ColorDepth) -> Color {
    let Color::Rgb(r, g, b) = color else { return color };
    let distance = |(x, y, z): (u8, u8, u8)| {
        let d = |p: u8, q: u8| (i32::from(p) - i32::from(q)).pow(2);
        3 * d(r, x) + 6 * d(g, y) + d(b, z)
    };
    if depth == ColorDepth::Indexed {
        let best = (16..=255u8).min_by_key(|i| distance(indexed(*i))).unwrap_or(15);
        return Color::Indexed(best);
    }
    let best = (0..16).min_by_key(|i| distance(ANSI[*i])).unwrap_or(7);
    NAMED[best]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_follows_the_standard() {
        assert_eq!(
            contrast(Color::Black, Color::White).map(|c| c.round()),
            Some(21.0)
        );
        let grey = contrast(Color::Rgb(0x76, 0x76, 0x76), Color::White).unwrap();
        assert!((grey - 4.54).abs() < 0.01, "{grey}: WCAG's own example");
        assert_eq!(contrast(Color::Reset, Color::White), None);
    }

    #[test]
    fn palettes_shrink_to_the_nearest_colour() {
        assert_eq!(
            nearest(Color::Rgb(255, 0, 0), ColorDepth::Indexed),
            Color::Indexed(196)
        );
        assert_eq!(
            nearest(Color::Rgb(0, 250, 10), ColorDepth::Ansi),
            Color::LightGreen
        );
        assert_eq!(nearest(Color::Red, ColorDepth::Indexed), Color::Red);
    }
}
