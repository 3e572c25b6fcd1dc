//! Reads a script and plays it through the machine. A script is lines:
//!
//! ```text
//! == a name
//! mode collaborative            ask yes/no | options a, b | number weeks | …
//! seats Ada Brook Chen:m1/f1    the model and family where they matter
//! rounds 2                      set exit | critical | evidence | adaptive …
//! 1 Ada | yes | 0.6 | Ship in spring | src 1; vote ACCEPT; claim FACT DOCUMENTED Text
//! clerk 1 | ++- | +++           the sides on each proposition, in seat order
//! groups 1 | keep: Ada Brook | sell: Chen
//! expect decided verify medium 2/3 yes
//! judged 0.9 | Ada=0.9 Brook=0.9 Chen=-      Chen's answer is not judged
//! ```

use debate::Debate;
use debate::model::*;
use serde_json::{Value, json};

use crate::support;

pub struct Script {
    pub name: String,
    pub mode: String,
    pub asks: String,
    pub expect: Vec<String>,
    /// How the decision turned out, and how right each seat is then judged.
    pub judged: Vec<(String, String)>,
    seats: Vec<String>,
    rounds: u32,
    settings: Vec<String>,
    said: Vec<SaidLine>,
    tables: Vec<(Round, Vec<String>)>,
    groups: Vec<(Round, Vec<NamedGroup>)>,
}

/// A group's position and its seats.
type NamedGroup = (String, Vec<String>);

#[derive(Clone)]
struct SaidLine {
    round: Round,
    seat: String,
    choice: String,
    confidence: Option<f64>,
    position: String,
    extras: Vec<String>,
}

