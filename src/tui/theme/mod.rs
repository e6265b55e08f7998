//! Themes by role: code names what a thing *is*, a TOML file says how it looks.
//!
//! Five themes are built in (`themes/*.toml`); a file of the same shape in the user's `themes` folder adds
//! or replaces one, and may inherit and patch another. Nothing outside this module names a colour.

mod color;
mod parse;
mod role;

#[cfg(test)]
mod tests;

use ratatui::style::{Modifier, Style};

use super::terminal::ColorDepth;

pub use color::contrast;
pub use parse::{ThemeError, ThemeSet};
pub use role::Role;

/// A resolved theme: one style for every role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    name: String,
    styles: [Style; Role::COUNT],
}

impl Theme {
    fn new(name: &str, styles: [Style; Role::COUNT]) -> Self {
        Self {
            name: name.to_owned(),
            styles,
        }
    }

    /// The theme's name, as in its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// The style of a role when the row it stands on is selected: its own foreground on the selection's
    /// background, or reversed where there are no colours.
    pub fn selected(&self, role: Role) -> Style {
        let selection = self.style(Role::Selection);
        let own = self.style(role);
        match (own.bg, selection.bg) {
            (Some(_), _) => own,
            (None, Some(bg)) => own.bg(bg).add_modifier(selection.add_modifier),
            (None, None) => own.add_modifier(selection.add_modifier),
        }
    }

    /// The theme as this terminal can show it.
    #[must_use]
    pub fn at_depth(mut self, depth: ColorDepth) -> Self {
        for role in Role::ALL {
            let style = &mut self.styles[*role as usize];
            *style = match depth {
                ColorDepth::True => *style,
                ColorDepth::Indexed | ColorDepth::Ansi => color::quantise(*style, depth),
                ColorDepth::None => without_colour(*role, *style),
            };
        }
        self
    }
}

/// Tells by weight and reversal what colour told before. Glyph and word are always there besides.
fn without_colour(role: Role, style: Style) -> Style {
    let plain = Style::new().add_modifier(style.add_modifier);
    match role {
        Role::Selection | Role::Badge | Role::Alert | Role::Production | Role::Cited => {
            plain.add_modifier(Modifier::REVERSED)
        }
        Role::Match => plain.add_modifier(Modifier::UNDERLINED),
        Role::Bad | Role::Warn | Role::Key | Role::TitleFocus | Role::RuleFocus => {
            plain.add_modifier(Modifier::BOLD)
        }
        _ => plain,
    }
}
