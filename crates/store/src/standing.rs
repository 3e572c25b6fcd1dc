//! How things stand with a debate under the write lock: its row in the listing,
//! who runs it, the accounts and calls that the work at hand touches. Read in
//! one go, so that a piece of work looks once and then writes once.

use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use crate::error::StoreError;
use crate::listing::{Listed, Place, signed};
use crate::script::Script;
use crate::work::Claim;

#[derive(Default)]
pub(crate) struct Standing {
    /// `Err`: it is there and damaged.
    listed: Option<Result<Listed, Place>>,
    holder: Option<Holder>,
    accounts: Vec<(String, i64)>,
    pub(crate) calls: Vec<CallRow>,
}

/// Who holds a debate, with the epoch of the last claim.
#[derive(Debug, Clone)]
pub(crate) struct Holder {
    pub(crate) epoch: i64,
    pub(crate) owner: Option<String>,
    pub(crate) until: i64,
}

/// One call in the books.
pub(crate) struct CallRow {
    pub(crate) ask: String,
    pub(crate) held: bool,
    pub(crate) day: i64,
    pub(crate) reserved: i64,
}

impl Standing {
    pub(crate) async fn of(
        connection: &mut SqliteConnection,
        id: &str,
        accounts: &[String],
        asks: &[String],
    ) -> Result<Standing, StoreError> {
        let mut script = Script::default();
        script
            .say(
                "SELECT 'debate' AS what, d.id, d.topic, d.mode, d.agents, d.status, d.rounds,
                     d.rounds_done, d.cost_micro, d.unpriced_calls, d.created, d.updated,
                     d.last_seq, d.hash, r.epoch, r.owner, r.lease_until
                 FROM debates d LEFT JOIN runs r ON r.debate_id = d.id WHERE d.id = ?",
            )
            .with(id);
        if !accounts.is_empty() {
            script.say("SELECT 'account' AS what, name, bound_micro FROM accounts WHERE name IN ");
            script.list(accounts.iter().map(String::as_str));
        }
        if !asks.is_empty() {
            script
                .say(
                    "SELECT 'call' AS what, ask, state, day, COALESCE(reserved_micro, 0) AS reserved
                     FROM calls WHERE debate_id = ? AND ask IN ",
                )
                .with(id)
                .list(asks.iter().map(String::as_str));
        }
        let mut standing = Standing::default();
        for row in script.rows(connection).await? {
            standing.take(&row)?;
        }
        Ok(standing)
    }

    fn take(&mut self, row: &SqliteRow) -> Result<(), StoreError> {
        match row.try_get("what")? {
            "debate" => {
                self.listed = Some(Listed::read(row));
                if let Some(epoch) = row.try_get("epoch")? {
                    let (owner, until) = (row.try_get("owner")?, row.try_get("lease_until")?);
                    self.holder = Some(Holder { epoch, owner, until });
                }
            }
            "account" => {
                self.accounts.push((row.try_get("name")?, row.try_get("bound_micro")?));
            }
            _ => self.calls.push(CallRow {
                ask: row.try_get("ask")?,
                held: row.try_get::<&str, _>("state")? == "held",
                day: row.try_get("day")?,
                reserved: row.try_get("reserved")?,
            }),
        }
        Ok(())
    }

    pub(crate) fn exists(&self) -> bool {
        self.listed.is_some()
    }

    pub(crate) fn must_exist(&self, id: &str) -> Result<(), StoreError> {
        match self.exists() {
            true => Ok(()),
            false => Err(StoreError::Unknown { asked: id.into(), recent: Vec::new() }),
        }
    }

    /// The row of the debate, for whoever is about to change it.
    pub(crate) fn listed(&mut self, id: &str) -> Result<Listed, StoreError> {
        self.must_exist(id)?;
        match self.listed.take() {
            Some(Ok(listed)) => Ok(listed),
            _ => Err(StoreError::Damaged {
                id: id.into(),
                seq: 0,
                what: "its row in the listing".into(),
            }),
        }
    }

    pub(crate) fn holder(&self) -> Option<&Holder> {
        self.holder.as_ref()
    }

    /// The fence. A lease that ran out while nobody else claimed still holds:
    /// only a newer claim, or a release, takes the right away.
    pub(crate) fn hold(&self, claim: &Claim) -> Result<(), StoreError> {
        match &self.holder {
            Some(holder)
                if holder.epoch == signed(claim.epoch)
                    && holder.owner.as_ref() == Some(&claim.owner) =>
            {
                Ok(())
            }
            _ => Err(StoreError::NotRunner { id: claim.id.clone() }),
        }
    }

    /// What an account comes to so far.
    pub(crate) fn bound(&self, account: &str) -> i64 {
        self.accounts.iter().find(|(name, _)| name == account).map_or(0, |(_, bound)| *bound)
    }
}
