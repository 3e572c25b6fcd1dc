//! Sorting rows of which there are few. The standard library's sort is in the program once for each
//! kind of row, six thousand bytes each time; what is here sorts every kind of row with the same
//! code, which costs a call for each comparison. What has to be fast is not sorted here.

use std::cmp::Ordering;

/// Up to this many rows each one is put in its place among those before it.
const FEW: usize = 20;

/// Rows that can be compared and exchanged by their places.
trait Rows {
    fn len(&self) -> usize;
    fn compare(&mut self, one: usize, other: usize) -> Ordering;
    fn swap(&mut self, one: usize, other: usize);
}

struct Compared<'a, T, F> {
    rows: &'a mut [T],
    compare: F,
}

impl<T, F: FnMut(&T, &T) -> Ordering> Rows for Compared<'_, T, F> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn compare(&mut self, one: usize, other: usize) -> Ordering {
        (self.compare)(&self.rows[one], &self.rows[other])
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.rows.swap(one, other);
    }
}

/// The same order as that of the standard library's methods.
pub trait SortRows<T> {
    /// Sorts rows; those that are equal stay in their order.
    fn sort_rows_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts rows by what is read from each; those of which it is equal stay in their order.
    fn sort_rows_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> SortRows<T> for [T] {
    fn sort_rows_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering) {
        sort(&mut Compared { rows: self, compare });
    }

    fn sort_rows_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.sort_rows_by(|one, other| key(one).cmp(&key(other)));
    }
}

fn sort(rows: &mut dyn Rows) {
    if rows.len() <= FEW {
        for end in 1..rows.len() {
            let mut at = end;
            while at > 0 && rows.compare(at - 1, at).is_gt() {
                rows.swap(at - 1, at);
                at -= 1;
            }
        }
        return;
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|one, other| rows.compare(*one, *other));
    put(rows, &mut order);
}

/// Brings to each place the row that `order` names for it. Each circle of places that take rows from
/// one another is gone round once, and its places are marked as filled.
fn put(rows: &mut dyn Rows, order: &mut [usize]) {
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start || from == at {
                break;
            }
            rows.swap(at, from);
            at = from;
        }
    }
}
