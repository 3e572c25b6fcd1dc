//! Debates as resources, to read and to watch.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engine::nouns::CancellationToken;
use engine::run::spawn;
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate, ResourceUpdatedNotificationParam,
};
use rmcp::service::{Peer, RoleServer, SubscriptionContext, SubscriptionSink};
use serde_json::{Value, json};

use super::{about, app, skills};
use crate::mcp::result::document::{self, FormatName};
use crate::mcp::result::listing;
use crate::mcp::result::shapes::LengthWord;
use crate::mcp::result::shaping::{self, AnalysisWish, ShapeWish, short};
use crate::mcp::result::shown::ShownResult;
use crate::mcp::session::pause_facts;
use crate::mcp::wording;
use crate::report::round::round_json;
use engine::background::host::{DebatePhase, Host};
use engine::error::EngineError;

const SCHEME: &str = "roundtable://sessions/";
/// Debates per page of the list.
const PAGE: u32 = 50;
/// Interval at which a watched debate at rest is checked.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// The statuses of debates that no longer change.
const OVER: [&str; 2] = ["completed", "error"];

/// The meaning of a resource's address.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ResourceAddress {
    Session(String),
    Round(String, u32),
    Transcript(String),
}

fn address(uri: &str) -> Option<ResourceAddress> {
    let rest = uri.strip_prefix(SCHEME)?;
    let parts: Vec<&str> = rest.split('/').collect();
    match parts.as_slice() {
        [id] if !id.is_empty() => Some(ResourceAddress::Session((*id).into())),
        [id, "transcript.md"] => Some(ResourceAddress::Transcript((*id).into())),
        [id, "rounds", number] => Some(ResourceAddress::Round((*id).into(), number.parse().ok()?)),
        _ => None,
    }
}

impl ResourceAddress {
    fn id(&self) -> &str {
        match self {
            ResourceAddress::Session(id)
            | ResourceAddress::Round(id, _)
            | ResourceAddress::Transcript(id) => id,
        }
    }
}

pub fn templates() -> Vec<ResourceTemplate> {
    [
        ("", "session", "A debate", "application/json", "The result of a debate, at length."),
        (
            "/rounds/{round}",
            "round",
            "One round",
            "application/json",
            "Everything said in one round.",
        ),
        (
            "/transcript.md",
            "transcript",
            "Transcript",
            "text/markdown",
            "The whole debate to read.",
        ),
    ]
    .into_iter()
    .map(|(path, name, title, mime, description)| {
        ResourceTemplate::new(format!("{SCHEME}{{id}}{path}"), name)
            .with_title(title)
            .with_description(description)
            .with_mime_type(mime)
    })
    .collect()
}

pub async fn list(host: &Host, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let page = match listing::page(host, None, None, cursor.as_deref(), PAGE).await {
        Ok(page) => page,
        Err(trouble) if trouble.is_input() => {
            return Err(ErrorData::invalid_params(wording::text(&trouble), None));
        }
        Err(trouble) => return Err(internal(trouble)),
    };
    let mut all = Vec::new();
    if cursor.is_none() {
        all.push(app::resource());
        all.extend(skills::resources());
    }
    all.extend(page.rows.iter().map(resource));
    let mut listed = ListResourcesResult::with_all_items(all)
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private);
    listed.next_cursor = page.next_cursor;
    Ok(listed)
}

fn resource(row: &listing::DebateRow) -> Resource {
    let (debate, status) = (&row.listed, row.status.word().replace('_', " "));
    Resource::new(format!("{SCHEME}{}", debate.id), debate.id.clone())
        .with_title(short(&debate.topic, 120))
        .with_description(format!("A {} debate, {status}.", debate.mode))
        .with_mime_type("application/json")
}