impl Script {
    pub fn all(text: &str) -> Vec<Script> {
        let mut all: Vec<Script> = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if line.starts_with('#') {
                continue;
            }
            match line.strip_prefix("== ") {
                Some(name) => all.push(Script::named(name)),
                None => all.last_mut().expect("a name first").read(line),
            }
        }
        all
    }

    fn named(name: &str) -> Script {
        Script {
            name: name.into(),
            mode: "collaborative".into(),
            asks: "open".into(),
            expect: Vec::new(),
            judged: Vec::new(),
            seats: ["Ada", "Brook", "Chen"].map(String::from).to_vec(),
            rounds: 1,
            settings: Vec::new(),
            said: Vec::new(),
            tables: Vec::new(),
            groups: Vec::new(),
        }
    }

    fn read(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let parts =
            || -> Vec<String> { rest.split('|').map(|part| part.trim().to_owned()).collect() };
        match word {
            "mode" => self.mode = rest.into(),
            "ask" => self.asks = rest.into(),
            "seats" => self.seats = rest.split_whitespace().map(String::from).collect(),
            "rounds" => self.rounds = rest.parse().unwrap(),
            "set" => self.settings.push(rest.into()),
            "expect" => self.expect.push(rest.into()),
            "judged" => {
                let (outcome, seats) = rest.split_once('|').unwrap();
                self.judged.push((outcome.trim().into(), seats.trim().into()));
            }
            "clerk" => {
                let parts = parts();
                self.tables.push((parts[0].parse().unwrap(), parts[1..].to_vec()));
            }
            "groups" => {
                let parts = parts();
                let group = |part: &String| {
                    let (theme, names) = part.split_once(':').unwrap();
                    (theme.trim().to_owned(), names.split_whitespace().map(String::from).collect())
                };
                self.groups
                    .push((parts[0].parse().unwrap(), parts[1..].iter().map(group).collect()));
            }
            number => self.say(number.parse().unwrap_or_else(|_| panic!("{line}")), &parts()),
        }
    }

    fn say(&mut self, round: Round, parts: &[String]) {
        let part = |at: usize| parts.get(at).cloned().unwrap_or_default();
        let extras = part(4);
        self.said.push(SaidLine {
            round,
            seat: part(0),
            choice: part(1),
            confidence: part(2).parse().ok(),
            position: part(3),
            extras: extras.split(';').map(|one| one.trim().to_owned()).collect(),
        });
    }

    fn question(&self) -> (Question, NumberReading) {
        let (kind, rest) = self.asks.split_once(' ').unwrap_or((&self.asks, ""));
        let unit = || Some(rest.trim().to_owned()).filter(|unit| !unit.is_empty());
        let plain = NumberReading::default();
        match kind {
            "open" => (Question::Open, plain),
            "yes/no" => (Question::YesNo, plain),
            "options" => {
                let options = rest.split(',').map(|option| option.trim().to_owned()).collect();
                (Question::Options { options }, plain)
            }
            "number" => (Question::Number { unit: unit() }, plain),
            "estimate" => {
                (Question::Number { unit: unit() }, NumberReading { estimate: true, ..plain })
            }
            "probability" => (Question::Probability, plain),
            other => panic!("{other}"),
        }
    }

    fn brief(&self) -> Brief {
        let mut brief = support::brief(&self.mode, self.seats.len(), self.rounds);
        brief.topic = "What should be done?".into();
        for (at, seat) in self.seats.iter().enumerate() {
            let (name, model) = seat.split_once(':').unwrap_or((seat, ""));
            let (model, family) = model.split_once('/').unwrap_or((model, ""));
            let agent = &mut brief.agents[at];
            agent.name = name.into();
            if !model.is_empty() {
                agent.model = model.into();
            }
            agent.family = Some(match family {
                "" => format!("family-{at}"),
                family => family.into(),
            });
        }
        (brief.question, brief.number) = self.question();
        if !self.tables.is_empty() || self.settings.iter().any(|set| set.starts_with("clerk")) {
            let clerk = Agent { name: "Clerk".into(), ..brief.agents[0].clone() };
            brief.clerk = Some(clerk);
        }
        for setting in &self.settings {
            match setting.as_str() {
                "exit" => brief.flags.exit_criteria.enabled = true,
                "evidence" => {
                    brief.algorithm = Algorithm::EvidenceBasedDebate;
                    brief.flags.exit_criteria.enabled = true;
                }
                "require evidence" => brief.require_evidence = true,
                "extended" => brief.depth = Depth::Extended,
                "adaptive" => brief.effort = DebateEffort::Adaptive,
                "vote" => brief.effort = DebateEffort::Vote,
                "quiet" => brief.flags.groupthink_detection.enabled = false,
                other => match other.split_once(' ') {
                    Some(("tolerance", text)) => brief.number.tolerance = Tolerance::parse(text),
                    Some(("reliable", text)) => self.reliable(&mut brief, text),
                    Some(("samples", text)) => brief.samples = text.parse().unwrap(),
                    _ if other.starts_with("clerk") => {}
                    _ => panic!("{other}"),
                },
            }
        }
        brief
    }

    /// `Ada 0.702`: what earlier outcomes taught about an agent.
    fn reliable(&self, brief: &mut Brief, text: &str) {
        let (name, share) = text.split_once(' ').unwrap();
        if brief.lessons.is_empty() {
            brief.lessons.push(Lessons { domain: "general".into(), ..Lessons::default() });
        }
        let record = TrackRecord { reliability: share.parse().unwrap(), outcomes: 10 };
        brief.lessons[0].reliability.by_agent.insert(name.into(), record);
    }

    pub fn play(&self) -> Debate {
        let (mut debate, _) = support::open(self.brief());
        debate.hear(Input::Go);
        for _ in 0..400 {
            match debate.next_step() {
                Step::Ask(asks) => {
                    for ask in asks {
                        let heard = self.answer(&debate, &ask);
                        debate.hear(heard);
                    }
                }
                Step::Embed(_) => {
                    debate.hear(Input::NotCompared { reason: "none here".into() });
                }
                Step::Done(_) => return debate,
                Step::Await(reason) => panic!("{}: {reason:?}", self.name),
            }
        }
        panic!("{} does not end", self.name)
    }

    fn answer(&self, debate: &Debate, ask: &Ask) -> Input {
        let mut reply = support::reply(&ask.id);
        match (ask.id.party, ask.id.task) {
            (Party::Seat(seat), _) => {
                let name = &debate.room().seats[seat.index()].name;
                let line = self.line(name, ask.id.round);
                if line.position == "fails" {
                    let failure = Failure {
                        class: FailureClass::TimedOut,
                        message: "no answer in time".into(),
                        tries: 3,
                        bill: Bill::default(),
                    };
                    return Input::Failed { ask: ask.id, failure };
                }
                reply.text = self.spoken(&line, &debate.room().seats[seat.index()]).to_string();
                reply.searches = u32::from(line.extras.iter().any(|one| one.starts_with("src")));
            }
            (Party::Clerk, Task::Consensus) if self.settings.iter().any(|s| s == "clerk fails") => {
                reply.text = "I would rather not say.".into();
            }
            (Party::Clerk, Task::Consensus) => {
                reply.text = self.table(debate, ask).to_string();
            }
            (Party::Clerk, _) => {}
        }
        Input::Replied { ask: ask.id, reply: Box::new(reply) }
    }

    /// What a seat says in a round, or said last before it.
    fn line(&self, seat: &str, round: Round) -> SaidLine {
        let own = self.said.iter().filter(|line| line.seat == seat && line.round <= round);
        own.max_by_key(|line| line.round)
            .unwrap_or_else(|| panic!("{}: {seat} in round {round}", self.name))
            .clone()
    }

    fn spoken(&self, line: &SaidLine, seat: &Seat) -> Value {
        let mut answer = json!({
            "position": line.position, "reasoning": "It follows.", "keyPoints": ["one", "two"],
            "confidence": line.confidence, "claims": [], "citations": [], "critiques": [],
        });
        if let Some(stance) = seat.stance {
            answer["stance"] = json!(stance.word());
        }
        answer["answer"] = match (line.choice.as_str(), &self.question().0) {
            ("cannot", _) => {
                answer["cannotSay"] = json!("Too little is known.");
                Value::Null
            }
            (_, Question::Open) => Value::Null,
            (figure, Question::Number { .. } | Question::Probability) => {
                json!(figure.parse::<f64>().unwrap_or_else(|_| panic!("{}: {figure}", self.name)))
            }
            (option, _) => json!(option),
        };
        let mut cited = Vec::new();
        for extra in line.extras.iter().filter(|one| !one.is_empty()) {
            let (word, rest) = extra.split_once(' ').unwrap_or((extra, ""));
            match word {
                "src" => {
                    let number = cited.len() + 1;
                    cited.push(number);
                    push(
                        &mut answer["citations"],
                        json!({
                            "number": number, "title": format!("Source {rest}"),
                            "url": format!("https://www.rfc-editor.org/{rest}"),
                        }),
                    );
                }
                "vote" => {
                    let (ballot, objection) = rest.split_once(' ').unwrap_or((rest, "not yet"));
                    answer["vote"] = json!({"ballot": ballot, "objection": objection});
                }
                "claim" => {
                    let mut words = rest.splitn(3, ' ');
                    let (label, kind) = (words.next().unwrap(), words.next().unwrap());
                    push(
                        &mut answer["claims"],
                        json!({
                            "text": words.next().unwrap(), "label": label, "evidenceType": kind,
                            "citations": cited,
                        }),
                    );
                }
                "against" | "for" | "retract" => {
                    let field = match word {
                        "against" => "opposes",
                        "for" => "supports",
                        _ => "retracts",
                    };
                    let last = answer["claims"].as_array_mut().unwrap().last_mut().unwrap();
                    last[field] = json!([rest]);
                }
                "concede" | "counter" => {
                    let (claim, text) = rest.split_once(' ').unwrap_or((rest, ""));
                    let outcome = if word == "concede" { "concession" } else { "alternative" };
                    push(
                        &mut answer["critiques"],
                        json!({
                            "claim": claim, "evidenceType": "LOGICAL", "strength": "medium",
                            "outcome": outcome, "text": text,
                        }),
                    );
                }
                "rule" => answer["ruling"] = json!(rest),
                other => panic!("{}: {other}", self.name),
            }
        }
        answer
    }

    /// The clerk's reply: it finds out which participant is which by what they say.
    fn table(&self, debate: &Debate, ask: &Ask) -> Value {
        let room = debate.room();
        let record = room.round(ask.id.round).unwrap();
        let count = record.answered().count();
        let label = |number: usize| format!("Participant {number}");
        // The last mention of each label is the one above its answer.
        let places: Vec<(usize, usize)> = (1..=count)
            .filter_map(|number| {
                Some((
                    ask.user
                        .find(&format!("{}\"", label(number)))
                        .or_else(|| ask.user.rfind(&label(number)))?,
                    number,
                ))
            })
            .collect();
        let mut taken: Vec<usize> = Vec::new();
        let mut number_of: Vec<(SeatId, usize)> = Vec::new();
        for turn in record.answered() {
            let said = format!("Position: {}\n", turn.answer.position);
            let at = ask.user.match_indices(&said).map(|(at, _)| at);
            let mut owners = at.filter_map(|at| {
                let before = places.iter().filter(|(place, _)| *place < at);
                before.max_by_key(|(place, _)| *place).map(|(_, number)| *number)
            });
            let number = owners.find(|number| !taken.contains(number)).unwrap();
            taken.push(number);
            number_of.push((turn.seat, number));
        }
        let rows = latest(&self.tables, ask.id.round);
        let proposition = |(at, row): (usize, &String)| {
            let stand = |(seat, number): &(SeatId, usize)| {
                let side = match row.as_bytes().get(seat.index()) {
                    Some(b'+') => "for",
                    Some(b'-') => "against",
                    _ => "open",
                };
                json!({"participant": label(*number), "side": side})
            };
            json!({
                "id": format!("P{}", at + 1), "text": format!("Point {} holds", at + 1),
                "stands": number_of.iter().map(stand).collect::<Vec<Value>>(), "settled": false,
            })
        };
        let groups = latest(&self.groups, ask.id.round);
        let group = |(theme, names): &(String, Vec<String>)| {
            let of = |(seat, _): &&(SeatId, usize)| names.contains(&room.seats[seat.index()].name);
            let numbers: Vec<String> =
                number_of.iter().filter(of).map(|(_, number)| label(*number)).collect();
            json!({"theme": theme, "participants": numbers, "summary": theme})
        };
        json!({
            "propositions": rows.iter().flat_map(|rows| rows.iter().enumerate()).map(proposition)
                .collect::<Vec<Value>>(),
            "clusters": groups.iter().flat_map(|groups| groups.iter()).map(group)
                .collect::<Vec<Value>>(),
            "commonGround": [], "disagreements": [], "conflicts": [],
            "reasoning": "", "rating": 0.5, "summary": "The clerk sums up. It takes no side.",
        })
    }
}

fn latest<T>(all: &[(Round, T)], round: Round) -> Option<&T> {
    let until = all.iter().filter(|(number, _)| *number <= round);
    until.max_by_key(|(number, _)| *number).map(|(_, value)| value)
}

fn push(list: &mut Value, item: Value) {
    list.as_array_mut().unwrap().push(item);
}
