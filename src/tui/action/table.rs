//! The table itself, by group.

use super::{Context, Danger, Spec};

macro_rules! actions {
    ($($(#[$gdoc:meta])* $group:ident {
        $($name:ident $id:literal $context:ident $danger:ident $label:literal $doc:literal,)*
    })*) => {
        $($(#[$gdoc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $group { $(#[doc = $doc] $name,)* })*

        /// Something the user can do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action { $($(#[$gdoc])* $group($group),)* }

        impl Action {
            /// Every action.
            pub const TABLE: &'static [Spec] = &[$($(Spec {
                action: Action::$group($group::$name),
                id: $id,
                context: Context::$context,
                danger: Danger::$danger,
                label: $label,
                doc: $doc,
            },)*)*];
        }
    };
}

actions! {
    /// The program as a whole.
    App {
        Help "app.help" Global Safe "help" "Show the keys that work here",
        Palette "app.palette" Global Safe "command" "Find any action by name",
        Back "app.back" Global Safe "back" "Back out of what is open; declines an approval in front, and answers nothing else",
        Cancel "app.cancel" Global Weighty "cancel" "Cancel what runs; pressed again, offer to quit",
        Pause "app.pause" Global Safe "pause" "Pause or go on: nothing new is started while paused",
        Quit "app.quit" Global Weighty "quit" "Quit; sessions stay on disk and can be resumed",
        Suspend "app.suspend" Global Safe "suspend" "Suspend to the shell; `fg` comes back",
        Redraw "app.redraw" Global Safe "redraw" "Paint every cell again",
        Mouse "app.mouse" Global Safe "mouse" "Release the mouse for the terminal's own selection, or take it back",
        Theme "app.theme" Global Safe "theme" "Next theme",
        Motion "app.motion" Global Safe "motion" "Spinners on or off",
        Reload "app.reload" Global Safe "reload" "Read the user's themes and keymap again",
        Withdraw "app.withdraw" Global Safe "withdraw" "Withdraw what was allowed always: it is asked about again",
        Setup "app.setup" Global Safe "set up" "Answer three questions and write your settings",
        Export "app.export" Global Safe "export" "Export the session as Markdown, HTML or JSON",
    }
    /// Moving between parts of the screen.
    Go {
        Ask "go.ask" Global Safe "ask" "Type a query, or steer the running investigation",
        Needs "go.needs" Global Safe "answer" "Go to the question that waits",
        NextPane "go.next-pane" Global Safe "pane" "Next pane",
        PrevPane "go.prev-pane" Global Safe "pane" "Previous pane",
        Zoom "go.zoom" Global Safe "zoom" "Zoom the focused pane, or back",
        Overview "go.overview" Global Safe "overview" "Everything at a glance",
        Plan "go.plan" Global Safe "plan" "The plan and its versions",
        Loops "go.loops" Global Safe "loops" "Planner and critic, loop by loop",
        Steps "go.steps" Global Safe "steps" "Steps, calls and findings by device",
        Devices "go.devices" Global Safe "devices" "Devices with role, state and findings",
        Evidence "go.evidence" Global Safe "evidence" "Tool calls and their full results",
        Map "go.map" Global Safe "map" "The topology, coloured by health",
        Timeline "go.timeline" Global Safe "timeline" "What happened when, against the asked window",
        Verdict "go.verdict" Global Safe "verdict" "Verdict and hypotheses",
        Report "go.report" Global Safe "report" "The report in words",
        Tools "go.tools" Global Safe "tools" "MCP servers and their tools",
        Sessions "go.sessions" Global Safe "sessions" "Earlier sessions: search, resume, compare",
        Log "go.log" Global Safe "log" "Every event and note",
        NextTab "go.next-tab" Global Safe "next tab" "Next investigation",
        PrevTab "go.prev-tab" Global Safe "previous tab" "Previous investigation",
        NewTab "go.new-tab" Global Safe "new tab" "Start another investigation beside this one",
        CloseTab "go.close-tab" Global Weighty "close tab" "Close this investigation; it stays on disk",
    }
    /// Rows.
    List {
        Up "list.up" List Safe "up" "One row up",
        Down "list.down" List Safe "down" "One row down",
        PageUp "list.page-up" List Safe "page up" "One page up",
        PageDown "list.page-down" List Safe "page down" "One page down",
        Top "list.top" List Safe "top" "First row",
        Bottom "list.bottom" List Safe "bottom" "Last row; new rows are followed from there",
        Fold "list.fold" List Safe "fold" "Fold the row, or scroll left",
        Unfold "list.unfold" List Safe "unfold" "Unfold the row, or scroll right",
        Open "list.open" List Safe "open" "Open what the row stands for: evidence, device, finding",
        Find "list.find" List Safe "find" "Search or filter the rows",
        FindNext "list.find-next" List Safe "next hit" "Next hit",
        FindPrev "list.find-prev" List Safe "previous hit" "Previous hit",
        Copy "list.copy" List Safe "copy" "Copy the row as plain text",
        CopyAll "list.copy-all" List Safe "copy all" "Copy the whole pane as plain text",
    }
    /// One-line fields.
    Typing {
        Submit "line.submit" Line Safe "go" "Start the investigation, or send the words",
        NewTab "line.submit-new" Line Safe "new tab" "Start it beside the running one",
        Complete "line.complete" Line Safe "complete" "Complete a device, role, VRF or intent",
        Older "line.older" Line Safe "older" "Older query",
        Newer "line.newer" Line Safe "newer" "Newer query",
        Clear "line.clear" Line Safe "clear" "Empty the line",
        Send "editor.send" Editor Safe "send" "Send what is in the editor",
        External "editor.external" Editor Safe "$EDITOR" "Edit the text in $EDITOR",
    }
    /// Answering a question.
    Answering {
        Details "answer.details" Question Safe "details" "Show the whole question",
        Text "answer.text" Question Safe "answer" "Answer in words",
        Retry "answer.retry" Question Weighty "retry" "Try again as it was",
        Edit "answer.edit" Question Safe "edit" "Edit the arguments and try again",
        Paste "answer.paste" Question Safe "paste" "Paste the result yourself; it is kept as supplied by a human",
        Skip "answer.skip" Question Weighty "skip" "Go on without it; lowers confidence",
        Approve "answer.approve" Question Weighty "yes" "Allow exactly what is shown",
        Always "answer.always" Question Weighty "always" "Allow it for the rest of the session, in a scope that is shown and can be widened",
        Decline "answer.decline" Question Weighty "decline" "Do not allow it; Esc does the same",
        Replan "answer.replan" Question Weighty "new plan" "Ask for another plan",
        Stop "answer.stop" Question Weighty "stop" "End with a report of what is known",
        Next "answer.next" Question Safe "next" "Next question",
        Prev "answer.prev" Question Safe "previous" "Previous question",
    }
    /// Looking closer.
    Look {
        Diff "plan.diff" Plan Safe "diff" "Compare with the version before, side by side",
        OlderVersion "plan.older" Plan Safe "older" "Older plan version",
        NewerVersion "plan.newer" Plan Safe "newer" "Newer plan version",
        NextEvidence "evidence.next" Evidence Safe "next" "Next evidence",
        PrevEvidence "evidence.prev" Evidence Safe "previous" "Previous evidence",
        NextCitation "evidence.citation" Evidence Safe "cited" "Next cited place",
        CitedBy "evidence.cited-by" Evidence Safe "cited by" "Back to what cites this",
        FoldAll "evidence.fold-all" Evidence Safe "fold all" "Fold everything",
        UnfoldAll "evidence.unfold-all" Evidence Safe "unfold all" "Unfold everything",
        Sort "devices.sort" Devices Safe "sort" "Sort by health, name, role or findings",
        Filter "devices.filter" Devices Safe "show" "Show all, those with findings, or those not seen",
        Grid "devices.grid" Devices Safe "grid" "List or grid",
    }
    /// The topology map.
    Map {
        In "map.in" Map Safe "closer" "Zoom in",
        Out "map.out" Map Safe "farther" "Zoom out",
        Left "map.left" Map Safe "left" "Pan left",
        Right "map.right" Map Safe "right" "Pan right",
        Up "map.up" Map Safe "up" "Pan up",
        Down "map.down" Map Safe "down" "Pan down",
        Fit "map.fit" Map Safe "fit" "Show the whole network",
    }
    /// A recording.
    Replay {
        Toggle "replay.toggle" Replay Safe "play" "Play or pause",
        Faster "replay.faster" Replay Safe "faster" "Twice the speed",
        Slower "replay.slower" Replay Safe "slower" "Half the speed",
        Back "replay.back" Replay Safe "back" "Ten events back",
        Forward "replay.forward" Replay Safe "forward" "Ten events forward",
        Start "replay.start" Replay Safe "start" "To the beginning",
        End "replay.end" Replay Safe "end" "To the end",
    }
    /// The sessions browser.
    Sessions {
        Resume "sessions.resume" Sessions Safe "resume" "Resume or replay the session in a new tab",
        Rename "sessions.rename" Sessions Safe "rename" "Give the session a name",
        Delete "sessions.delete" Sessions Final "delete" "Delete the session from disk",
        Compare "sessions.compare" Sessions Safe "compare" "Mark for comparison; the second mark compares",
        Refresh "sessions.refresh" Sessions Safe "refresh" "Read the list again",
    }
}
