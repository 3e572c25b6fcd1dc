//! A mode as data. The engine knows these structures and no mode by name.

use crate::model::{ParallelLevel, Stance};

/// One way of holding a debate. Each mode is one constant of this type.
#[derive(Debug)]
pub struct ModePlan {
    pub name: &'static str,
    /// One line for `roundtable modes` and for a model choosing a mode.
    pub summary: &'static str,
    /// A few words that go on after the mode's name: "looks for flaws".
    pub in_brief: &'static str,
    /// Advice on choosing this mode, and on when not to.
    pub when: &'static str,
    pub roles: &'static [RolePlan],
    /// The rule for agents beyond the number of roles.
    pub extra_agents: ExtraAgents,
    pub waves: WavePlan,
    pub view: ViewPlan,
    /// The level used when parallelisation is on and no level is given.
    pub parallel_default: ParallelLevel,
    pub execution: Execution,
    pub groupthink: bool,
    /// If true, rounds from the second on ask for critiques of named claims.
    pub critiques: bool,
    /// If true, the prompts carry the safety constraints.
    pub safety_constraints: bool,
    /// If true, each seat gets a perspective.
    pub perspectives: bool,
    /// The templates of this mode: (file name, text).
    pub words: &'static [(&'static str, &'static str)],
    /// Another table of roles and waves, used when a deeper debate is asked for.
    pub extended: Option<&'static ExtendedPlan>,
    /// The rounds a debate has when the user names none; `None`: the general default.
    pub default_rounds: Option<u32>,
    /// The seats whose answers are votes.
    pub voters: VoterPlan,
    /// True if a number that is asked for is an estimate, to be combined.
    pub estimates: bool,
}

impl ModePlan {
    /// Returns true if a role decides over the others: one seat holds it, and it
    /// speaks in the last wave.
    pub fn decides(&self, role: &str) -> bool {
        let tables = [Some((self.roles, self.waves)), self.extended.map(|e| (e.roles, e.waves))];
        tables.into_iter().flatten().any(|(roles, waves)| {
            let last = match waves {
                WavePlan::ByRole(groups) => groups.last().is_some_and(|last| last.contains(&role)),
                WavePlan::AllAtOnce | WavePlan::OneByOne | WavePlan::ByTeam => false,
            };
            last && roles.iter().any(|row| row.key == role && row.held_by == RoleHolders::One)
        })
    }
}

impl ModePlan {
    /// The role that alone votes and that one seat holds, where there is one: its
    /// last word is the decision.
    pub fn judge(&self) -> Option<&'static str> {
        match self.voters {
            VoterPlan::Roles([only]) if self.decides(only) => Some(only),
            VoterPlan::Roles(_) | VoterPlan::EverySeat | VoterPlan::NoSeat { .. } => None,
        }
    }

    /// Returns whether the answers of a seat in this role are votes.
    pub fn votes(&self, role: &str) -> bool {
        match self.voters {
            VoterPlan::EverySeat => true,
            VoterPlan::Roles(roles) => roles.contains(&role),
            VoterPlan::NoSeat { .. } => false,
        }
    }
}

/// Whose answers are votes. Seats that argue a side they were given never vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoterPlan {
    EverySeat,
    /// Only the seats in these roles.
    Roles(&'static [&'static str]),
    /// No vote is taken; the result leads with the last words of this role.
    NoSeat {
        leads: &'static str,
    },
}

/// The roles and waves a mode uses when it runs at extended depth.
#[derive(Debug)]
pub struct ExtendedPlan {
    pub roles: &'static [RolePlan],
    pub waves: WavePlan,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RolePlan {
    /// Also the key of the role's templates.
    pub key: &'static str,
    pub title: &'static str,
    pub team: Option<&'static str>,
    pub stance: Option<Stance>,
    /// The number of seats that may hold the role: one for a role that decides.
    pub held_by: RoleHolders,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoleHolders {
    Many,
    One,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtraAgents {
    /// Roles are dealt again from the first, in seat order, skipping those that
    /// only one seat may hold.
    DealAgain,
    /// All extra agents take the last role.
    JoinLast,
}

/// The seats that speak at the same time in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WavePlan {
    AllAtOnce,
    OneByOne,
    /// One wave per group of roles, in this order.
    ByRole(&'static [&'static [&'static str]]),
    /// All at once, or one wave per team when the teams speak in sequence.
    ByTeam,
}

/// The part of the earlier conversation that a speaker is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewPlan {
    pub earlier: EarlierRounds,
    pub this_round: ThisRound,
    pub naming: SeatNaming,
    /// The answer just before is marked as the one to rebut.
    pub rebut_previous: bool,
    /// Open questions are listed.
    pub open_questions: bool,
    /// Group statistics stand above the answers.
    pub statistics: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlierRounds {
    /// All earlier rounds, with the answers of all seats.
    Everyone,
    /// All earlier rounds, only the other teams' answers (and one's own).
    OtherTeams,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThisRound {
    Nothing,
    SoFar,
    /// Only what one's own team has said so far.
    OwnTeamSoFar,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeatNaming {
    Named,
    /// "Participant k", in an order that differs by round and reader. No agent is
    /// told which answer was its own.
    Anonymous,
}

/// The usual order of speaking in a mode, which sets the tool policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    Parallel,
    Sequential,
}
