//! What every theme owes the reader: contrast, completeness, names in errors.

use ratatui::style::{Color, Modifier};

use super::color::rgb;
use super::*;

/// WCAG 2.2, success criterion 1.4.3 (AA).
const MIN_CONTRAST: f64 = 4.5;

#[test]
fn every_role_pair_of_every_theme_is_readable() {
    let set = ThemeSet::built_in().unwrap();
    let mut low = Vec::new();
    for name in set.names() {
        let theme = set.get(&name).unwrap();
        for role in Role::ALL {
            let style = theme.style(*role);
            let backgrounds = match style.bg {
                Some(bg) => vec![bg],
                None => [Role::Canvas, Role::Selection]
                    .map(|r| theme.style(r).bg.unwrap())
                    .to_vec(),
            };
            for bg in backgrounds {
                let ratio = contrast(
                    style
                        .fg
                        .unwrap_or_else(|| panic!("{name}: {} has no fg", role.name())),
                    bg,
                );
                let ratio = ratio.unwrap_or_else(|| panic!("{name}: {} uses an unknown colour", role.name()));
                if ratio < MIN_CONTRAST {
                    low.push(format!("{name}: {} {ratio:.2}:1 on {bg:?}", role.name()));
                }
            }
        }
    }
    assert!(low.is_empty(), "{}", low.join("\n"));
}

/// Red-green blindness after Viénot, Brettel and Mollon (1999), on linear values.
fn as_deuteranope(color: Color) -> [f64; 3] {
    let (r, g, b) = rgb(color).unwrap();
    let linear = |c: u8| (f64::from(c) / 255.0).powf(2.2);
    let (r, g, b) = (linear(r), linear(g), linear(b));
    let rg = 0.292_75 * r + 0.707_25 * g;
    [rg, rg, -0.022_34 * r + 0.022_34 * g + b].map(|c| c.max(0.0).powf(1.0 / 2.2))
}

#[test]
fn the_deuteranopia_theme_keeps_ok_warn_and_bad_apart() {
    let theme = ThemeSet::built_in().unwrap().get("deuteranopia").unwrap();
    let seen = [Role::Ok, Role::Warn, Role::Bad].map(|r| as_deuteranope(theme.style(r).fg.unwrap()));
    for (a, b) in [(0, 1), (1, 2), (0, 2)] {
        let distance: f64 = (0..3)
            .map(|i| (seen[a][i] - seen[b][i]).powi(2))
            .sum::<f64>()
            .sqrt();
        assert!(distance > 0.25, "{a} and {b} look alike: {distance:.2}");
    }
}

#[test]
fn production_looks_different_from_a_lab() {
    let set = ThemeSet::built_in().unwrap();
    for name in set.names() {
        let theme = set.get(&name).unwrap();
        assert_ne!(
            theme.style(Role::Lab).bg,
            theme.style(Role::Production).bg,
            "{name}"
        );
    }
}

#[test]
fn a_user_theme_inherits_and_patches() {
    let mut set = ThemeSet::built_in().unwrap();
    set.add(
        "mine",
        "themes/mine.toml",
        "inherits = \"dark\"\n[palette]\ncoral = \"#ff8080\"\n[roles]\nok = \"#00ff00\"",
    )
    .unwrap();
    let (dark, mine) = (set.get("dark").unwrap(), set.get("mine").unwrap());
    assert_eq!(mine.style(Role::Ok).fg, Some(Color::Rgb(0, 255, 0)));
    assert_eq!(
        mine.style(Role::Bad).fg,
        Some(Color::Rgb(255, 128, 128)),
        "a patched palette reaches every role"
    );
    assert_eq!(mine.style(Role::Text), dark.style(Role::Text));
}

#[test]
fn mistakes_are_named_with_their_place() {
    let mut set = ThemeSet::built_in().unwrap();
    set.add(
        "a",
        "themes/a.toml",
        "inherits = \"dark\"\n[roles]\nwarning = \"#fff000\"",
    )
    .unwrap();
    assert_eq!(
        set.get("a").unwrap_err().to_string(),
        "themes/a.toml: roles.warning: no such role - did you mean \"warn\"?"
    );
    set.add(
        "b",
        "themes/b.toml",
        "inherits = \"dark\"\n[roles]\nok = \"greenish\"",
    )
    .unwrap();
    assert!(
        set.get("b")
            .unwrap_err()
            .to_string()
            .contains("roles.ok.fg: \"greenish\" is no colour")
    );
    set.add("c", "themes/c.toml", "inherits = \"c\"").unwrap();
    assert!(set.get("c").unwrap_err().to_string().contains("circle"));
    assert!(
        set.get("d")
            .unwrap_err()
            .to_string()
            .contains("there are: a, ansi, b, c, dark")
    );
    assert!(
        set.add("e", "themes/e.toml", "roles = 3")
            .unwrap_err()
            .to_string()
            .starts_with("themes/e.toml: ")
    );
}

#[test]
fn no_colour_leaves_no_colour_and_still_tells_apart() {
    let theme = ThemeSet::built_in()
        .unwrap()
        .get("dark")
        .unwrap()
        .at_depth(ColorDepth::None);
    for role in Role::ALL {
        let style = theme.style(*role);
        assert!(style.fg.is_none_or(|c| c == Color::Reset) && style.bg.is_none_or(|c| c == Color::Reset));
    }
    assert!(
        theme
            .style(Role::Selection)
            .add_modifier
            .contains(Modifier::REVERSED)
    );
    assert!(theme.style(Role::Bad).add_modifier.contains(Modifier::BOLD));
}

#[test]
fn a_smaller_palette_stays_readable_where_it_owns_its_background() {
    for depth in [ColorDepth::Indexed, ColorDepth::Ansi] {
        let theme = ThemeSet::built_in().unwrap().get("dark").unwrap().at_depth(depth);
        for role in Role::ALL.iter().filter(|r| r.owns_background()) {
            let style = theme.style(*role);
            let ratio = contrast(style.fg.unwrap(), style.bg.unwrap()).unwrap();
            assert!(ratio >= MIN_CONTRAST, "{} {ratio:.2} at {depth:?}", role.name());
        }
    }
}
