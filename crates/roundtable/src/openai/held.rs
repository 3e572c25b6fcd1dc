//! Holds the debate that was asked for, once: the same key leads to the same debate, however
//! often the connection breaks.

use std::time::Duration;

use debate::model::MicroUsd;
use engine::background::host::{ClientSeat, Host, StartedUnderKey};
use engine::table::affordable;
use engine::table::prepare::PreparedDebate;

use super::refused::ApiRefusal;
use super::request::AskedTable;

/// The name under which the starts of this API are counted.
const CALLER: &str = "model";
/// An equal key within this time leads to the same debate, also after a restart.
const SAME: Duration = Duration::from_secs(24 * 60 * 60);

/// Starts or joins the debate and returns its id.
pub async fn held(host: &Host, asked: &AskedTable) -> Result<String, ApiRefusal> {
    let key = asked.key.clone();
    let topic = asked.order.topic.as_deref().unwrap_or_default();
    let seat = ClientSeat::default();
    match host.started_within(&key, topic, SAME).await? {
        Some(StartedUnderKey::Known(id)) => return Ok(id),
        Some(StartedUnderKey::CutOff(id)) => {
            return Ok(host.once(key, host.resume(&id, None, seat)).await?.id);
        }
        None => {}
    }
    host.admit(CALLER)?;
    let prepared = host.prepare(&asked.order).await?;
    confirmed(host, &prepared)?;
    Ok(host.once(key, host.start(prepared, seat)).await?.id)
}

/// Refuses what may cost more than the server's owner allows unasked: nobody can be asked
/// through this API.
fn confirmed(host: &Host, prepared: &PreparedDebate) -> Result<(), ApiRefusal> {
    let Some(limit) = host.config().file.server.confirm_above else { return Ok(()) };
    let limit = MicroUsd::from_usd(limit);
    let worst = affordable::estimate(&prepared.debate, &prepared.table.outside).worst;
    let budget = prepared.debate.room().brief.budget;
    let worst = budget.map_or(worst, |cap| cap.min(worst));
    if worst <= limit {
        return Ok(());
    }
    let text = format!(
        "This debate may cost up to about {worst}; above {limit} somebody has to agree, and nobody \
         can be asked here. Name a profile whose budget is lower."
    );
    Err(ApiRefusal::bad("model", "confirmation_required", text))
}
