//! The tools of one debate. It holds what the seats share: searches made, pages
//! known, and the state of the debate.

use std::collections::BTreeSet;
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

impl Toolbox {
    /// The tools a brief names, as far as they can be had.
    pub fn open(brief: &Brief, settings: ToolboxSettings) -> Toolbox {
        let shared = brief.flags.sequential_mode.cache_tool_results;
        let search = settings.search.map(|search| Arc::new(search.shared(shared)));
        let pages = Arc::new(KnownPages::default());
        pages.add_from_text(&brief.topic);
        pages.add_from_text(brief.focus.as_deref().unwrap_or_default());
        brief.attachments.iter().for_each(|attachment| pages.add_from_text(&attachment.text));
        let read_page = ReadPage::new(settings.reader).shared(shared);
        // Every tool that a brief can name; search is there only with an engine.
        let all: [(&str, Option<Arc<dyn Tool>>); 4] = [
            (SearchWeb::NAME, search.clone().map(|search| search as Arc<dyn Tool>)),
            (ReadPage::NAME, Some(Arc::new(read_page))),
            (FactCheck::NAME, Some(Arc::new(FactCheck))),
            (RequestContext::NAME, Some(Arc::new(RequestContext))),
        ];
        let (mut tools, mut left_out, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        for name in brief.tools.iter().filter(|name| *name != NATIVE_SEARCH) {
            match all.iter().find(|(known, _)| known == name) {
                _ if !seen.insert(name) => {}
                Some((_, Some(tool))) => tools.push(Arc::clone(tool)),
                Some((_, None)) => left_out.push(NO_ENGINE.into()),
                None => {
                    let known = all.each_ref().map(|(known, _)| *known).join(", ");
                    left_out.push(format!("there is no tool \"{name}\"; there are {known}"));
                }
            }
        }
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
