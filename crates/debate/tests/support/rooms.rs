//! Rooms made at random: any number of rounds and agents, long answers in many
//! languages, contested claims, gaps, remarks. The same seed gives the same room.
#![allow(dead_code)]

use debate::model::*;

/// A small generator of its own, so that a room is a function of its seed.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

/// What kind of room to make.
#[derive(Debug, Clone)]
pub struct Shape {
    pub seed: u64,
    pub agents: usize,
    /// Finished rounds.
    pub rounds: u32,
    /// Words of an answer's reasoning, at most.
    pub words: usize,
    /// Claims an answer makes, at most.
    pub claims: usize,
    /// In percent: how many claims are contested.
    pub contested: usize,
    pub window: Option<u32>,
    /// In percent: how many answers are missing.
    pub gaps: usize,
}

pub const SENTENCES: &[&str] = &[
    "The load is steady and the team has run a database before",
    "[FACT][1] A managed service costs three times as much at this size",
    "Die Abhängigkeit von einem einzigen Dienstleister bleibt ein Risiko",
    "Les coûts cachés de l'exploitation sont rarement comptés",
    "服务边界尚未明确，因此不应过早拆分",
    "Эксперты считают, что перенос займёт не менее года",
    "ويرى الخبراء أن التكلفة ليست دائماً أقل",
    "see https://example.org/a/b?c=1e61679b5d&d=42#part for the figures",
    "let rate = (done as f64) / total.max(1) as f64;",
    "Great 🎉👍🏽 but what about backups?",
    "{\"p99\": 0.731, \"hosts\": [1, 2, 3]}",
];

pub fn prose(dice: &mut Dice, words: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    while count < words {
        let sentence = dice.pick(SENTENCES);
        count += sentence.split(' ').count().max(3);
        out.push_str(sentence);
        out.push_str(if dice.chance(20) { ".\n\n" } else { ". " });
    }
    out
}

pub fn agent(number: usize, window: Option<u32>) -> Agent {
    Agent {
        name: format!("Agent{number}"),
        provider: format!("provider{number}"),
        model: format!("model-{number}-large"),
        family: None,
        context_window: window,
        temperature: None,
        fallback: None,
    }
}

pub fn brief(agents: Vec<Agent>) -> Brief {
    let topic = "Should we host the database ourselves?";
    let key = "00112233445566778899aabbccddeeff";
    Brief { rounds: 20, ..Brief::new(topic, "made-up", agents, key) }
}

/// A room of that shape, after its finished rounds.
pub fn room(shape: &Shape) -> Room {
    let agents = (0..shape.agents).map(|number| agent(number, shape.window)).collect();
    let mut dice = Dice::new(shape.seed);
    let brief = brief(agents);
    let seats = (0..shape.agents).map(|number| seat(&brief, number)).collect();
    let mut room = Room {
        brief,
        seats,
        status: Status::Active,
        rounds: Vec::new(),
        ledger: Ledger::default(),
        remarks: Vec::new(),
        dropped: Vec::new(),
        context: Vec::new(),
        searches: Default::default(),
        focus: None,
        spent: Tally::default(),
        verdict: None,
        depth: None,
        safety: SafetyRecord::default(),
        synthesis: None,
    };
    for round in 1..=shape.rounds {
        hold_round(&mut room, &mut dice, shape, round);
    }
    room
}

pub fn seat(brief: &Brief, number: usize) -> Seat {
    Seat {
        id: SeatId(number),
        agent: number,
        name: brief.agents[number].name.clone(),
        role: format!("role{number}"),
        team: Some(if number.is_multiple_of(2) { "RED" } else { "BLUE" }.into()),
        stance: None,
        perspective: None,
        anchor: Anchor::ALL[number % 4],
    }
}

pub fn empty_round(room: &Room, round: u32) -> RoundRecord {
    let seats = room.seats.len();
    RoundRecord {
        number: round,
        kind: RoundKind::Planned,
        waves: (0..seats).map(|seat| vec![SeatId(seat)]).collect(),
        turns: vec![None; seats],
        gaps: Vec::new(),
        touched: vec![TouchedClaims::default(); seats],
        new_claims: Vec::new(),
        new_evidence: Vec::new(),
        contested: Vec::new(),
        summary: None,
        stands: None,
        analysis: None,
        closed: false,
    }
}

