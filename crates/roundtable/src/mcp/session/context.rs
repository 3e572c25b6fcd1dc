//! Answers to what agents asked for. All of them are checked before the first
//! is given, so that a wrong name leaves nothing half done.

use debate::model::GivenContext;

use super::asking::Told;
use engine::background::host::Host;
use engine::error::EngineError;
use engine::sessions::context;

pub async fn answer(host: &Host, id: &str, told: Vec<Told>) -> Result<(), EngineError> {
    let asked = context::asked(host.config(), id).await?;
    let is_open = |name: &str| {
        let wanted = context::read_name(name);
        wanted.is_some_and(|wanted| asked.open.iter().any(|request| request.id == wanted))
    };
    let strangers: Vec<&str> =
        told.iter().map(|one| one.request.as_str()).filter(|name| !is_open(name)).collect();
    if !strangers.is_empty() {
        let open: Vec<String> = asked.open.iter().map(|request| request.sentence()).collect();
        let open = match open.is_empty() {
            true => "nothing is open; call continue_roundtable without contextResults".into(),
            false => format!("open are: {}", open.join("; ")),
        };
        return Err(EngineError::input(format!(
            "contextResults: no agent waits for {}; {open}",
            strangers.join(", ")
        )));
    }
    let mut settled = Vec::new();
    for one in told {
        // An answer settles all requests that ask the same.
        if context::read_name(&one.request).is_some_and(|name| settled.contains(&name)) {
            continue;
        }
        let given = match one.content {
            Some(text) => GivenContext::Answered { text },
            None => GivenContext::Declined,
        };
        settled.extend(context::give(host.config(), id, Some(&one.request), given).await?.settled);
    }
    Ok(())
}
