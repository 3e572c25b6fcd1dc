//! The tools of one debate. It holds what the seats share: searches made, pages
//! known, and the state of the debate.

use std::sync::{Arc, PoisonError, RwLock};

use debate::model::{Ask, Brief, Fence, GivenContext, Room};

use super::page::PageReader;
use super::{
    FactCheck, KnownPages, ReadPage, Record, RequestContext, SearchWeb, Tool, ToolContext,
    TurnSources, UseCount,
};

/// The parts that the tools of a debate are made from.
pub struct ToolboxSettings {
    /// `None`: no search engine is set, and searching is not offered.
    pub search: Option<SearchWeb>,
    pub reader: PageReader,
}

pub struct Toolbox {
    fence_key: String,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    search: Option<Arc<SearchWeb>>,
    pages: Arc<KnownPages>,
    record: RwLock<Arc<Record>>,
    /// The tools that the brief named and that are not offered, with the reason.
    pub left_out: Vec<String>,
}

const NO_ENGINE: &str = "search_web is not offered: no search engine is set. Set BRAVE_API_KEY, \
     TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL";

/// In a brief's tools: the providers' own search is on. It is theirs to offer,
/// not the toolbox's.
pub const NATIVE_SEARCH: &str = "native_search";

/// Every tool a brief can name.
pub const NAMES: [&str; 4] =
    [SearchWeb::NAME, ReadPage::NAME, FactCheck::NAME, RequestContext::NAME];

/// Splits the wanted tools into those that can be offered, each once, and the
/// reasons why the others cannot. For a brief before it is sealed: prompts speak of its tools.
pub fn available(wanted: &[String], has_engine: bool) -> (Vec<String>, Vec<String>) {
    let (mut offered, mut left_out) = (Vec::new(), Vec::new());
    for name in wanted.iter().filter(|name| *name != NATIVE_SEARCH) {
        if !NAMES.contains(&name.as_str()) {
            let known = NAMES.join(", ");
            left_out.push(format!("there is no tool \"{name}\"; there are {known}"));
        } else if name == SearchWeb::NAME && !has_engine {
            left_out.push(NO_ENGINE.into());
        } else if !offered.contains(name) {
            offered.push(name.clone());
        }
    }
    (offered, left_out)
}

impl Toolbox {
    /// The tools a brief names, as far as they can be had.
    pub fn open(brief: &Brief, settings: ToolboxSettings) -> Toolbox {
        let shared = brief.flags.sequential_mode.cache_tool_results;
        let search = settings.search.map(|search| Arc::new(search.shared(shared)));
        let pages = Arc::new(KnownPages::default());
        pages.add_from_text(&brief.topic);
        pages.add_from_text(brief.focus.as_deref().unwrap_or_default());
        brief.attachments.iter().for_each(|attachment| pages.add_from_text(&attachment.text));
        let (names, left_out) = available(&brief.tools, search.is_some());
        let read_page = Arc::new(ReadPage::new(settings.reader).shared(shared));
        let tool = |name: &String| -> Option<Arc<dyn Tool>> {
            match name.as_str() {
                SearchWeb::NAME => Some(Arc::clone(search.as_ref()?) as Arc<dyn Tool>),
                ReadPage::NAME => Some(Arc::clone(&read_page) as Arc<dyn Tool>),
                FactCheck::NAME => Some(Arc::new(FactCheck)),
                RequestContext::NAME => Some(Arc::new(RequestContext)),
                _ => None,
            }
        };
        let tools = names.iter().filter_map(tool).collect();
        Toolbox {
            fence_key: brief.fence_key.clone(),
            tools,
            search,
            pages,
            record: RwLock::default(),
            left_out,
        }
    }

    /// Tells the tools how the debate stands now.
    pub fn tell(&self, room: &Room) {
        let record = Arc::new(Record::of(room));
        // Pages the caller names later may be read like those named at the start.
        record.context.iter().filter_map(|it| it.given.as_ref()).for_each(|given| {
            if let GivenContext::Answered { text } = given {
                self.pages.add_from_text(text);
            }
        });
        *self.record.write().unwrap_or_else(PoisonError::into_inner) = record;
    }

    /// Searches asked for and searches made, over all seats.
    pub fn searches(&self) -> UseCount {
        self.search.as_ref().map(|search| search.count()).unwrap_or_default()
    }

    pub fn pages(&self) -> &Arc<KnownPages> {
        &self.pages
    }

    /// `first`: where this turn's source numbers begin.
    pub fn context(&self, ask: &Ask, first: u32) -> ToolContext {
        let record = self.record.read().unwrap_or_else(PoisonError::into_inner);
        ToolContext {
            fence: Fence::new(&self.fence_key, &ask.id),
            record: Arc::clone(&record),
            pages: Arc::clone(&self.pages),
            sources: Arc::new(TurnSources::from(first)),
            held_up: record.was_held_up(&ask.id),
        }
    }
}
