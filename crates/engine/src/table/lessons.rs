//! The lessons that a debate starts with: its project and domain decide which, and the
//! config file, the constitution and the order decide if it learns at all.

use async_recursion::async_recursion as boxed;
use debate::learning;
use debate::model::{Brief, DomainBy, GENERAL_DOMAIN, JudgedDebate};

use crate::config::Config;
use crate::error::{At, EngineError, Problem, Refusal, Remedy, SettingName};
use crate::outcomes::track;
use crate::sessions::past::PastDebates;
use crate::table::order::{LearningWish, Order};

/// The word that has the clerk name the domain.
const AUTO: &str = "auto";

/// The project and the domain of a debate.
#[derive(Debug, Default)]
pub struct DebateDomain {
    pub project: Option<String>,
    pub domain: Option<String>,
    pub domain_by: DomainBy,
}

/// Returns the project and the domain of a debate: the given ones, the project's,
/// or the default.
pub fn place(config: &Config, order: &Order, faults: &mut Vec<Refusal>) -> DebateDomain {
    let file = &config.file;
    let project = order.project.clone().or_else(|| file.project.clone());
    let project = project.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    let of_project = project.as_ref().and_then(|name| file.projects.get(name));
    let domain = order
        .domain
        .clone()
        .or_else(|| of_project.and_then(|project| project.domain.clone()))
        .or_else(|| file.domain.clone());
    match domain {
        None => DebateDomain { project, ..DebateDomain::default() },
        Some(word) if word.trim().eq_ignore_ascii_case(AUTO) => {
            DebateDomain { project, domain: None, domain_by: DomainBy::Clerk }
        }
        Some(text) => {
            let domain = learning::check_domain(&text).map_err(|fault| {
                let fault =
                    Refusal { at: At::Setting(SettingName::Domain), ..Refusal::from(fault) };
                faults.push(fault.help(Remedy::OrAuto));
            });
            DebateDomain { project, domain: domain.ok(), domain_by: DomainBy::Caller }
        }
    }
}

/// Refuses a domain of `auto` in a debate without a clerk to name it.
pub fn needs_clerk(order: &Order, brief: &Brief) -> Result<(), EngineError> {
    let asked = order.domain.as_deref().is_some_and(|word| word.trim().eq_ignore_ascii_case(AUTO));
    if asked && brief.clerk.is_none() {
        let problem = Problem::Needs { other: SettingName::Clerk };
        let refusal = Refusal::setting(SettingName::Domain, AUTO, problem);
        return Err(refusal.help(Remedy::NameClerkOrDomain).into());
    }
    Ok(())
}

/// Returns whether this debate learns, or reports which rule forbids it.
pub fn switch(config: &Config, order: &Order, faults: &mut Vec<Refusal>) -> bool {
    let project = order.project.as_ref().or(config.file.project.as_ref());
    let of_project = project.and_then(|name| config.file.projects.get(name.trim()));
    match (config.constitution.enable_learning, order.learning) {
        (Some(true), LearningWish::Off) => {
            let problem = Problem::Unconstitutional { allowed: None };
            faults.push(Refusal::new(At::Setting(SettingName::Learning), problem));
            true
        }
        (Some(says), LearningWish::AsSet) => says,
        (_, LearningWish::Off) => false,
        (None, LearningWish::AsSet) => {
            let says = of_project.and_then(|project| project.learning).or(config.file.learning);
            says.unwrap_or(true)
        }
    }
}

/// Adds the lessons of earlier outcomes to a brief.
#[boxed]
pub async fn teach(past: &PastDebates<'_>, brief: &mut Brief) -> Result<(), EngineError> {
    let judged = track::judged(&track::books_of(past).await?);
    if judged.is_empty() {
        return Ok(());
    }
    let domains = match (brief.domain_by, &brief.domain) {
        (DomainBy::Clerk, None) => known_domains(&judged),
        (_, Some(domain)) => vec![domain.clone()],
        (DomainBy::Caller, None) => vec![GENERAL_DOMAIN.to_owned()],
    };
    brief.lessons = learning::lessons(&judged, &domains, &brief.agents, track::today());
    // A domain without lessons is listed for the clerk, not for a reader.
    if brief.domain_by == DomainBy::Caller {
        brief.lessons.retain(|lessons| !lessons.used.is_empty());
        let questions: Vec<String> =
            brief.lessons.iter().flat_map(|lessons| lessons.questions.clone()).collect();
        brief.required_questions.extend(questions);
    }
    Ok(())
}

fn known_domains(judged: &[JudgedDebate]) -> Vec<String> {
    let mut domains: Vec<String> = judged.iter().map(|one| one.domain.clone()).collect();
    domains.push(GENERAL_DOMAIN.to_owned());
    domains.sort_unstable();
    domains.dedup();
    domains
}
