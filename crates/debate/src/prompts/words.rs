//! Compiled templates. The built-in ones are compiled once per process; a user's
//! own are checked before the first call, so that no debate stops half-way over
//! a misspelt variable.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, ErrorKind, UndefinedBehavior};

use super::templates::{Template, mode_file, templates};
use super::values::TemplateValues;
use crate::model::ModePlan;

/// The reason why a template cannot be used, in words for its author.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    #[error("there is no template `{name}`; {}", did_you_mean(.nearest))]
    UnknownTemplate { name: String, nearest: Vec<String> },
    #[error("template `{template}`, line {line}: {problem}")]
    Syntax { template: String, line: usize, problem: String },
    #[error(
        "template `{template}`, line {line}: unknown variable `{variable}`; {} (it may use: {})",
        did_you_mean(.nearest),
        .allowed.join(", ")
    )]
    UnknownVariable {
        template: String,
        line: usize,
        variable: String,
        nearest: Vec<String>,
        allowed: Vec<&'static str>,
    },
    #[error("template `{template}`, line {line}, could not be filled in: {problem}")]
    Render { template: String, line: usize, problem: String },
    #[error(
        "template `{template}` must hold exactly two questions, one per line, and holds {found}"
    )]
    Checks { template: String, found: usize },
}

fn did_you_mean(nearest: &[String]) -> String {
    match nearest {
        [] => "nothing is called much like it".into(),
        names => format!("did you mean `{}`?", names.join("` or `")),
    }
}

/// All templates of a debate, ready to be filled in.
#[derive(Debug, Clone)]
pub struct Templates {
    templates: Arc<Environment<'static>>,
}

static BUILT_IN: LazyLock<Result<Arc<Environment<'static>>, TemplateError>> = LazyLock::new(|| {
    let mut environment = empty_environment()?;
    for template in templates() {
        environment
            .add_template_owned(template.name.clone(), template.text)
            .map_err(|error| from_minijinja(&template.name, &error))?;
    }
    Ok(Arc::new(environment))
});

impl Templates {
    /// Returns whether none of them is the user's own.
    pub(super) fn are_built_in(&self) -> bool {
        BUILT_IN.as_ref().is_ok_and(|built_in| Arc::ptr_eq(built_in, &self.templates))
    }

    /// Returns the built-in templates, overridden by the user's own, and the modes
    /// whose prompts those change.
    pub(super) fn compiled(
        plan: &'static ModePlan,
        overrides: &BTreeMap<String, String>,
    ) -> Result<(Templates, BTreeSet<&'static str>), TemplateError> {
        let built_in = BUILT_IN.as_ref().map_err(Clone::clone)?;
        if overrides.is_empty() {
            return Ok((Templates { templates: Arc::clone(built_in) }, BTreeSet::new()));
        }
        let known = templates();
        let mut environment = Environment::clone(built_in);
        let mut touched = BTreeSet::from([plan.name]);
        for (name, text) in overrides {
            let template =
                known.iter().find(|template| template.name == *name).ok_or_else(|| {
                    let names = known.iter().map(|template| template.name.as_str());
                    TemplateError::UnknownTemplate {
                        name: name.clone(),
                        nearest: nearest(name, names),
                    }
                })?;
            environment
                .add_template_owned(name.clone(), text.clone())
                .map_err(|error| from_minijinja(name, &error))?;
            check_variables(&environment, template)?;
            touched.extend(template.mode);
        }
        Ok((Templates { templates: Arc::new(environment) }, touched))
    }

    /// A template that all modes share.
    pub(super) fn shared(
        &self,
        name: &str,
        values: &TemplateValues,
    ) -> Result<String, TemplateError> {
        let template = self.templates.get_template(name).map_err(|error| {
            if error.kind() == ErrorKind::TemplateNotFound {
                TemplateError::UnknownTemplate { name: name.into(), nearest: Vec::new() }
            } else {
                from_minijinja(name, &error)
            }
        })?;
        let mut text =
            template.render(values.scope()).map_err(|error| from_minijinja(name, &error))?;
        text.truncate(text.trim_end().len());
        Ok(if text.starts_with(char::is_whitespace) { text.trim_start().to_owned() } else { text })
    }

    /// A template of one mode.
    pub(super) fn of_mode(
        &self,
        plan: &ModePlan,
        file: &str,
        values: &TemplateValues,
    ) -> Result<String, TemplateError> {
        self.shared(&mode_file(plan, file), values)
    }

