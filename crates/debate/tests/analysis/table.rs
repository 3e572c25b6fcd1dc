//! A scripted room: who says what in which round, without a machine behind it.

use debate::analysis::{AnalysisInputs, Similarities, analyse};
use debate::model::*;

pub const PLAN: ModePlan = ModePlan {
    name: "scripted",
    summary: "",
    in_brief: "",
    when: "",
    roles: &[RolePlan {
        key: "speaker",
        title: "Speaker",
        team: None,
        stance: None,
        held_by: RoleHolders::Many,
    }],
    extra_agents: ExtraAgents::DealAgain,
    waves: WavePlan::AllAtOnce,
    view: ViewPlan {
        earlier: EarlierRounds::Everyone,
        this_round: ThisRound::Nothing,
        naming: SeatNaming::Named,
        rebut_previous: false,
        open_questions: false,
        statistics: false,
    },
    parallel_default: ParallelLevel::Full,
    execution: Execution::Parallel,
    groupthink: true,
    critiques: false,
    safety_constraints: false,
    perspectives: false,
    words: &[],
    extended: None,
    default_rounds: None,
    voters: VoterPlan::EverySeat,
    estimates: false,
};

pub const UNWATCHED: ModePlan = ModePlan { groupthink: false, ..PLAN };

/// Like [`PLAN`], with somebody who decides after the others.
pub const DECIDED: ModePlan = ModePlan {
    roles: &[
        RolePlan {
            key: "speaker",
            title: "Speaker",
            team: None,
            stance: None,
            held_by: RoleHolders::Many,
        },
        RolePlan {
            key: "judge",
            title: "Judge",
            team: None,
            stance: None,
            held_by: RoleHolders::One,
        },
    ],
    waves: WavePlan::ByRole(&[&["speaker"], &["judge"]]),
    ..PLAN
};

pub struct Table {
    pub room: Room,
    pub plan: &'static ModePlan,
    pub clerk: Option<Result<ClerkConsensus, String>>,
}