fn hold_round(room: &mut Room, dice: &mut Dice, shape: &Shape, round: u32) {
    let mut record = empty_round(room, round);
    for number in 0..room.seats.len() {
        let seat = SeatId(number);
        if dice.chance(shape.gaps) {
            record.gaps.push(gap(room, seat, round));
            continue;
        }
        let touched = enter_claims(room, dice, shape, &mut record, seat);
        record.touched[number] = touched;
        record.turns[number] = Some(turn(room, dice, shape, seat, round));
    }
    let statuses = room.ledger.claims.iter_mut();
    for claim in statuses.filter(|claim| claim.introduced_round == round) {
        if dice.chance(shape.contested) {
            claim.status = ClaimStatus::Contested;
            claim.opposers = vec![SeatId((claim.author.0 + 1) % shape.agents)];
        }
    }
    let contested = room.ledger.with_status(ClaimStatus::Contested);
    record.contested =
        contested.filter(|claim| claim.last_updated_round + 1 >= round).map(|it| it.id).collect();
    if dice.chance(20) {
        room.remarks.push(Remark { round, text: prose(dice, 12) });
    }
    record.closed = true;
    room.rounds.push(record);
    if dice.chance(40) {
        let summary = debate::briefing::summarise(room, round);
        if let Some(record) = room.rounds.last_mut() {
            record.summary = Some(summary);
        }
    }
}

fn gap(room: &Room, seat: SeatId, round: u32) -> Gap {
    Gap {
        seat,
        agent: room.seats[seat.0].name.clone(),
        round,
        wave: 0,
        class: FailureClass::TimedOut,
        message: format!("{} did not answer", room.seats[seat.0].name),
        tries: 3,
        bill: Bill::default(),
    }
}

fn enter_claims(
    room: &mut Room,
    dice: &mut Dice,
    shape: &Shape,
    record: &mut RoundRecord,
    seat: SeatId,
) -> TouchedClaims {
    let mut touched = TouchedClaims::default();
    for _ in 0..dice.below(shape.claims + 1) {
        let id = ClaimId::from_index(room.ledger.claims.len());
        let source = EvidenceId::from_index(room.ledger.evidence.len());
        let number = id.0;
        room.ledger.evidence.push(Evidence {
            id: source,
            kind: EvidenceKind::Citation,
            title: format!("Report {number} on {}", prose(dice, 5).trim()),
            url: Some(format!("https://example.org/reports/{number}")),
            supports: vec![id],
            gist: prose(dice, 8),
            added_round: record.number,
            cited_by: vec![CitedBy { seat, round: record.number }],
            unreadable: false,
        });
        room.ledger.claims.push(Claim {
            id,
            text: prose(dice, 10).trim().to_owned(),
            label: *dice.pick(&[Label::Fact, Label::Infer, Label::Assume, Label::Open]),
            evidence_type: EvidenceType::Logical,
            status: ClaimStatus::Open,
            author: seat,
            introduced_round: record.number,
            last_updated_round: record.number,
            holders: vec![seat],
            opposers: Vec::new(),
            support: vec![source],
            supported_by: Vec::new(),
            opposition: Vec::new(),
            strength: dice.below(100) as f64 / 100.0,
        });
        record.new_claims.push(id);
        record.new_evidence.push(source);
        touched.introduced.push(id);
        touched.citations_used.push(source);
    }
    let known = room.ledger.claims.len();
    if known > 3 {
        touched.challenged.push(ClaimId::from_index(dice.below(known)));
    }
    touched
}

