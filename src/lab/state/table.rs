//! A table of a device that is worked out when it is first read.
//!
//! Forwarding and BGP tables of a large network are what its state weighs, and most questions do not look at them.
//! A table reads like a slice; copies share the rows once they are there.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// Works out the rows.
type Source<T> = Arc<dyn Fn() -> Vec<T> + Send + Sync>;

/// Rows that are there, or on their way.
pub struct Table<T> {
    rows: Arc<OnceLock<Vec<T>>>,
    source: Option<Source<T>>,
}

impl<T> Table<T> {
    /// A table that `source` works out when it is first read.
    pub fn later(source: impl Fn() -> Vec<T> + Send + Sync + 'static) -> Self {
        Self {
            rows: Arc::default(),
            source: Some(Arc::new(source)),
        }
    }
}

impl<T> Deref for Table<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.rows
            .get_or_init(|| self.source.as_ref().map(|source| source()).unwrap_or_default())
    }
}

impl<T> From<Vec<T>> for Table<T> {
    fn from(rows: Vec<T>) -> Self {
        Self {
            rows: Arc::new(OnceLock::from(rows)),
            source: None,
        }
    }
}

impl<T> Clone for Table<T> {
    fn clone(&self) -> Self {
        Self {
            rows: self.rows.clone(),
            source: self.source.clone(),
        }
    }
}

impl<T: PartialEq> PartialEq for Table<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: fmt::Debug> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn rows_are_worked_out_once_and_only_when_read() {
        let runs = Arc::new(AtomicUsize::new(0));
        let told = runs.clone();
        let table = Table::later(move || {
            told.fetch_add(1, Ordering::SeqCst);
            vec![1, 2]
        });
        let copy = table.clone();
        assert_eq!(runs.load(Ordering::SeqCst), 0);
        assert_eq!((table.len(), copy.len()), (2, 2));
        assert_eq!(runs.load(Ordering::SeqCst), 1);
        assert_eq!(table, Table::from(vec![1, 2]));
        assert_eq!(format!("{copy:?}"), "[1, 2]");
    }
}
