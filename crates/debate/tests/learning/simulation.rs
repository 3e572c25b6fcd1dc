//! Learning where the truth is known: five agents whose reliability differs by
//! domain, a sequence of debates of which a third is judged, and after so many
//! outcomes the verdicts of the engine's own weighing on questions nobody has
//! seen, against no learning, naive averages and knowing the true reliabilities.
//! It says how the arithmetic behaves, not that debate helps real models.
#![allow(dead_code)]

use std::collections::BTreeMap;

use debate::learning;
use debate::model::*;
use debate::{analysis, modes};

use super::support;

pub const AGENTS: usize = 5;
const DOMAINS: [&str; 3] = ["design", "hiring", "pricing"];
const OPTIONS: [&str; 4] = ["north", "east", "south", "west"];
/// Errors of two models go together this far, on the scale of the latent normal.
const SHARED: f64 = 0.40;
/// A wrong answer is the question's common misconception this often.
const MISCONCEPTION: f64 = 0.63;
const START: Day = Day(20_000);
const DAYS_BETWEEN: i32 = 1;
/// Each agent, by domain: nobody is best everywhere.
const ACCURACY: [[f64; 3]; AGENTS] = [
    [0.85, 0.60, 0.70],
    [0.75, 0.85, 0.55],
    [0.65, 0.70, 0.85],
    [0.60, 0.45, 0.65],
    [0.50, 0.65, 0.45],
];
/// How sure each agent sounds on average, on log-odds.
const BOAST: [f64; AGENTS] = [1.6, 2.2, 1.2, 2.4, 2.8];

/// Whether the agents stay what they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    Steady,
    /// Halfway each name gets another agent's abilities, as when models are
    /// replaced behind the same name.
    Changing,
}

/// How far the abilities are handed on when they change.
const HANDED_ON: usize = 2;

#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub world: World,
    pub runs: u64,
    pub debates: usize,
    pub held_out: usize,
}

/// One way of weighing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arm {
    None,
    Naive,
    Ours,
    Truth,
}

impl Arm {
    pub const ALL: [Arm; 4] = [Arm::None, Arm::Naive, Arm::Ours, Arm::Truth];

    pub fn word(self) -> &'static str {
        match self {
            Arm::None => "no learning",
            Arm::Naive => "naive averages",
            Arm::Ours => "roundtable",
            Arm::Truth => "true reliability",
        }
    }
}

/// What one arm came to after so many outcomes, one value per run.
#[derive(Debug, Clone, Default)]
pub struct Found {
    pub accuracy: Vec<f64>,
    /// Calibration error of the verdict's probability.
    pub verdict_error: Vec<f64>,
    /// Calibration error of the agents' confidence as the arm reads it.
    pub confidence_error: Vec<f64>,
}

impl Found {
    pub fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len().max(1) as f64
    }

    /// The mean of the worst twentieth of the runs; `worst` is a small value.
    pub fn tail(values: &[f64]) -> f64 {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let count = values.len().div_ceil(20);
        Self::mean(&sorted[..count])
    }
}

pub type Table = BTreeMap<(usize, Arm), Found>;

/// After each of these many outcomes.
pub fn simulate(size: Size, after: &[usize]) -> Table {
    let mut table = Table::new();
    let room = template();
    for run in 0..size.runs {
        one_run(run, size, after, &room, &mut table);
    }
    table
}

fn one_run(seed: u64, size: Size, after: &[usize], template: &Room, table: &mut Table) {
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed);
    let questions: [Vec<Asked>; 2] =
        [0, 1].map(|era| (0..size.held_out).map(|_| Asked::draw(&mut chance, era)).collect());
    let mut outcomes: Vec<JudgedDebate> = Vec::new();
    let mut today = START;
    let mut checked = 0;
    for n in 0..=size.debates {
        let era = usize::from(size.world == World::Changing && n > size.debates / 2);
        while let Some(wanted) = after.get(checked).filter(|wanted| outcomes.len() >= **wanted) {
            evaluate(&questions[era], &outcomes, today, *wanted, template, table);
            checked += 1;
        }
        today = today.plus(DAYS_BETWEEN);
        let asked = Asked::draw(&mut chance, era);
        // A third of the debates is judged; of half of those the truth is known,
        // of the others only whether the decision was right.
        if chance.share() < 1.0 / 3.0 {
            let known = chance.share() < 0.5;
            let lessons = learning::lessons(&outcomes, &[asked.domain_name()], &agents(), today);
            let room = asked.room(template, lessons);
            outcomes.push(asked.judge(&format!("{n:04}"), today, &room, known));
        }
    }
}