pub fn turn(room: &Room, dice: &mut Dice, shape: &Shape, seat: SeatId, round: u32) -> Turn {
    let agent = &room.brief.agents[room.seats[seat.0].agent];
    let words = dice.below(shape.words + 1);
    Turn {
        seat,
        agent: agent.name.clone(),
        model: agent.model.clone(),
        round,
        wave: 0,
        role: room.seats[seat.0].role.clone(),
        perspective: None,
        anchor: Anchor::ALL[seat.0 % 4],
        debate_alignment: room.seats[seat.0].role.clone(),
        answer: Answer {
            position: format!("Position {round} of the debate: {}", prose(dice, 15).trim()),
            reasoning: prose(dice, words),
            key_points: vec![prose(dice, 6), prose(dice, 6)],
            confidence: Some(dice.below(100) as f64 / 100.0),
            vote: Some(Vote {
                ballot: *dice.pick(&[Ballot::Accept, Ballot::Minor, Ballot::Blocker]),
                objection: Some(prose(dice, 10)),
            }),
            citations: vec![Citation { number: 1, title: prose(dice, 5), ..Citation::default() }],
            ..Answer::default()
        },
        confidence_change: Some(ConfidenceChange {
            delta: 0.05,
            previous_round: round.saturating_sub(1),
            reason: None,
        }),
        tool_calls: Vec::new(),
        sources: Vec::new(),
        requests: Vec::new(),
        searches: 0,
        bill: Bill::default(),
        earlier: Vec::new(),
        notes: Vec::new(),
        repaired: false,
        stance_forced: false,
        cut_off: false,
        raw: String::new(),
    }
}

/// Opens the next round, in which the first `spoken` seats have answered, one by
/// one. Their claims are not yet in the ledger.
pub fn open_round(room: &mut Room, shape: &Shape, spoken: usize) {
    let round = room.rounds.len() as u32 + 1;
    let mut dice = Dice::new(shape.seed ^ 0xabcd);
    let mut record = empty_round(room, round);
    for number in 0..spoken.min(room.seats.len()) {
        record.turns[number] = Some(turn(room, &mut dice, shape, SeatId(number), round));
    }
    room.rounds.push(record);
}

/// Enters claims and sources of the first `spoken` seats in the open round. A few of the sources are
/// cited by another of them too.
pub fn enter_open_claims(room: &mut Room, shape: &Shape, spoken: usize) {
    let Some(mut record) = room.rounds.pop() else { return };
    let mut dice = Dice::new(shape.seed ^ 0xc1a1);
    for number in 0..spoken.min(room.seats.len()) {
        let touched = enter_claims(room, &mut dice, shape, &mut record, SeatId(number));
        record.touched[number] = touched;
    }
    for id in &record.new_evidence {
        if dice.chance(30) {
            let by = CitedBy { seat: SeatId(dice.below(spoken)), round: record.number };
            let source = room.ledger.evidence.iter_mut().find(|source| source.id == *id);
            source.unwrap().cited_by.push(by);
        }
    }
    room.rounds.push(record);
}

pub fn fence(room: &Room, round: u32, seat: SeatId) -> Fence {
    let ask = AskId { round, wave: 0, party: Party::Seat(seat), task: Task::Speak, about: None };
    Fence::new(&room.brief.fence_key, &ask)
}

/// A plan with that view and nothing else of interest.
pub const fn plan(view: ViewPlan) -> ModePlan {
    ModePlan {
        name: "made-up",
        summary: "",
        in_brief: "",
        when: "",
        roles: &[],
        extra_agents: ExtraAgents::DealAgain,
        waves: WavePlan::OneByOne,
        view,
        parallel_default: ParallelLevel::None,
        execution: Execution::Sequential,
        groupthink: false,
        critiques: false,
        safety_constraints: false,
        perspectives: false,
        words: &[],
        extended: None,
        default_rounds: None,
        voters: VoterPlan::EverySeat,
        estimates: false,
    }
}

pub const EVERYTHING: ViewPlan = ViewPlan {
    earlier: EarlierRounds::Everyone,
    this_round: ThisRound::SoFar,
    naming: SeatNaming::Named,
    rebut_previous: true,
    open_questions: true,
    statistics: true,
};

pub const ANONYMOUS: ViewPlan = ViewPlan {
    earlier: EarlierRounds::Everyone,
    this_round: ThisRound::Nothing,
    naming: SeatNaming::Anonymous,
    rebut_previous: false,
    open_questions: false,
    statistics: true,
};
