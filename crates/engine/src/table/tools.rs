//! The tools of a debate, decided before it opens: the providers' own search, a
//! search API, reading pages, checking the record. A notice names what is not
//! available, and no agent is offered a tool it cannot use.

use std::sync::Arc;

use agents::http::guard::{GuardPolicy, SystemResolver};
use agents::http::json::JsonClient;
use agents::providers::{self, PROVIDERS};
use agents::search_engines::{self, ENGINES};
use agents::tools::page::PageReader;
use agents::tools::{
    FactCheck, NATIVE_SEARCH, ReadPage, RequestContext, SearchWeb, Toolbox, ToolboxSettings,
};
use agents::{NativeSearch, Outside, answer_style, searches_natively, takes_tools};
use debate::model::{Agent, Brief};
use secrecy::ExposeSecret;

use crate::config::Config;
use crate::config::keys::StoredKeys;
use crate::error::{At, EngineError, Problem, Refusal, Remedy, SeatProblem, SettingName};
use crate::table::notice::TableNotice;
use crate::table::order::Order;
use crate::table::seats::{self, Table};

/// The search that a debate uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchProvider {
    /// The provider's search if it has one, else a search API if one is configured.
    #[default]
    Auto,
    Native,
    Api,
    Off,
}

impl SearchProvider {
    const ALL: [SearchProvider; 4] =
        [SearchProvider::Auto, SearchProvider::Native, SearchProvider::Api, SearchProvider::Off];

    fn word(self) -> &'static str {
        match self {
            SearchProvider::Auto => "auto",
            SearchProvider::Native => "native",
            SearchProvider::Api => "api",
            SearchProvider::Off => "off",
        }
    }

    fn read(given: Option<&str>, config: &Config) -> Result<SearchProvider, EngineError> {
        let from_file = config.file.search.as_deref();
        let Some(text) = given.or(from_file).map(str::trim) else {
            return Ok(SearchProvider::default());
        };
        let found =
            SearchProvider::ALL.into_iter().find(|way| way.word().eq_ignore_ascii_case(text));
        found.ok_or_else(|| {
            let at = match given {
                Some(_) => At::Setting(SettingName::Search),
                None => At::ConfigKey("search".into()),
            };
            let problem = Problem::unknown(text, &SearchProvider::ALL.map(SearchProvider::word));
            Refusal::new(at, problem).given(text).into()
        })
    }
}

/// Refuses a search that does not exist.
pub fn check_search(config: &Config, order: &Order) -> Result<(), EngineError> {
    SearchProvider::read(order.search.as_deref(), config).map(|_| ())
}

/// The connections and the tools of one debate.
pub struct Equipment {
    pub outside: Outside,
    pub toolbox: Option<Arc<Toolbox>>,
}

