//! The figures of the simulated agents, each with what it was fitted to. A
//! figure that no published result fixes says so.

/// How many answers a simulated question offers.
pub const OPTIONS: usize = 4;
/// How many a question of somebody's own may offer.
pub const MOST_OPTIONS: usize = 10;
/// How many fields of knowledge an agent's accuracy is given for.
pub const DOMAINS: usize = 2;

/// Where a figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Chosen so that the simulation gives this published result.
    Fitted(&'static str),
    /// Chosen by us; nothing published fixes it.
    Set(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub struct AgentFigure {
    pub name: &'static str,
    pub value: f64,
    pub origin: Origin,
}

/// How far first answers go together, as parts of the variance that two agents
/// share: any two, two of a family besides, two of a model besides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ties {
    pub any: f64,
    pub family: f64,
    pub model: f64,
}

/// What holds for every agent and every item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nature {
    pub ties: Ties,
    /// How often a wrong answer is the item's shared misconception; otherwise
    /// it is any wrong answer, that one included.
    pub misconception: f64,
    /// Log-odds of the stated confidence when wrong, and what being right adds.
    pub confidence: f64,
    pub confidence_when_right: f64,
}

pub const NATURE: Nature = Nature {
    ties: Ties { any: 0.40, family: 0.15, model: 0.165 },
    misconception: 0.632,
    confidence: 2.1,
    confidence_when_right: 0.43,
};

/// How ready agents are to give up an answer at all, and what each further
/// head for the other answer adds; as log-odds.
pub const HIGH_CONFORMITY: f64 = 0.2;
pub const LOW_CONFORMITY: f64 = -1.2;
pub const PULL_OF_A_HEAD: f64 = 0.6;

pub const FIGURES: [AgentFigure; 12] = [
    AgentFigure {
        name: "shared misconception",
        value: NATURE.misconception,
        origin: Origin::Fitted("two models both wrong give the same wrong answer .60 (Kim 2025)"),
    },
    AgentFigure {
        name: "tie of any two agents",
        value: NATURE.ties.any,
        origin: Origin::Fitted("3 agents: in 1 of 4 splits the minority is right (2606.29270)"),
    },
    AgentFigure {
        name: "further tie within a family",
        value: NATURE.ties.family,
        origin: Origin::Set("between the two others; no published figure"),
    },
    AgentFigure {
        name: "further tie within a model",
        value: NATURE.ties.model,
        origin: Origin::Fitted(".715 in all: 5 votes of one model gain 4.9 points (2508.17536)"),
    },
    AgentFigure {
        name: "confidence, log-odds when wrong",
        value: NATURE.confidence,
        origin: Origin::Fitted("mean stated confidence .88 to .90 (Xiong 2024)"),
    },
    AgentFigure {
        name: "confidence, added when right",
        value: NATURE.confidence_when_right,
        origin: Origin::Fitted("AUROC .62 of stated confidence (Xiong 2024 and later)"),
    },
    AgentFigure {
        name: "readiness to switch, high conformity",
        value: HIGH_CONFORMITY,
        origin: Origin::Fitted("adoption of the modal answer up to .855 (2605.00914)"),
    },
    AgentFigure {
        name: "readiness to switch, low conformity",
        value: LOW_CONFORMITY,
        origin: Origin::Fitted("conformity .025 to .472 over protocols (BenchForm)"),
    },
    AgentFigure {
        name: "pull of one more head",
        value: PULL_OF_A_HEAD,
        origin: Origin::Fitted("the same two"),
    },
    AgentFigure {
        name: "advantage of a true argument, checkable",
        value: 1.5,
        origin: Origin::Set("between GSM8K (about .9) and 81 switches toward, 4 away (2.5)"),
    },
    AgentFigure {
        name: "persuasion of a liar",
        value: 1.0,
        origin: Origin::Set("0 to 2 are tried: one liar costs 10 to 40 % (Sci. Rep. 2026)"),
    },
    AgentFigure {
        name: "switches that cite a new source",
        value: 0.7,
        origin: Origin::Set("each regime states its own; no published figure"),
    },
];