pub async fn read(host: &Host, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    if let Some(fixed) = app::read(uri).or_else(|| skills::read(uri)) {
        return Ok(ReadResourceResult::new(vec![fixed])
            .with_ttl_ms(about::LONG_MS)
            .with_cache_scope(CacheScope::Public));
    }
    let missing = || {
        let message = format!("there is no resource {uri:?}");
        ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
    };
    let address = address(uri).ok_or_else(missing)?;
    let seen = match host.look(address.id()).await {
        Ok(seen) => seen,
        Err(trouble) if trouble.is_input() => return Err(missing()),
        Err(trouble) => return Err(internal(trouble)),
    };
    let json = |value: &Value| (format!("{value:#}"), "application/json");
    let (text, mime) = match &address {
        ResourceAddress::Transcript(_) => {
            let text = document::write(host, &seen.id, FormatName::default()).await;
            (text.map_err(internal)?, "text/markdown")
        }
        ResourceAddress::Session(_) => {
            let wish = ShapeWish {
                format: LengthWord::Detailed,
                analysis: AnalysisWish::Latest,
                notices: Vec::new(),
                facts: pause_facts::of(host, &seen).await,
            };
            let result = shaping::debate(&seen, &wish);
            json(&ShownResult::of_debate(&result).structured)
        }
        ResourceAddress::Round(_, number) => {
            let record = seen.debate.room().round(*number).ok_or_else(missing)?;
            json(&round_json(record))
        }
    };
    let contents = ResourceContents::text(text, uri).with_mime_type(mime);
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

fn internal(trouble: EngineError) -> ErrorData {
    ErrorData::internal_error(wording::text(&trouble), None)
}

/// The subscriptions of one connection of the older era.
#[derive(Clone, Default)]
pub struct Subscriptions {
    watched: Arc<Mutex<HashMap<String, CancellationToken>>>,
}

impl Subscriptions {
    /// Anything may be subscribed to; only debates ever change.
    pub fn begin(&self, host: &Host, uri: String, peer: Peer<RoleServer>) {
        let ended = CancellationToken::new();
        let before = self.lock().insert(uri.clone(), ended.clone());
        if let Some(before) = before {
            before.cancel();
        }
        let Some(address) = address(&uri) else { return };
        let host = host.clone();
        spawn(async move {
            tokio::select! {
                () = ended.cancelled() => {}
                () = watch(&host, address.id(), ChangeListener::Connection(peer, uri)) => {}
            }
        });
    }

    pub fn end(&self, uri: &str) {
        if let Some(watching) = self.lock().remove(uri) {
            watching.cancel();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Watches debates for one request of the stateless era, until it is cancelled.
pub async fn listen(host: &Host, context: SubscriptionContext) {
    let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let sink = context.sink().clone();
    let all = uris.into_iter().filter_map(|uri| Some((address(&uri)?, uri)));
    let watching = all.map(|(address, uri)| {
        let sink = sink.clone();
        async move { watch(host, address.id(), ChangeListener::Request(sink, uri)).await }
    });
    let leaving = host.leaving();
    tokio::select! {
        () = context.cancelled() => {}
        () = leaving.cancelled() => {}
        // A finished debate no longer changes; the client may still be connected.
        () = async { futures::future::join_all(watching).await; context.cancelled().await } => {}
    }
}

/// The receiver of change notifications.
enum ChangeListener {
    Connection(Peer<RoleServer>, String),
    Request(SubscriptionSink, String),
}

impl ChangeListener {
    /// Returns `false` if the receiver is gone.
    async fn tell(&self) -> bool {
        match self {
            ChangeListener::Connection(peer, uri) => {
                let news = ResourceUpdatedNotificationParam::new(uri.clone());
                peer.notify_resource_updated(news).await.is_ok()
            }
            ChangeListener::Request(sink, uri) => {
                sink.notify_resource_updated(uri.clone()).await.is_ok()
            }
        }
    }
}

/// Reports each change of a debate until it is over or the receiver is gone. A
/// debate at rest may continue, here or in another process.
async fn watch(host: &Host, id: &str, ear: ChangeListener) {
    if let Err(error) = watched(host, id, &ear).await {
        tracing::debug!(%error, id, "a resource is no longer watched");
    }
}

async fn watched(host: &Host, id: &str, ear: &ChangeListener) -> Result<(), EngineError> {
    let store = host.store_of(id).await?;
    let id = store.find(id).await?.id;
    loop {
        let mut standing = host.follow(&id).await?;
        while standing.borrow_and_update().phase != DebatePhase::AtRest {
            if standing.changed().await.is_err() || !ear.tell().await {
                return Ok(());
            }
        }
        let rested = store.get(&id).await?;
        if OVER.contains(&rested.status.as_str()) {
            return Ok(());
        }
        while store.get(&id).await?.last_seq == rested.last_seq {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        if !ear.tell().await {
            return Ok(());
        }
    }
}