impl Table {
    /// Seats named A, B, C, … of different models and families.
    pub fn seats(count: usize) -> Table {
        let name = |at: usize| char::from(b'A' + at as u8).to_string();
        let agents = (0..count)
            .map(|at| Agent {
                name: name(at),
                provider: "scripted".into(),
                model: format!("model-{at}"),
                family: Some(format!("family-{at}")),
                context_window: None,
                temperature: None,
                fallback: None,
            })
            .collect();
        let seats = (0..count)
            .map(|at| Seat {
                id: SeatId(at),
                agent: at,
                name: name(at),
                role: "speaker".into(),
                team: None,
                stance: None,
                perspective: None,
                anchor: Anchor::RiskAttentive,
            })
            .collect();
        let room = Room {
            brief: brief(agents),
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
        Table { room, plan: &PLAN, clerk: None }
    }

    pub fn early_exit(mut self, algorithm: Algorithm) -> Table {
        self.room.brief.flags.exit_criteria.enabled = true;
        self.room.brief.algorithm = algorithm;
        self
    }

    pub fn asks(mut self, question: Question) -> Table {
        self.room.brief.question = question;
        self
    }

    /// A round in which these seats speak, in seat order from 0.
    pub fn round(&mut self, turns: Vec<Said>) -> &mut RoundRecord {
        let number = self.room.rounds.len() as Round + 1;
        let seats = self.room.seats.len();
        let mut record = RoundRecord {
            number,
            kind: RoundKind::Planned,
            waves: vec![(0..seats).map(SeatId).collect()],
            turns: vec![None; seats],
            gaps: Vec::new(),
            touched: vec![TouchedClaims::default(); seats],
            new_claims: Vec::new(),
            new_evidence: Vec::new(),
            contested: Vec::new(),
            summary: None,
            stands: None,
            analysis: None,
            closed: true,
        };
        for (seat, said) in turns.into_iter().enumerate() {
            if said.silent {
                continue;
            }
            for id in &said.cites {
                self.cite(EvidenceId(*id), SeatId(seat), number);
            }
            record.touched[seat].citations_used =
                said.cites.iter().map(|id| EvidenceId(*id)).collect();
            // Whoever cites has looked it up.
            let searches = u32::from(!said.cites.is_empty());
            record.turns[seat] = Some(Turn { searches, ..turn(SeatId(seat), number, said.answer) });
        }
        self.room.rounds.push(record);
        self.room.rounds.last_mut().unwrap()
    }

    fn cite(&mut self, id: EvidenceId, seat: SeatId, round: Round) {
        while self.room.ledger.evidence.len() <= id.index() {
            let next = EvidenceId::from_index(self.room.ledger.evidence.len());
            self.room.ledger.evidence.push(Evidence {
                id: next,
                kind: EvidenceKind::Citation,
                title: format!("Source {next}"),
                url: None,
                supports: Vec::new(),
                gist: String::new(),
                added_round: round,
                cited_by: Vec::new(),
                unreadable: false,
            });
        }
        self.room.ledger.evidence[id.index()].cited_by.push(CitedBy { seat, round });
    }

    /// Enters a claim made in the last round.
    pub fn claim(&mut self, label: Label, status: ClaimStatus, holders: &[usize]) -> ClaimId {
        let id = ClaimId::from_index(self.room.ledger.claims.len());
        let round = self.room.rounds.last_mut().unwrap();
        round.new_claims.push(id);
        self.room.ledger.claims.push(Claim {
            id,
            text: format!("claim {id}"),
            label,
            evidence_type: EvidenceType::Logical,
            status,
            author: SeatId(holders.first().copied().unwrap_or(0)),
            introduced_round: round.number,
            last_updated_round: round.number,
            holders: holders.iter().copied().map(SeatId).collect(),
            opposers: Vec::new(),
            support: Vec::new(),
            supported_by: Vec::new(),
            opposition: Vec::new(),
            strength: 0.5,
        });
        id
    }

    /// Analyses the last round without an embedder and keeps the result.
    pub fn analyse(&mut self) -> RoundAnalysis {
        self.analyse_by(Similarities::absent("no embedder in this test"))
    }

    /// Analyses the last round by a clerk's table with this similarity of the
    /// seats, and the same shift of every seat. From 0.8 on it calls them one.
    pub fn analyse_at(&mut self, similarity: f64, shift: f64) -> RoundAnalysis {
        let shifts = vec![shift; self.room.seats.len()];
        self.analyse_table(similarity, &shifts)
    }

    /// Analyses the last round by a clerk's table with this similarity, in which
    /// the first `same` seats are one group and the others stand alone.
    pub fn analyse_groups(&mut self, similarity: f64, same: usize) -> RoundAnalysis {
        let seats = self.room.seats.len();
        let mut read = self.clerks_table(similarity, &vec![0.0; seats]);
        let cluster = |seats: Vec<SeatId>| Cluster {
            theme: format!("view of {}", seats[0].0),
            seats,
            summary: String::new(),
        };
        read.clusters = vec![cluster((0..same).map(SeatId).collect())];
        read.clusters.extend((same..seats).map(|seat| cluster(vec![SeatId(seat)])));
        self.clerk = Some(Ok(read));
        let found = self.analyse();
        self.clerk = None;
        found
    }

    /// The same with a shift for each seat.
    pub fn analyse_table(&mut self, similarity: f64, shifts: &[f64]) -> RoundAnalysis {
        let kept = self.clerk.take();
        self.clerk = Some(Ok(self.clerks_table(similarity, shifts)));
        let found = self.analyse_by(Similarities::absent("no embedder in this test"));
        self.clerk = kept;
        found
    }

    /// A hundred propositions that stay, of which each seat changes its side on a
    /// share, and 1,900 new ones, some of which split the table in halves.
    fn clerks_table(&self, similarity: f64, shifts: &[f64]) -> ClerkConsensus {
        const KEPT: u32 = 100;
        const ALL: f64 = 2000.0;
        let seats = self.room.seats.len();
        let before = self.room.rounds.iter().rev().find_map(|round| round.analysis.as_ref());
        let before = before.map(|found| found.consensus.propositions.as_slice()).unwrap_or(&[]);
        let mut propositions = Vec::new();
        for id in 1..=KEPT {
            let row = before.iter().find(|row| row.id == Some(PropositionId(id)));
            let side = |seat: usize| {
                let stood = row.map(|row| row.stands[seat].side).unwrap_or(Side::For);
                let flips = row.is_some() && f64::from(id) <= shifts[seat] * f64::from(KEPT) + 1e-6;
                match (flips, stood) {
                    (true, Side::For) => Side::Against,
                    (true, _) => Side::For,
                    (false, stood) => stood,
                }
            };
            propositions.push(proposition(id, (0..seats).map(side)));
        }
        // A proposition that splits the table in halves has this share of pairs apart.
        let half = seats / 2;
        let pairs = (seats * (seats - 1)) as f64 / 2.0;
        let apart = (half * (seats - half)) as f64 / pairs;
        let split = ((1.0 - similarity) / apart * ALL).round() as usize;
        let first = 100_000 * self.room.rounds.len();
        for at in 0..ALL as usize - KEPT as usize {
            let side = |seat: usize| {
                let against = at < split && (at + seat) % seats < half;
                if against { Side::Against } else { Side::For }
            };
            propositions.push(proposition((first + at) as u32, (0..seats).map(side)));
        }
        let everyone: Vec<SeatId> = (0..seats).map(SeatId).collect();
        let cluster = |seats: &[SeatId]| Cluster {
            theme: format!("view of {}", seats[0].0),
            seats: seats.to_vec(),
            summary: String::new(),
        };
        let clusters = if similarity >= 0.8 - 1e-9 {
            vec![cluster(&everyone)]
        } else {
            everyone.chunks(1).map(cluster).collect()
        };
        ClerkConsensus { propositions, clusters, ..ClerkConsensus::default() }
    }

    pub fn analyse_by(&mut self, similarities: Similarities<'_>) -> RoundAnalysis {
        let round = self.room.rounds.len() as Round;
        let found = analyse(&AnalysisInputs {
            room: &self.room,
            plan: self.plan,
            round,
            clerk: self.clerk.clone(),
            similarities,
            weights: &EvidenceWeights::default(),
        });
        self.room.rounds.last_mut().unwrap().analysis = Some(found.clone());
        found
    }
}

/// A numbered proposition with the side of each seat.
pub fn proposition(id: u32, sides: impl IntoIterator<Item = Side>) -> Proposition {
    let stand = |(seat, side)| SeatStand { seat: SeatId(seat), side };
    Proposition {
        id: Some(PropositionId(id)),
        text: format!("point {id}"),
        stands: sides.into_iter().enumerate().map(stand).collect(),
        settled: false,
    }
}

/// What one seat says.
#[derive(Clone)]
pub struct Said {
    pub answer: Answer,
    pub cites: Vec<u32>,
    pub silent: bool,
}

pub fn says(position: &str) -> Said {
    let answer = Answer { position: position.into(), ..Answer::default() };
    Said { answer, cites: Vec::new(), silent: false }
}

pub fn silence() -> Said {
    Said { silent: true, ..says("") }
}

impl Said {
    pub fn sure(mut self, confidence: f64) -> Said {
        self.answer.confidence = Some(confidence);
        self
    }

