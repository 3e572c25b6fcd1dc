//! One item at one table: keeps what every seat said in every round, so that a
//! seat can act on the answers its view shows and on no others.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use debate::model::{
    Agent, AskId, Brief, Failure, FailureClass, Flags, Question, Reply, Round, SeatId, ShownAnswer,
};

use super::figures::OPTIONS;
use super::item::{Grounds, OptionStand, SimulatedItem, VoicedStand};
use super::people::{Debater, DebaterPart, Regime, Talk};
use super::words::{self, Labels};

/// The words of the options, by place.
pub const OPTION_WORDS: [&str; OPTIONS] = ["north", "east", "south", "west"];
/// The provider name of simulated agents.
pub const PROVIDER: &str = "simulated";

/// A brief that seats the people of a regime in the given mode. The number of
/// rounds is fixed: nothing ends a simulated debate early and nothing prolongs
/// it, or regimes could not be compared.
pub fn brief(regime: &Regime, mode: &str) -> Brief {
    let mut flags = Flags::default();
    flags.groupthink_detection.enabled = false;
    let people = regime.people.iter().map(agent).collect();
    // No model reads these views, so there is nobody to keep the fence key from.
    let topic = "Which of the four directions is the right one?";
    Brief {
        rounds: regime.talk.rounds,
        question: Question::Options { options: OPTION_WORDS.map(String::from).to_vec() },
        flags,
        ..Brief::new(topic, mode, people, &"5".repeat(32))
    }
}

/// A simulated person as an agent of a brief.
pub fn agent(person: &Debater) -> Agent {
    Agent {
        name: person.name.into(),
        provider: PROVIDER.into(),
        model: person.model.into(),
        family: Some(person.family.into()),
        context_window: None,
        temperature: None,
        fallback: None,
    }
}

pub struct SimulatedSitting {
    item: SimulatedItem,
    people: Cow<'static, [Debater]>,
    talk: Talk,
    labels: Labels,
    said: Mutex<BTreeMap<(Round, SeatId), OptionStand>>,
}

impl SimulatedSitting {
    pub fn new(item: SimulatedItem, regime: &Regime) -> SimulatedSitting {
        let labels = Labels::Words(OPTION_WORDS.map(String::from).to_vec());
        SimulatedSitting::of(item, Cow::Borrowed(regime.people), regime.talk, labels)
    }

    /// Anybody at a question of somebody's own.
    pub fn of(
        item: SimulatedItem,
        people: Cow<'static, [Debater]>,
        talk: Talk,
        labels: Labels,
    ) -> SimulatedSitting {
        SimulatedSitting { item, people, talk, labels, said: Mutex::default() }
    }

    pub fn people(&self) -> &[Debater] {
        &self.people
    }

    pub(super) fn labels(&self) -> &Labels {
        &self.labels
    }

    pub fn item(&self) -> &SimulatedItem {
        &self.item
    }

    /// What every seat holds in a round where all hear all.
    pub fn options(&self, round: Round) -> Vec<usize> {
        let held = |seat| self.recall(round, SeatId(seat)).map(|stand| stand.option);
        (0..self.people.len()).filter_map(held).collect()
    }

    /// What an agent answers to an ask. `shown`: the answers its view holds;
    /// `None` where the caller made no view and everybody heard everybody.
    pub fn answer(
        &self,
        ask: &AskId,
        agent: usize,
        shown: Option<&[ShownAnswer]>,
    ) -> Result<Reply, Failure> {
        let (Some(seat), Some(person)) = (ask.party.seat(), self.people.get(agent)) else {
            return Err(self.nobody());
        };
        let heard: Vec<(SeatId, Round)> = match shown {
            Some(shown) => shown.iter().map(|shown| (shown.seat, shown.round)).collect(),
            None => self.everybody(ask.round),
        };
        let stand = self.stand(ask.round, seat, agent, &heard).ok_or_else(|| self.nobody())?;
        let leading = self.leading(seat, stand, &heard);
        let text = words::answer(&self.item, &self.labels, (seat, ask.round), stand, leading);
        self.remember(ask.round, seat, stand);
        // A new source was looked up: evidence moves a vote only where it can be checked.
        let searches = u32::from(stand.grounds == Grounds::NewSource);
        Ok(Reply { text, model: person.model.into(), tries: 1, searches, ..Reply::default() })
    }

    fn everybody(&self, round: Round) -> Vec<(SeatId, Round)> {
        match round {
            0 | 1 => Vec::new(),
            later => (0..self.people.len()).map(|seat| (SeatId(seat), later - 1)).collect(),
        }
    }

    fn stand(
        &self,
        round: Round,
        seat: SeatId,
        agent: usize,
        heard: &[(SeatId, Round)],
    ) -> Option<OptionStand> {
        let own = (1..round).rev().find_map(|earlier| self.recall(earlier, seat));
        match own {
            None => self.item.first(&self.people, agent),
            Some(own) => {
                let person = self.people.get(agent)?;
                let voiced = self.voiced(seat, heard);
                Some(self.item.later(person, &self.talk, (seat.index(), round), own, &voiced))
            }
        }
    }

    /// The latest shown answer of everybody else.
    fn voiced(&self, seat: SeatId, heard: &[(SeatId, Round)]) -> Vec<VoicedStand> {
        let mut latest: BTreeMap<SeatId, Round> = BTreeMap::new();
        for (other, round) in heard.iter().filter(|(other, _)| *other != seat) {
            let slot = latest.entry(*other).or_insert(*round);
            *slot = (*slot).max(*round);
        }
        let voice = |(other, round): (SeatId, Round)| {
            let persuasion = match self.people.get(other.index())?.part {
                DebaterPart::Honest => 0.0,
                DebaterPart::Liar { persuasion } => persuasion,
            };
            Some(VoicedStand { option: self.recall(round, other)?.option, persuasion })
        };
        latest.into_iter().filter_map(voice).collect()
    }

    /// What a seat said. A sitting that was made anew for a debate under way
    /// knows nothing yet, and works it out as if all had heard all.
    fn recall(&self, round: Round, seat: SeatId) -> Option<OptionStand> {
        let known =
            |said: &BTreeMap<(Round, SeatId), OptionStand>| said.get(&(round, seat)).copied();
        let found = known(&self.said.lock().unwrap_or_else(PoisonError::into_inner));
        found.or_else(|| {
            let stand = self.stand(round, seat, seat.index(), &self.everybody(round))?;
            self.remember(round, seat, stand);
            Some(stand)
        })
    }

    fn remember(&self, round: Round, seat: SeatId, stand: OptionStand) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.insert((round, seat), stand);
    }

    /// What a seat holds in a round, where it has spoken.
    pub(super) fn held(&self, round: Round, seat: SeatId) -> Option<OptionStand> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).get(&(round, seat)).copied()
    }

    /// Returns whether a seat stands where most of those it heard stand.
    fn leading(
        &self,
        seat: SeatId,
        stand: OptionStand,
        heard: &[(SeatId, Round)],
    ) -> words::AmongHeard {
        let voiced = self.voiced(seat, heard);
        let with = voiced.iter().filter(|voiced| voiced.option == stand.option).count();
        if 2 * with >= voiced.len() {
            words::AmongHeard::WithMost
        } else {
            words::AmongHeard::AgainstMost
        }
    }

    fn nobody(&self) -> Failure {
        Failure {
            class: FailureClass::BadRequest,
            message: "A simulated table has debaters only; leave the clerk out of the brief."
                .into(),
            tries: 1,
            bill: Default::default(),
        }
    }
}
