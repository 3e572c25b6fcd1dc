//! Debates that come after others: a further question to a finished debate, the same
//! question before another table, and a fork, which shares the first rounds of a
//! debate and pays nothing for them.

use std::collections::BTreeMap;

use agents::{SCRIPT_PROVIDER, scripted::example};
use async_recursion::async_recursion as boxed;
use debate::Debate;
use debate::model::{
    Agent, Brief, DebateLink, EarlierDebate, Event, MicroUsd, Question, Room, Round,
};
use store::{DebateCommand, ListFilter, LogEntry, SealedEntry, Store, StoreError};

use crate::clock;
use crate::config::Config;
use crate::error::{
    AfterDebate, At, EngineError, Problem, Refusal, Remedy, SessionProblem, SettingName, existing,
};
use crate::people::caller::Operation;
use crate::sessions::{control, list};
use crate::table::order::Order;

/// No debate holds more rounds than this.
const MOST_ROUNDS: Round = 20;

/// A debate that another one is linked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedDebate {
    pub id: String,
    pub topic: String,
}

/// Returns the debates that come after this one, oldest first.
#[boxed]
pub async fn followers(store: &Store, id: &str) -> Result<Vec<LinkedDebate>, EngineError> {
    let mut found = Vec::new();
    for (_, id) in store.followers(Some(id)).await? {
        let topic = store.get(&id).await?.topic;
        found.push(LinkedDebate { id, topic });
    }
    Ok(found)
}

/// The debates that come after others, by the id of the earlier one.
pub type DebateLinks = BTreeMap<String, Vec<String>>;

/// Returns all links between debates.
#[boxed]
pub async fn links(config: &Config) -> Result<DebateLinks, EngineError> {
    let mut links = DebateLinks::new();
    let store = match list::look(config).await {
        Ok(store) => store,
        Err(StoreError::Missing { .. }) => return Ok(links),
        Err(error) => return Err(error.into()),
    };
    for (earlier, id) in store.followers(None).await? {
        links.entry(earlier).or_default().push(id);
    }
    Ok(links)
}

/// Returns the id of the debate that was begun last.
#[boxed]
pub async fn last(config: &Config) -> Result<String, EngineError> {
    let newest = ListFilter { limit: Some(1), ..ListFilter::default() };
    let found = list::list(config, &newest).await?.pop();
    found.map(|row| row.id).ok_or_else(|| {
        let none = Problem::Session(SessionProblem::NoneHeld);
        Refusal::new(At::Session("to ask further".into()), none).help(Remedy::StartDebate).into()
    })
}

/// Fills an order that comes after a debate: with that debate's state where it asks
/// something else, with its question where it asks nothing, and with its table where
/// it names none.
#[boxed]
pub async fn fill(config: &Config, order: &Order) -> Result<Order, EngineError> {
    let mut order = order.clone();
    let Some(asked) = &order.after else { return Ok(order) };
    let store = existing(list::look(config).await, asked)?;
    let (id, log) = list::log(&store, asked).await?;
    let debate = Debate::replay(log.into_iter().map(|entry| entry.event))?;
    let room = debate.room();
    if !room.status.is_over() {
        let (status, wanted) = (room.status.clone(), AfterDebate::FollowUp);
        return Err(Refusal::session(id, SessionProblem::NotFinished { status, wanted }).into());
    }
    let brief = &room.brief;
    let topic = order.topic.as_deref().unwrap_or_default().trim();
    if topic.is_empty() || topic == brief.topic.trim() {
        order.earlier = Some(Box::new(EarlierDebate::named(&id, DebateLink::SameQuestion, room)));
        ask_the_same(&mut order, room);
    } else {
        order.earlier = Some(Box::new(EarlierDebate::followed(&id, room)));
    }
    if order.agents.is_empty() && order.profile.is_none() && order.script.is_none() {
        order.agents = table_of(&id, brief)?;
    }
    for (field, before) in [
        (&mut order.mode, Some(&brief.mode)),
        (&mut order.language, brief.language.as_ref()),
        (&mut order.project, brief.project.as_ref()),
        (&mut order.domain, brief.domain.as_ref()),
    ] {
        if field.is_none() {
            *field = before.cloned();
        }
    }
    Ok(order)
}

fn ask_the_same(order: &mut Order, room: &Room) {
    let brief = &room.brief;
    order.topic = Some(brief.topic.clone());
    if order.question == Question::Open {
        order.question = brief.question.clone();
        order.estimate = brief.number.estimate;
    }
    if order.rounds.is_none() && order.effort.is_none() {
        order.rounds = Some(brief.rounds.to_string());
        order.effort = Some(brief.effort.word().into());
    }
    if order.perspectives.is_empty() && order.mode.is_none() {
        let given = brief.perspectives.given.iter();
        order.perspectives =
            given.map(|one| format!("{}: {}", one.name, one.description)).collect();
    }
}