fn evaluate(
    held_out: &[Asked],
    outcomes: &[JudgedDebate],
    today: Day,
    after: usize,
    template: &Room,
    table: &mut Table,
) {
    let plan = modes::find(&template.brief.mode).unwrap();
    let domains = DOMAINS.map(str::to_owned);
    let lessons = learning::lessons(outcomes, &domains, &agents(), today);
    let averages = [0, 1, 2].map(|domain| naive(outcomes, domain));
    let rooms: Vec<Room> = held_out.iter().map(|asked| asked.room(template, Vec::new())).collect();
    for arm in Arm::ALL {
        let (mut verdicts, mut stated) = (Vec::new(), Vec::new());
        for (asked, room) in held_out.iter().zip(&rooms) {
            let of_domain = &lessons[asked.domain];
            let reliability = match arm {
                Arm::None => Reliability::default(),
                Arm::Naive => averages[asked.domain].clone(),
                Arm::Ours => of_domain.reliability.clone(),
                Arm::Truth => truth(asked),
            };
            let weighed = analysis::weigh(room, plan, &reliability);
            let leading = &weighed.answers[0];
            let right = leading.answer == OPTIONS[asked.right];
            verdicts.push((leading.probability, f64::from(u8::from(right))));
            for (agent, said) in asked.said.iter().enumerate() {
                let name = support::NAMES[agent];
                let read = match arm {
                    Arm::Ours => {
                        of_domain.calibration.get(name).map(|l| l.calibrated(said.confidence))
                    }
                    Arm::Naive => reliability.by_agent.get(name).map(|record| record.reliability),
                    Arm::Truth => Some(accuracy(agent, asked.domain, asked.era)),
                    Arm::None => None,
                };
                let right = f64::from(u8::from(said.option == asked.right));
                stated.push((read.unwrap_or(said.confidence), right));
            }
        }
        let found = table.entry((after, arm)).or_default();
        found
            .accuracy
            .push(Found::mean(&verdicts.iter().map(|(_, right)| *right).collect::<Vec<_>>()));
        found.verdict_error.push(calibration_error(&mut verdicts));
        found.confidence_error.push(calibration_error(&mut stated));
    }
}

/// Mean distance of probability and frequency over ten groups of equal size.
fn calibration_error(pairs: &mut [(f64, f64)]) -> f64 {
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let size = pairs.len().div_ceil(10).max(1);
    let groups: Vec<&[(f64, f64)]> = pairs.chunks(size).collect();
    let miss = |group: &&[(f64, f64)]| {
        let sum = |of: fn(&(f64, f64)) -> f64| group.iter().map(of).sum::<f64>();
        (sum(|pair| pair.0) - sum(|pair| pair.1)).abs()
    };
    groups.iter().map(miss).sum::<f64>() / pairs.len() as f64
}

/// The share of right votes so far, with nothing held back.
fn naive(outcomes: &[JudgedDebate], domain: usize) -> Reliability {
    let mut by_agent = BTreeMap::new();
    for agent in 0..AGENTS {
        let key = format!("script/{}", model(agent));
        let voices = outcomes.iter().filter(|one| one.domain == DOMAINS[domain]);
        let rights: Vec<f64> = voices
            .flat_map(|one| &one.voices)
            .filter(|voice| voice.agent == key)
            .map(|voice| voice.right)
            .collect();
        if !rights.is_empty() {
            let record =
                TrackRecord { reliability: Found::mean(&rights), outcomes: rights.len() as u32 };
            by_agent.insert(support::NAMES[agent].to_owned(), record);
        }
    }
    Reliability { by_agent }
}

fn accuracy(agent: usize, domain: usize, era: usize) -> f64 {
    ACCURACY[(agent + era * HANDED_ON) % AGENTS][domain]
}

fn truth(asked: &Asked) -> Reliability {
    let one = |agent: usize| {
        let record =
            TrackRecord { reliability: accuracy(agent, asked.domain, asked.era), outcomes: 1000 };
        (support::NAMES[agent].to_owned(), record)
    };
    Reliability { by_agent: (0..AGENTS).map(one).collect() }
}

