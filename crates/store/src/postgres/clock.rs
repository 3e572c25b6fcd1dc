//! The clock of the server. Leases end at a moment of it, so that nodes whose own clocks differ
//! agree on when one is over; callers go by their own clock and never see the difference.

#![allow(clippy::disallowed_methods, reason = "two clocks are compared here")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use sqlx::Row;
use sqlx::postgres::PgPool;

use crate::error::StoreError;
use crate::lease::{LeaseTerm, LeaseView};

/// The milliseconds by which the server's clock is ahead of this machine's.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServerClock {
    ahead: Arc<AtomicI64>,
}

impl ServerClock {
    pub(crate) async fn read(pool: &PgPool) -> Result<ServerClock, StoreError> {
        let clock = ServerClock::default();
        clock.set(pool).await?;
        Ok(clock)
    }

    /// Compares the clocks anew; either may have been set.
    pub(crate) async fn set(&self, pool: &PgPool) -> Result<(), StoreError> {
        let query = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8";
        let before = here();
        let server: i64 = sqlx::query(query).fetch_one(pool).await?.try_get(0)?;
        let between = before + (here() - before) / 2;
        self.ahead.store(server - between, Ordering::Relaxed);
        Ok(())
    }

    /// A moment of this machine's clock, as the server's clock has it.
    pub(crate) fn on_server(&self, moment: i64) -> i64 {
        moment.saturating_add(self.ahead.load(Ordering::Relaxed))
    }

    pub(crate) fn term_on_server(&self, term: LeaseTerm) -> LeaseTerm {
        LeaseTerm { until: self.on_server(term.until), ..term }
    }

    /// A lease as it is stored, with its end on this machine's clock.
    pub(crate) fn seen_here(&self, view: LeaseView) -> LeaseView {
        let until = view.term.until.saturating_sub(self.ahead.load(Ordering::Relaxed));
        LeaseView { term: LeaseTerm { until, ..view.term }, ..view }
    }
}

/// Milliseconds since 1970 by this machine's clock.
fn here() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
