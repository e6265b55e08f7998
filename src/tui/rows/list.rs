//! Selection and scrolling over rows of known number.

/// Where a list stands.
///
/// At its end a list follows: new rows push the view along. Moving up pins it, and what arrives below is
/// counted until the user comes back down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListState {
    selected: usize,
    offset: usize,
    len: usize,
    page: usize,
    tail: bool,
    unseen: usize,
    /// Whether new rows at the end are followed at all.
    following: bool,
    /// What is searched for.
    pub find: Option<String>,
}

impl ListState {
    /// A list that starts at its top.
    pub fn top() -> Self {
        Self::default()
    }

    /// A list that follows its end.
    pub fn tail() -> Self {
        Self {
            tail: true,
            following: true,
            ..Self::default()
        }
    }

    /// The selected row.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first row that is shown.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Rows that arrived below the view since it was pinned.
    pub fn unseen(&self) -> usize {
        self.unseen
    }

    /// Tells how many rows there are now.
    pub fn set_len(&mut self, len: usize) {
        if self.tail && self.following {
            self.selected = len.saturating_sub(1);
        } else if self.following && len > self.len {
            self.unseen += len - self.len;
        }
        if len < self.len {
            self.unseen = self.unseen.min(len);
        }
        self.len = len;
        self.selected = self.selected.min(len.saturating_sub(1));
    }

    /// Tells how many rows fit, and scrolls so that the selection is among them. Rows have
    /// one line each.
    pub fn set_page(&mut self, page: usize) {
        self.page = page;
        if page == 0 {
            return;
        }
        if self.selected < self.offset {
            self.offset = self.selected;
        } else if self.selected >= self.offset + page {
            self.offset = self.selected + 1 - page;
        }
        self.offset = self.offset.min(self.len.saturating_sub(page));
    }

    /// Moves the selection by `rows`.
    pub fn step(&mut self, rows: isize) {
        let last = self.len.saturating_sub(1);
        self.select(self.selected.saturating_add_signed(rows).min(last));
    }

    /// Moves the selection by pages.
    pub fn page(&mut self, pages: isize) {
        let rows = isize::try_from(self.page.saturating_sub(1).max(1)).unwrap_or(1);
        self.step(pages * rows);
    }

    /// Selects a row. Selecting the last one of a following list follows again.
    pub fn select(&mut self, row: usize) {
        let last = self.len.saturating_sub(1);
        self.selected = row.min(last);
        self.tail = self.following && self.selected == last;
        if self.tail {
            self.unseen = 0;
        }
    }

    /// Selects a row and shows what stands around it.
    pub fn show(&mut self, row: usize) {
        self.select(row);
        self.offset = self.selected.saturating_sub(self.page.max(12) / 3);
    }

    /// Scrolls by `rows` without moving the selection out of sight.
    pub fn scroll(&mut self, rows: isize) {
        let furthest = self.len.saturating_sub(self.page);
        self.offset = self.offset.saturating_add_signed(rows).min(furthest);
        let end = (self.offset + self.page).saturating_sub(1);
        self.select(self.selected.clamp(self.offset, end.max(self.offset)));
    }

    /// Whether it stands at its end and follows what comes.
    pub fn follows(&self) -> bool {
        self.tail && self.following
    }

    /// The selected row is at another place now, because rows above it came or went: the view moves along, so
    /// that it stays where the eye is. Tell the new number of rows next.
    pub fn moved_to(&mut self, row: usize) {
        let delta = isize::try_from(row).unwrap_or(0) - isize::try_from(self.selected).unwrap_or(0);
        self.selected = row;
        self.offset = self.offset.saturating_add_signed(delta);
    }

    /// First row.
    pub fn first(&mut self) {
        self.select(0);
    }

    /// Last row.
    pub fn last(&mut self) {
        self.select(usize::MAX);
    }

    /// Selects the next (or previous) row whose text contains what is searched for, wrapping round.
    /// Returns whether there is one. `text` gives the text of a row.
    pub fn find_from(&mut self, step: isize, text: impl Fn(usize) -> String) -> bool {
        let Some(needle) = self
            .find
            .as_ref()
            .map(|f| f.to_lowercase())
            .filter(|f| !f.is_empty())
        else {
            return false;
        };
        for i in 0..self.len {
            let row = match step {
                0 => (self.selected + i) % self.len,
                1.. => (self.selected + 1 + i) % self.len,
                _ => (self.selected + 2 * self.len - 1 - i) % self.len,
            };
            if text(row).to_lowercase().contains(&needle) {
                self.select(row);
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_follows_until_it_is_pinned() {
        let mut list = ListState::tail();
        list.set_len(10);
        list.set_page(4);
        assert_eq!((list.selected(), list.offset()), (9, 6));
        list.step(-1);
        list.set_len(15);
        list.set_page(4);
        assert_eq!(
            (list.selected(), list.unseen()),
            (8, 5),
            "scrolling up pins the view"
        );
        list.last();
        assert_eq!((list.selected(), list.unseen()), (14, 0));
        list.set_len(16);
        assert_eq!(list.selected(), 15, "and the end is followed again");
    }

    #[test]
    fn the_selection_stays_in_sight() {
        let mut list = ListState::top();
        list.set_len(100);
        list.set_page(10);
        list.page(1);
        list.set_page(10);
        assert_eq!((list.selected(), list.offset()), (9, 0));
        list.page(1);
        list.set_page(10);
        assert_eq!((list.selected(), list.offset()), (18, 9));
        list.scroll(50);
        assert_eq!((list.offset(), list.selected()), (59, 59));
        list.set_len(3);
        list.set_page(10);
        assert_eq!((list.offset(), list.selected()), (0, 2));
    }

    #[test]
    fn rows_that_go_above_do_not_move_what_the_eye_is_on() {
        let mut list = ListState::tail();
        list.set_len(100);
        list.set_page(10);
        list.select(50);
        list.set_page(10);
        let place = list.selected() - list.offset();
        list.moved_to(30);
        list.set_len(80);
        list.set_page(10);
        assert_eq!((list.selected(), list.selected() - list.offset()), (30, place));
        assert!(!list.follows());
    }

    #[test]
    fn search_goes_both_ways_and_round() {
        let rows = ["alpha", "Beta", "gamma", "beta 2"];
        let mut list = ListState::top();
        list.set_len(rows.len());
        list.find = Some("beta".to_owned());
        let text = |i: usize| rows[i].to_owned();
        assert!(list.find_from(0, text) && list.selected() == 1);
        assert!(list.find_from(1, text) && list.selected() == 3);
        assert!(list.find_from(1, text) && list.selected() == 1, "round the end");
        assert!(
            list.find_from(-1, text) && list.selected() == 3,
            "round the start"
        );
        list.find = Some("nothing".to_owned());
        assert!(!list.find_from(1, text) && list.selected() == 3);
        list.set_len(0);
        assert!(!list.find_from(1, text));
    }
}