    pub fn votes(mut self, ballot: Ballot) -> Said {
        let objection = (ballot != Ballot::Accept).then(|| "the rollback is untested".to_owned());
        self.answer.vote = Some(Vote { ballot, objection });
        self
    }

    pub fn chooses(mut self, choice: Choice) -> Said {
        self.answer.answer = Some(choice);
        self
    }

    pub fn stance(mut self, stance: Stance) -> Said {
        self.answer.stance = Some(stance);
        self
    }

    pub fn cites(mut self, sources: &[u32]) -> Said {
        self.cites = sources.to_vec();
        self
    }

    pub fn claims(mut self, claims: &[(EvidenceType, &[u32])]) -> Said {
        let claim = |(evidence_type, citations): &(EvidenceType, &[u32])| ClaimMade {
            text: "a claim".into(),
            label: Label::Infer,
            evidence_type: *evidence_type,
            citations: citations.to_vec(),
            supports: Vec::new(),
            opposes: Vec::new(),
            retracts: Vec::new(),
        };
        self.answer.claims = claims.iter().map(claim).collect();
        self
    }
}

pub fn option(word: &str) -> Choice {
    Choice::Option(word.into())
}

fn turn(seat: SeatId, round: Round, answer: Answer) -> Turn {
    Turn {
        seat,
        agent: "scripted".into(),
        model: "scripted".into(),
        round,
        wave: 0,
        role: "speaker".into(),
        perspective: None,
        anchor: Anchor::RiskAttentive,
        debate_alignment: String::new(),
        answer,
        confidence_change: None,
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

fn brief(agents: Vec<Agent>) -> Brief {
    Brief::new("Monolith or microservices?", "scripted", agents, &"0".repeat(32))
}