/// Decides which tools this debate has and writes them into the brief, so that
/// prompts mention no others and a resumed debate has the same.
pub fn equip(
    config: &Config,
    order: &Order,
    table: &mut Table,
    brief: &mut Brief,
) -> Result<(), EngineError> {
    let way = SearchProvider::read(order.search.as_deref(), config)?;
    let context_requests = may_ask(config, order);
    let asked: Vec<&Agent> =
        table.agents.iter().filter(|agent| providers::find(&agent.provider).is_some()).collect();
    let may_native = matches!(way, SearchProvider::Auto | SearchProvider::Native);
    let natively = |agent: &Agent| may_native && searches_natively(agent);
    let native = asked.iter().any(|agent| natively(agent));
    if way == SearchProvider::Native && !native {
        let problem = Problem::Seat(SeatProblem::NoNativeSearch { able: natives() });
        return Err(Refusal::setting(SettingName::Search, way.word(), problem).into());
    }
    let engine = match way {
        SearchProvider::Auto | SearchProvider::Api => engine(config)?.is_some(),
        SearchProvider::Native | SearchProvider::Off => false,
    };
    if way == SearchProvider::Api && !engine {
        let variables = ENGINES.iter().filter_map(|row| row.key_variable.or(row.url_variable));
        let remedy = Remedy::SetVariable { names: variables.map(str::to_owned).collect() };
        let problem = Problem::Seat(SeatProblem::NoSearchApi);
        return Err(Refusal::setting(SettingName::Search, way.word(), problem).help(remedy).into());
    }
    let by_engine = |agent: &Agent| engine && takes_tools(agent) && !natively(agent);
    if native {
        brief.tools.push(NATIVE_SEARCH.into());
    }
    if asked.iter().any(|agent| by_engine(agent)) {
        brief.tools.push(SearchWeb::NAME.into());
    }
    let searches = !brief.tools.is_empty();
    if asked.iter().any(|agent| takes_tools(agent)) {
        let pages = searches || (way != SearchProvider::Off && names_pages(brief));
        let wanted = [
            (pages, ReadPage::NAME),
            (true, FactCheck::NAME),
            (context_requests, RequestContext::NAME),
        ];
        let wanted = wanted.into_iter().filter(|(wanted, _)| *wanted);
        brief.tools.extend(wanted.map(|(_, name)| name.to_owned()));
    }
    let toolless = |agent: &Agent| !takes_tools(agent) && !natively(agent);
    brief.without_tools = if brief.tools.is_empty() {
        Vec::new()
    } else {
        (0..).zip(&table.agents).filter(|(_, agent)| toolless(agent)).map(|it| it.0).collect()
    };
    brief.styles = table.agents.iter().map(answer_style).collect();
    if way == SearchProvider::Off {
        return Ok(());
    }
    let cannot = |agent: &&&Agent| !natively(agent) && !by_engine(agent);
    let without: Vec<String> =
        asked.iter().filter(cannot).map(|agent| agent.name.clone()).collect();
    if !without.is_empty() {
        let agents = if without.len() == asked.len() { Vec::new() } else { without };
        table.notices.push(TableNotice::NoSearch { agents });
    }
    Ok(())
}

/// Opens the tools that a brief names.
pub fn open(config: &Config, brief: &Brief, outside: &Outside) -> Result<Equipment, EngineError> {
    let mut outside = outside.clone();
    let names = |tool: &str| brief.tools.iter().any(|name| name == tool);
    for row in PROVIDERS.iter().filter(|row| names(NATIVE_SEARCH) && row.has_native_search()) {
        outside.settings.entry(row.name.into()).or_default().search = NativeSearch::Native;
    }
    if !brief.tools.iter().any(|name| name != NATIVE_SEARCH) {
        return Ok(Equipment { outside, toolbox: None });
    }
    let search = if names(SearchWeb::NAME) { engine(config)? } else { None };
    let reader = PageReader::new(GuardPolicy::default(), Arc::new(SystemResolver));
    let toolbox = Toolbox::open(brief, ToolboxSettings { search, reader });
    Ok(Equipment { outside, toolbox: Some(Arc::new(toolbox)) })
}

/// Returns whether agents may ask the caller for context.
fn may_ask(config: &Config, order: &Order) -> bool {
    order.context_requests.or(config.file.context_requests).unwrap_or(true)
}

/// Opens the configured search API; refuses one that is misconfigured.
fn engine(config: &Config) -> Result<Option<SearchWeb>, EngineError> {
    let kept = StoredKeys::read(&config.paths.keys)?;
    let of_row = |name: &str| {
        let row = ENGINES.iter().find(|row| row.key_variable == Some(name))?;
        kept.find(row.name).map(|(key, _)| key.expose_secret().to_owned())
    };
    let look =
        |name: &str| config.environment.get(name).map(str::to_owned).or_else(|| of_row(name));
    let chosen = search_engines::chosen(config.file.search_engine.as_deref(), &look);
    let Some(chosen) = chosen? else { return Ok(None) };
    let client = JsonClient::new(seats::proxy(config)).map_err(|error| {
        let problem = Problem::Failed { why: error.to_string() };
        Refusal::new(At::Setting(SettingName::Search), problem)
    })?;
    Ok(Some(SearchWeb::new(chosen.row, chosen.base.as_deref(), chosen.key, client)?))
}

fn natives() -> Vec<&'static str> {
    PROVIDERS.iter().filter(|row| row.has_native_search()).map(|row| row.name).collect()
}

/// Returns whether the user named pages that could be read.
fn names_pages(brief: &Brief) -> bool {
    let texts = brief.attachments.iter().map(|attachment| attachment.text.as_str());
    let texts = texts.chain([brief.topic.as_str()]).chain(brief.focus.as_deref());
    texts.into_iter().any(|text| text.contains("https://") || text.contains("http://"))
}