    /// Renders a whole layer. Empty parts leave no hole.
    pub(super) fn layer(
        &self,
        name: &str,
        values: &TemplateValues,
    ) -> Result<String, TemplateError> {
        let text = self.shared(name, values)?;
        let mut tidy = String::with_capacity(text.len());
        let mut blank = 0;
        for line in text.lines() {
            blank = if line.trim().is_empty() { blank + 1 } else { 0 };
            if blank < 2 {
                tidy.push_str(line.trim_end());
                tidy.push('\n');
            }
        }
        tidy.truncate(tidy.trim_end().len());
        Ok(tidy)
    }

    /// The mode's own two questions. The number is fixed: nine by default, ten
    /// with high stakes, never more.
    pub(super) fn checks(
        &self,
        plan: &ModePlan,
        values: &TemplateValues,
    ) -> Result<Vec<String>, TemplateError> {
        let text = self.of_mode(plan, "checks.md", values)?;
        let checks: Vec<String> = text.lines().map(flat).filter(|line| !line.is_empty()).collect();
        match checks.len() {
            2 => Ok(checks),
            found => Err(TemplateError::Checks { template: mode_file(plan, "checks.md"), found }),
        }
    }
}

/// A text on one line, with single spaces.
pub(super) fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn empty_environment() -> Result<Environment<'static>, TemplateError> {
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
        .map_err(|error| from_minijinja("", &error))?;
    let mut environment = Environment::new();
    environment.set_syntax(syntax);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    Ok(environment)
}

/// Finds variables that do not exist, even in branches that no sample reaches.
fn check_variables(
    environment: &Environment<'static>,
    template: &Template,
) -> Result<(), TemplateError> {
    let name = template.name.as_str();
    let compiled = environment.get_template(name).map_err(|error| from_minijinja(name, &error))?;
    let globals: BTreeSet<&str> = environment.globals().map(|(name, _)| name).collect();
    let unknown: BTreeSet<String> = compiled
        .undeclared_variables(false)
        .into_iter()
        .filter(|variable| !template.variables.contains(&variable.as_str()))
        .filter(|variable| !globals.contains(variable.as_str()))
        .collect();
    let first =
        unknown.into_iter().map(|variable| (line_of(compiled.source(), &variable), variable));
    match first.min() {
        None => Ok(()),
        Some((line, variable)) => Err(TemplateError::UnknownVariable {
            template: name.into(),
            line,
            nearest: nearest(&variable, template.variables.iter().copied()),
            variable,
            allowed: template.variables.clone(),
        }),
    }
}

/// The first line with a tag that holds the word.
fn line_of(source: &str, word: &str) -> usize {
    let holds = |line: &str| {
        line.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .any(|part| part == word)
    };
    let in_tag = |line: &str| line.contains("{{") || line.contains("{%");
    let lines = || source.lines().zip(1..);
    lines()
        .find(|(line, _)| in_tag(line) && holds(line))
        .or_else(|| lines().find(|(line, _)| holds(line)))
        .map_or(1, |(_, number)| number)
}

fn from_minijinja(name: &str, error: &minijinja::Error) -> TemplateError {
    let template = error.name().unwrap_or(name).to_owned();
    let line = error.line().unwrap_or(1);
    let problem = match error.detail() {
        Some(detail) => detail.to_owned(),
        None => error.kind().to_string(),
    };
    match error.kind() {
        ErrorKind::SyntaxError => TemplateError::Syntax { template, line, problem },
        _ => TemplateError::Render { template, line, problem },
    }
}

/// At most three names that differ by few letters, the closest first.
fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let limit = (word.chars().count() / 3).max(2);
    let mut close: Vec<(usize, &str)> = names
        .map(|name| (distance(word, name), name))
        .filter(|(distance, name)| *distance <= limit || name.ends_with(&format!(".{word}")))
        .collect();
    close.sort_unstable();
    close.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

/// Returns the number of letters to insert, remove or change.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut diagonal = index;
        let mut left = index + 1;
        let mut next = Vec::with_capacity(row.len());
        next.push(left);
        for (above, against) in row.iter().skip(1).zip(&other) {
            left = (diagonal + usize::from(letter != *against)).min(above + 1).min(left + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}
