//! Does a thing once per key and shares what came of it, also with those who ask
//! while it is still being done. What failed is not kept: the next one may try.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

/// The times a thing was asked for, and the times it was really done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UseCount {
    pub asked: u64,
    pub made: u64,
}

/// The origin of a result: made now, or there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultOrigin {
    Now,
    Before,
}

/// Makes each result once and shares it, or makes it each time.
pub struct OncePerKey<T> {
    shared: bool,
    cells: Mutex<HashMap<String, Arc<OnceCell<T>>>>,
    asked: AtomicU64,
    made: AtomicU64,
}

impl<T> Default for OncePerKey<T> {
    fn default() -> Self {
        OncePerKey {
            shared: true,
            cells: Mutex::default(),
            asked: AtomicU64::default(),
            made: AtomicU64::default(),
        }
    }
}

impl<T: Clone> OncePerKey<T> {
    pub fn with(shared: bool) -> OncePerKey<T> {
        OncePerKey { shared, ..OncePerKey::default() }
    }

    pub async fn get<E, F: Future<Output = Result<T, E>>>(
        &self,
        key: String,
        make: impl FnOnce() -> F,
    ) -> Result<(T, ResultOrigin), E> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if !self.shared {
            self.made.fetch_add(1, Ordering::Relaxed);
            return Ok((make().await?, ResultOrigin::Now));
        }
        let cell = {
            let mut cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(cells.entry(key).or_default())
        };
        // Where the one who began is called off, the next in line begins anew.
        let mut when = ResultOrigin::Before;
        let made = cell.get_or_try_init(|| {
            self.made.fetch_add(1, Ordering::Relaxed);
            when = ResultOrigin::Now;
            make()
        });
        let made = made.await?.clone();
        Ok((made, when))
    }

    pub fn count(&self) -> UseCount {
        UseCount {
            asked: self.asked.load(Ordering::Relaxed),
            made: self.made.load(Ordering::Relaxed),
        }
    }
}