/// The agents of an earlier table, as a person would name them.
fn table_of(id: &str, brief: &Brief) -> Result<Vec<String>, EngineError> {
    let agents = &brief.agents;
    if agents.iter().any(|agent| agent.provider == SCRIPT_PROVIDER) {
        let refusal = Refusal::session(id, SessionProblem::NeedsScript);
        return Err(refusal.help(Remedy::NameScript).into());
    }
    // The example knows one topic; whoever asks further needs a table of models.
    let others = agents.iter().enumerate();
    let others = others.filter(|(_, agent)| agent.provider != example::PROVIDER);
    let spec = |(place, agent): (usize, &Agent)| {
        let fallback = agent.fallback.as_ref().map(|model| format!("|{model}"));
        let Agent { name, provider, model, .. } = agent;
        let persona = Some(brief.persona(place)).filter(|text| !text.is_empty());
        let persona = persona.map(|text| format!(": {text}")).unwrap_or_default();
        format!("{name}={provider}/{model}{}{persona}", fallback.unwrap_or_default())
    };
    Ok(others.map(spec).collect())
}

/// A branch of a debate.
#[derive(Debug, Clone, Default)]
pub struct ForkWish {
    /// The last round that both share.
    pub round: Round,
    /// The rounds of the branch, the shared ones included; as planned before, and at
    /// least one more.
    pub rounds: Option<Round>,
    /// The most that the branch may cost.
    pub budget: Option<MicroUsd>,
    /// A question that every answer after the fork must address.
    pub focus: Option<String>,
}

/// Branches off a debate after a round and returns the id of the branch, which is
/// ready to be resumed. The shared rounds stay on the bill of the first debate.
#[boxed]
pub async fn fork(config: &Config, id: &str, wish: &ForkWish) -> Result<String, EngineError> {
    config.caller.allowed(Operation::Start)?;
    let store = existing(config.existing_store(Operation::Start).await, id)?;
    let (id, log) = list::log(&store, id).await?;
    let branch = clock::new_id();
    let shared = shared(&id, log, wish)?;
    let now = clock::now_ms();
    let mut sealed = Vec::with_capacity(shared.len());
    for (seq, event) in (1..).zip(&shared) {
        let json = event.written().map_err(|error| {
            let problem = Problem::Failed { why: error.to_string() };
            Refusal::new(At::Session(id.clone()), problem)
        })?;
        sealed.push(SealedEntry::seal(&branch, seq, now, event.word(), &json));
    }
    store.import(&branch, sealed).await?;
    store.close().await;
    if let Some(focus) = &wish.focus {
        control::control(config, &branch, DebateCommand::Focus(focus.clone())).await?;
    }
    Ok(branch)
}

/// The events of the shared rounds, with the opening of the branch.
fn shared(id: &str, log: Vec<LogEntry>, wish: &ForkWish) -> Result<Vec<Event>, EngineError> {
    let closes = |entry: &LogEntry| matches!(&entry.event, Event::RoundClosed { round } if *round == wish.round);
    let end = log.iter().position(closes).ok_or_else(|| {
        let closed = |entry: &&LogEntry| matches!(entry.event, Event::RoundClosed { .. });
        let held = log.iter().filter(closed).count();
        let problem = Problem::Session(SessionProblem::NoSuchRound { held });
        Refusal::setting(SettingName::Round, wish.round.to_string(), problem)
    })?;
    let mut events: Vec<Event> = log.into_iter().take(end + 1).map(|entry| entry.event).collect();
    // The next round may have begun before the clerk had read this one.
    events.retain_mut(|event| belongs(event, wish.round));
    let debate = Debate::replay(events.clone())?;
    let planned = debate.room().brief.rounds.max(wish.round + 1);
    let rounds = wish.rounds.unwrap_or(planned);
    if rounds <= wish.round || rounds > MOST_ROUNDS {
        let allowed = format!("{} to {MOST_ROUNDS}", wish.round + 1);
        let problem = Problem::OutOfRange { allowed };
        return Err(Refusal::setting(SettingName::Rounds, rounds.to_string(), problem).into());
    }
    let link = DebateLink::Fork { round: wish.round };
    let mut earlier = EarlierDebate::named(id, link, debate.room());
    // What the first debate itself began with is the beginning of the branch too.
    if let Some(before) = &debate.room().brief.after {
        earlier.ledger = before.ledger.clone();
    }
    for event in &mut events {
        match event {
            Event::Opened { brief, .. } => {
                brief.after = Some(Box::new(earlier.clone()));
                brief.start_key = None;
                brief.rounds = rounds;
                brief.budget = wish.budget.or(brief.budget);
            }
            Event::DepthChosen { chosen, .. } => chosen.rounds = rounds,
            _ => {}
        }
    }
    Ok(events)
}

/// Returns true if an event is of a round up to this one; asks of later rounds are taken
/// out of it.
fn belongs(event: &mut Event, last: Round) -> bool {
    match event {
        Event::Asked { intents } | Event::Ambiguous { intents } => {
            intents.retain(|intent| intent.ask.round <= last);
            !intents.is_empty()
        }
        Event::RoundOpened { round, .. } => *round <= last,
        Event::Kept { ask, .. }
        | Event::Stepped { ask, .. }
        | Event::Reserved { ask, .. }
        | Event::Delayed { ask, .. } => ask.round <= last,
        other => other.ends().is_none_or(|(ask, _)| ask.round <= last),
    }
}