/// No two agents are versions of one model here.
fn agents() -> Vec<Agent> {
    (0..AGENTS).map(|n| Agent { model: model(n), ..support::agent(n) }).collect()
}

fn model(index: usize) -> String {
    format!("model-{}", ["amber", "basalt", "cobalt", "dolomite", "emerald"][index])
}

/// A room of one held round, to be filled with answers.
fn template() -> Room {
    let mut brief = support::brief("collaborative", AGENTS, 1);
    brief.agents = agents();
    brief.question = Question::Options { options: OPTIONS.map(str::to_owned).to_vec() };
    support::run(brief, |_| {}).0.room().clone()
}

struct Said {
    option: usize,
    confidence: f64,
}

/// One question with its truth and what each agent says.
struct Asked {
    domain: usize,
    era: usize,
    right: usize,
    said: Vec<Said>,
}

impl Asked {
    fn draw(chance: &mut Chance, era: usize) -> Asked {
        let domain = chance.below(DOMAINS.len());
        let right = chance.below(OPTIONS.len());
        let misconception = (right + 1 + chance.below(OPTIONS.len() - 1)) % OPTIONS.len();
        let hard = chance.normal();
        let said = (0..AGENTS)
            .map(|agent| {
                let skill = inverse_normal(accuracy(agent, domain, era));
                let latent = skill + SHARED.sqrt() * hard + (1.0 - SHARED).sqrt() * chance.normal();
                let knows = latent > 0.0;
                let option = match knows {
                    true => right,
                    false if chance.share() < MISCONCEPTION => misconception,
                    false => (right + 1 + chance.below(OPTIONS.len() - 1)) % OPTIONS.len(),
                };
                let surer = if knows { 0.43 } else { 0.0 };
                let logit = BOAST[agent] + surer + 0.6 * chance.normal();
                Said { option, confidence: 1.0 / (1.0 + (-logit).exp()) }
            })
            .collect();
        Asked { domain, era, right, said }
    }

    fn domain_name(&self) -> String {
        DOMAINS[self.domain].to_owned()
    }

    fn room(&self, template: &Room, lessons: Vec<Lessons>) -> Room {
        let mut room = template.clone();
        room.brief.domain = Some(self.domain_name());
        room.brief.lessons = lessons;
        for (turn, said) in room.rounds[0].turns.iter_mut().flatten().zip(&self.said) {
            turn.answer.answer = Some(Choice::Option(OPTIONS[said.option].into()));
            turn.answer.confidence = Some(said.confidence);
        }
        room
    }

    fn judge(&self, id: &str, on: Day, room: &Room, known: bool) -> JudgedDebate {
        let plan = modes::find(&room.brief.mode).unwrap();
        let exit = Exit { rule: "rounds".into(), details: String::new() };
        let verdict = analysis::verdict(room, plan, &exit);
        let decided = &verdict.evidence.weighing.answers[0].answer;
        let right = decided == OPTIONS[self.right];
        let post = PostMortem {
            decision_accuracy: f64::from(u8::from(right)),
            right_answer: known.then(|| OPTIONS[self.right].to_owned()),
            ..PostMortem::default()
        };
        learning::judge(id, on, room, &verdict, &post)
    }
}

/// SplitMix64: the same numbers on every machine.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.share() * bound as f64) as usize % bound
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.share().max(1e-300).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.share()).cos()
    }
}

/// By halving: exact enough for a table of fifteen accuracies.
fn inverse_normal(p: f64) -> f64 {
    let below = |x: f64| {
        // The density summed from far below in small steps.
        let steps = 2000;
        let (from, width) = (-8.0, (x + 8.0) / f64::from(steps));
        let density = |at: f64| (-at * at / 2.0).exp() / std::f64::consts::TAU.sqrt();
        (0..steps).map(|n| density(from + (f64::from(n) + 0.5) * width) * width).sum::<f64>()
    };
    thread_local! {
        static KNOWN: std::cell::RefCell<BTreeMap<u64, f64>> = const { std::cell::RefCell::new(BTreeMap::new()) };
    }
    if let Some(found) = KNOWN.with(|known| known.borrow().get(&p.to_bits()).copied()) {
        return found;
    }
    let (mut low, mut high) = (-4.0, 4.0);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if below(middle) < p { low = middle } else { high = middle }
    }
    KNOWN.with(|known| known.borrow_mut().insert(p.to_bits(), low));
    low
}
