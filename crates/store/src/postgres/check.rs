//! A check of everything that is stored: every hash, every account, and every row of the
//! listing against its log. It reports what it finds and changes nothing.

use sqlx::postgres::PgPool;

use super::tables::{calls, debates, events, outcomes};
use crate::error::{Damage, StoreError};
use crate::listing::{ListedDebate, RowChange};
use crate::people::Reach;

pub(crate) async fn check(pool: &PgPool) -> Result<Vec<Damage>, StoreError> {
    let of_store = |what: String| Damage { debate: None, what };
    let mut damages: Vec<Damage> =
        calls::discrepancies(pool).await?.into_iter().map(of_store).collect();
    match outcomes::read(pool, &Reach::default(), None).await {
        Ok(_) => {}
        Err(error) if is_damage(&error) => damages.push(of_store(error.to_string())),
        Err(error) => return Err(error),
    }
    for row in sqlx::query("SELECT * FROM debates ORDER BY id").fetch_all(pool).await? {
        let found = match debates::read(&row) {
            Ok(listed) => {
                let what = check_debate(pool, &listed).await?;
                what.map(|what| Damage { debate: Some(listed.id), what })
            }
            Err(position) => Some(Damage {
                debate: Some(position.id),
                what: "its row in the listing is damaged or missing".into(),
            }),
        };
        damages.extend(found);
    }
    Ok(damages)
}

fn is_damage(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Damaged { .. } | StoreError::Unreadable { .. } | StoreError::Corrupt { .. }
    )
}

async fn check_debate(pool: &PgPool, listed: &ListedDebate) -> Result<Option<String>, StoreError> {
    let log = match events::log_after(pool, &Reach::default(), &listed.id, 0).await {
        Ok(log) => log,
        Err(error) if is_damage(&error) => return Ok(Some(error.to_string())),
        // It was deleted since the listing was read.
        Err(StoreError::Unknown { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let same = RowChange::fits(listed, log);
    Ok((!same).then(|| "its row in the listing does not match its log".into()))
}
