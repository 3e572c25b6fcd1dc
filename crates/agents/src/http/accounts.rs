//! Remembers which accounts refuse everything: a key that is wrong, or no credit.
//! Such an account is asked once per run, not at every turn. The first request to
//! an account goes ahead alone, so that many calls at once do not all learn the
//! same; the others follow as soon as it is answered, or after a short while. Where an
//! account answered in the last minutes, in this run or another, no call waits: should
//! it refuse from now on, each agent may learn it by a request of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use debate::model::FailureClass;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::http::breaker::BreakerKey;
use crate::wire::WireOutcome;
use crate::wire::try_error::TryError;

/// The longest that other calls wait for the first one: a refusal comes at once.
const FIRST_ALONE: Duration = Duration::from_secs(5);

/// How long an account that answered is expected to answer again.
const ANSWERS_AGAIN: Duration = Duration::from_secs(600);

/// The accounts of one run. Clones share what they know.
#[derive(Debug, Clone, Default)]
pub(crate) struct Accounts {
    known: Arc<Mutex<HashMap<BreakerKey, AccountState>>>,
    changed: Arc<Notify>,
    lately: Arc<Lately>,
}

/// The accounts that have answered any run of this process, with the time of the last answer.
#[derive(Debug, Default)]
struct Lately(Mutex<HashMap<BreakerKey, Instant>>);

impl Lately {
    fn answered(&self) -> MutexGuard<'_, HashMap<BreakerKey, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_answered(&self, account: &BreakerKey) -> bool {
        self.answered().get(account).is_some_and(|at| at.elapsed() < ANSWERS_AGAIN)
    }
}

#[derive(Debug, Clone)]
enum AccountState {
    AskedFirst(Instant),
    Answers,
    Refuses(Box<TryError>),
}

impl Accounts {
    /// The same accounts for a new run, which asks those anew that refuse everything.
    pub(crate) fn for_run(&self) -> Accounts {
        Accounts { lately: Arc::clone(&self.lately), ..Accounts::default() }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<BreakerKey, AccountState>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until this model may be asked; returns the refusal if its account
    /// refuses everything. Without a key there is nothing to wait for.
    pub(crate) async fn enter(
        &self,
        model: &BreakerKey,
        has_key: bool,
    ) -> Result<(), Box<TryError>> {
        let account = model.account();
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let until = {
                let mut known = self.known();
                if let Some(AccountState::Refuses(why)) = known.get(model) {
                    return Err(why.clone());
                }
                match known.get(&account) {
                    Some(AccountState::Refuses(why)) => return Err(why.clone()),
                    Some(AccountState::Answers) => return Ok(()),
                    _ if !has_key || self.lately.has_answered(&account) => return Ok(()),
                    Some(AccountState::AskedFirst(at)) if *at + FIRST_ALONE > Instant::now() => {
                        *at + FIRST_ALONE
                    }
                    Some(AccountState::AskedFirst(_)) | None => {
                        known.insert(account, AccountState::AskedFirst(Instant::now()));
                        return Ok(());
                    }
                }
            };
            // Late or not: the next look decides.
            let _ = timeout_at(until, changed).await;
        }
    }

    /// Notes that an account answers. A refusal stands.
    pub(crate) fn answers(&self, model: &BreakerKey) {
        let mut known = self.known();
        let account = known.entry(model.account()).or_insert(AccountState::Answers);
        if let AccountState::AskedFirst(_) = account {
            *account = AccountState::Answers;
            self.changed.notify_waiters();
        }
    }

    /// Notes the end of a request.
    pub(crate) fn judge(&self, model: &BreakerKey, outcome: &Result<WireOutcome, TryError>) {
        let Err(trouble) = outcome else {
            self.lately.answered().insert(model.account(), Instant::now());
            return self.answers(model);
        };
        let refused = match trouble.class {
            FailureClass::OutOfCredit => Some(model.account()),
            FailureClass::Unauthorised if trouble.is_whole_account => Some(model.account()),
            FailureClass::Unauthorised => Some(model.clone()),
            _ => None,
        };
        // Every other failure says nothing against the account.
        let Some(refused) = refused else { return self.answers(model) };
        let what = format!("{}; it is not asked again in this run", trouble.what);
        let state = AccountState::Refuses(Box::new(TryError { what, ..trouble.clone() }));
        if refused == *model {
            self.answers(model);
        } else {
            self.lately.answered().remove(&refused);
        }
        self.known().insert(refused, state);
        self.changed.notify_waiters();
    }
}
