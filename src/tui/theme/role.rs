//! What a piece of the screen is, as far as its look is concerned.

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// The part a piece of text plays. Roles with a background of their own say so.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Role { $($(#[$doc])* $name,)* }

        impl Role {
            /// Every role, in the order of declaration.
            pub const ALL: &'static [Role] = &[$(Role::$name,)*];
            /// How many roles there are.
            pub const COUNT: usize = Self::ALL.len();

            /// The name used in theme files.
            pub fn name(self) -> &'static str {
                match self { $(Role::$name => $text,)* }
            }
        }
    };
}

roles! {
    /// The background everything is drawn on, and the foreground of unstyled cells. Own background.
    Canvas = "canvas",
    /// The selected row. Own background; other roles keep their foreground on it.
    Selection = "selection",
    /// Ordinary text.
    Text = "text",
    /// Text that matters less: times, units, hints.
    Dim = "dim",
    /// Lines between panes.
    Rule = "rule",
    /// The lines around the focused pane.
    RuleFocus = "rule-focus",
    /// A pane's title.
    Title = "title",
    /// The focused pane's title.
    TitleFocus = "title-focus",
    /// Whatever should draw the eye without alarm: the prompt, the active tab, device names.
    Accent = "accent",
    /// A key one can press.
    Key = "key",
    /// Healthy, passed, done.
    Ok = "ok",
    /// Suspicious, degraded, needs a look.
    Warn = "warn",
    /// Faulty, failed, unreachable.
    Bad = "bad",
    /// Information without judgement.
    Info = "info",
    /// Not observed, not known.
    Unknown = "unknown",
    /// Moving right now.
    Running = "running",
    /// The planner speaking.
    Planner = "planner",
    /// The critic speaking.
    Critic = "critic",
    /// A search for evidence.
    Search = "search",
    /// The human: questions and answers.
    Human = "human",
    /// A key in JSON.
    JsonKey = "json-key",
    /// A string in JSON.
    JsonString = "json-string",
    /// A number in JSON.
    JsonNumber = "json-number",
    /// `true`, `false`, `null` and brackets in JSON.
    JsonLiteral = "json-literal",
    /// The value a finding cites. Own background.
    Cited = "cited",
    /// A search hit. Own background.
    Match = "match",
    /// A quiet badge. Own background.
    Badge = "badge",
    /// A badge that wants an answer. Own background.
    Alert = "alert",
    /// The status bar over a lab. Own background.
    Lab = "lab",
    /// The status bar over a production network. Own background.
    Production = "production",
}

impl Role {
    /// Roles that bring their own background; the others stand on `canvas` and on `selection`.
    pub fn owns_background(self) -> bool {
        matches!(
            self,
            Self::Canvas
                | Self::Selection
                | Self::Cited
                | Self::Match
                | Self::Badge
                | Self::Alert
                | Self::Lab
                | Self::Production
        )
    }

    /// The role with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|r| r.name() == name)
    }
}
