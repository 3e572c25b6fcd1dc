//! Does a thing once per key and shares what came of it, also with those who ask
//! while it is still being done. What failed is not kept: the next one may try.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

/// How often a thing was asked for, and how often it was really done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    pub asked: u64,
    pub made: u64,
}

pub struct OncePerKey<T> {
    cells: Mutex<HashMap<String, Arc<OnceCell<T>>>>,
    asked: AtomicU64,
    made: AtomicU64,
}

impl<T> Default for OncePerKey<T> {
    fn default() -> Self {
        OncePerKey {
            cells: Mutex::default(),
            asked: AtomicU64::default(),
            made: AtomicU64::default(),
        }
    }
}

impl<T: Clone> OncePerKey<T> {
    pub async fn get<E, F: Future<Output = Result<T, E>>>(
        &self,
        key: String,
        make: impl FnOnce() -> F,
    ) -> Result<T, E> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let cell = {
            let mut cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(cells.entry(key).or_default())
        };
        // Where the one who began is called off, the next in line begins anew.
        let made = cell.get_or_try_init(|| {
            self.made.fetch_add(1, Ordering::Relaxed);
            make()
        });
        made.await.cloned()
    }

    pub fn count(&self) -> Count {
        Count { asked: self.asked.load(Ordering::Relaxed), made: self.made.load(Ordering::Relaxed) }
    }
}
