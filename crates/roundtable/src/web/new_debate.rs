//! A new debate: the form, the estimate before it starts, and the start. A form with
//! faults comes back with all of them at their fields and everything that was typed.

use askama::Template;
use axum::body::Bytes;
use axum::extract::RawQuery;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use debate::model::{Attachment, MicroUsd, PERSON_PROVIDER, Question, counted};
use debate::sorting::SortRows;
use engine::background::host::{ClientSeat, StartedUnderKey};
use engine::clock;
use engine::config::Config;
use engine::error::EngineError;
use engine::machine::found;
use engine::table::order::preset;
use engine::table::order::{CallerContext, Order};
use engine::table::prepare::PreparedDebate;
use engine::table::{affordable, seats};

use super::WebState;
use super::debates::ChoiceOption;
use super::fields::FormFields;
use super::frame::{self, PageTab};
use super::wording;
use crate::report::sheet::mode_title;
use crate::report::sheet::signs::SeatSign;

/// The name under which starts from the page are counted.
pub const CALLER: &str = "page";
/// Models offered of one provider; others can be named.
const MOST_MODELS: usize = 6;
/// The fields of the form, by the names that faults begin with.
const FIELDS: [(&str, &str, &str); 10] = [
    ("topic", "topic", "Question"),
    ("agents", "agents", "Agents"),
    ("agent", "agents", "Agents"),
    ("mode", "mode", "How they debate"),
    ("rounds", "rounds", "Rounds"),
    ("budget", "budget", "Budget"),
    ("options", "options", "Options"),
    ("focus", "focus", "Focus"),
    ("language", "language", "Language"),
    ("context", "pasted", "Texts"),
];
/// The fields that are folded.
const MORE: [&str; 3] = ["options", "focus", "language"];
/// Marks a preset in the list that also has the profiles.
const PRESET: &str = "preset:";
/// The forms of an answer.
const FORMS: [(&str, &str); 5] = [
    ("open", "In words"),
    ("yes-no", "Yes or no"),
    ("options", "One of the options below"),
    ("number", "A number"),
    ("probability", "A probability"),
];

#[derive(Template)]
#[template(path = "web_new.html", whitespace = "preserve")]
struct NewView {
    key: String,
    after: String,
    /// True if the same question is to be held again.
    again: bool,
    topic: String,
    /// The profiles of the config file and the presets.
    presets: Vec<ChoiceOption>,
    offers: Vec<AgentOffer>,
    named: String,
    modes: Vec<ModeOffer>,
    rounds: String,
    budget: String,
    forms: Vec<ChoiceOption>,
    options: String,
    focus: String,
    language: String,
    pasted: String,
    files: Vec<(String, String, usize)>,
    faults: Vec<FormFault>,
    estimate: Estimated,
    open_more: bool,
}

struct AgentOffer {
    spec: String,
    sign: SeatSign,
    note: String,
    chosen: bool,
}

struct ModeOffer {
    name: &'static str,
    title: String,
    when: &'static str,
    chosen: bool,
}

/// A fault and the field it belongs to.
pub struct FormFault {
    pub field: &'static str,
    pub name: &'static str,
    pub text: String,
}

/// The cost of a debate like this.
#[derive(Default)]
struct Estimated {
    about: String,
    most: String,
    table: String,
    calls: String,
    notices: Vec<String>,
}

impl NewView {
    fn fault(&self, field: &str) -> Vec<&FormFault> {
        self.faults.iter().filter(|fault| fault.field == field).collect()
    }
}

/// The fault of one line that the engine wrote, at its field.
pub fn fault(line: &str) -> FormFault {
    let (head, rest) = line.split_once(':').unwrap_or(("", line));
    let head = head.trim().to_lowercase();
    let head = head.split(['.', '[', ' ']).next().unwrap_or_default().to_owned();
    let row = FIELDS.iter().find(|(name, ..)| *name == head);
    match row {
        Some((_, field, name)) => FormFault { field, name, text: rest.trim().into() },
        None => FormFault { field: "other", name: "", text: line.trim().into() },
    }
}

pub async fn form(web: WebState, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    let form = FormFields::parse(&query.unwrap_or_default());
    let view = view(&web, &form, Vec::new(), Estimated::default()).await;
    frame::page(&headers, "New debate", PageTab::New, Box::new(view)).answer(StatusCode::OK)
}

pub async fn start(web: WebState, headers: HeaderMap, body: Bytes) -> Response {
    let form = FormFields::of_body(&body);
    let only_estimate = form.get("go") == "estimate";
    let outcome = if only_estimate {
        prepared(&web, &form).await.map(|prepared| estimated(&prepared))
    } else {
        match begun(&web, &form).await {
            Ok(id) => return Redirect::to(&format!("/debates/{id}")).into_response(),
            Err(error) => Err(error),
        }
    };
    let (faults, estimate, status) = match outcome {
        Ok(estimate) => (Vec::new(), estimate, StatusCode::OK),
        Err(error) => {
            let mut faults: Vec<FormFault> =
                wording::lines(&error).iter().map(|line| fault(line)).collect();
            // In the order of the form.
            faults.sort_rows_by_key(|one| {
                FIELDS.iter().position(|(_, field, _)| *field == one.field)
            });
            (faults, Estimated::default(), StatusCode::UNPROCESSABLE_ENTITY)
        }
    };
    let view = view(&web, &form, faults, estimate).await;
    frame::page(&headers, "New debate", PageTab::New, Box::new(view)).answer(status)
}

/// Starts the debate once, however often the form is sent.
async fn begun(web: &WebState, form: &FormFields) -> Result<String, EngineError> {
    let key = form.some("key").unwrap_or_else(clock::new_secret);
    match web.host.started(&key, form.get("topic")).await? {
        Some(StartedUnderKey::Known(id) | StartedUnderKey::CutOff(id)) => return Ok(id),
        None => {}
    }
    web.host.admit(CALLER)?;
    let prepared = prepared(web, form).await?;
    let held = web.host.once(key, web.host.start(prepared, ClientSeat::default())).await?;
    Ok(held.id)
}

async fn prepared(web: &WebState, form: &FormFields) -> Result<PreparedDebate, EngineError> {
    web.host.prepare(&order(form)).await
}

fn estimated(prepared: &PreparedDebate) -> Estimated {
    let room = prepared.debate.room();
    let cost = affordable::estimate(&prepared.debate, &prepared.table.outside);
    let rounds = room.brief.rounds as usize;
    let names: Vec<&str> = room.seats.iter().map(|seat| seat.name.as_str()).collect();
    let budget = room.brief.budget.map(|budget| format!(", of {budget} set"));
    let (about, most) = match cost.worst {
        MicroUsd::ZERO => ("free, or not known".into(), String::new()),
        worst => {
            (cost.typical.to_string(), format!("at most {worst}{}", budget.unwrap_or_default()))
        }
    };
    Estimated {
        about,
        most,
        table: names.join(", "),
        calls: format!(
            "{} in {}",
            counted(room.seats.len() * rounds, "answer"),
            counted(rounds, "round")
        ),
        notices: wording::notices(&prepared.table.notices),
    }
}

/// The estimate for the script.
pub async fn estimate(web: WebState, headers: HeaderMap, body: Bytes) -> Response {
    match prepared(&web, &FormFields::of_body(&body)).await {
        Ok(prepared) => {
            let found = estimated(&prepared);
            let body = serde_json::json!({
                "about": found.about, "most": found.most, "table": found.table,
                "calls": found.calls,
            });
            let kind = [(header::CONTENT_TYPE, "application/json")];
            (StatusCode::OK, kind, body.to_string()).into_response()
        }
        Err(error) => wording::refused(&headers, &error),
    }
}

fn order(form: &FormFields) -> Order {
    let listed = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    };
    let options = listed(form.get("options"));
    let question = match form.get("form") {
        "yes-no" => Question::YesNo,
        "options" => Question::Options { options },
        "number" => Question::Number { unit: None },
        "probability" => Question::Probability,
        _ => Question::Open,
    };
    let named = form.get("named").split([',', '\n']).map(|spec| spec.trim().to_owned());
    let agents = form.all("agent").into_iter().chain(named.filter(|spec| !spec.is_empty()));
    let mut attachments: Vec<Attachment> = Vec::new();
    let files = form.all("file-name").into_iter().zip(form.all("file-text"));
    attachments.extend(files.map(|(name, text)| Attachment { name, text }));
    if let Some(text) = form.some("pasted") {
        attachments.push(Attachment { name: "pasted text".into(), text });
    }
    Order {
        topic: Some(form.get("topic").to_owned()),
        profile: form.some("profile").filter(|name| !name.starts_with(PRESET)),
        preset: form.some("profile").and_then(|name| Some(name.strip_prefix(PRESET)?.to_owned())),
        // A preset has a mode of its own, unless another than the usual one was chosen here.
        mode: form.some("mode").filter(|mode| {
            let usual = debate::modes::all().first().is_some_and(|plan| plan.name == mode);
            !(usual && form.get("profile").starts_with(PRESET))
        }),
        agents: agents.collect(),
        rounds: form.some("rounds"),
        budget: form.some("budget"),
        focus: form.some("focus"),
        language: form.some("language"),
        question,
        caller: CallerContext {
            attachments,
            start_key: form.some("key"),
            has_person: true,
            ..CallerContext::default()
        },
        after: form.some("after"),
        ..Order::default()
    }
}

async fn view(
    web: &WebState,
    form: &FormFields,
    faults: Vec<FormFault>,
    estimate: Estimated,
) -> NewView {
    let config = web.host.config();
    let mode = form.some("mode").or_else(|| config.file.mode.clone());
    let plans = debate::modes::all();
    let mode = mode.or_else(|| plans.first().map(|plan| plan.name.to_owned())).unwrap_or_default();
    let chosen_form = form.some("form").unwrap_or_else(|| "open".into());
    let files = form.all("file-name").into_iter().zip(form.all("file-text"));
    NewView {
        key: form.some("key").unwrap_or_else(clock::new_secret),
        after: form.get("after").into(),
        again: form.some("again").is_some(),
        topic: form.get("topic").into(),
        presets: presets(config, form.get("profile")),
        offers: offers(web, form).await,
        named: form.get("named").into(),
        modes: plans
            .iter()
            .map(|plan| ModeOffer {
                name: plan.name,
                title: mode_title(plan.name),
                when: plan.when,
                chosen: plan.name == mode,
            })
            .collect(),
        rounds: form.get("rounds").into(),
        budget: form.get("budget").into(),
        forms: FORMS
            .iter()
            .map(|(value, name)| ChoiceOption {
                value: (*value).into(),
                name: (*name).into(),
                chosen: *value == chosen_form,
            })
            .collect(),
        options: form.get("options").into(),
        focus: form.get("focus").into(),
        language: form.get("language").into(),
        pasted: form.get("pasted").into(),
        files: files.map(|(name, text)| (name, text.clone(), text.len().div_ceil(1024))).collect(),
        open_more: faults.iter().any(|one| MORE.contains(&one.field)),
        faults,
        estimate,
    }
}

/// The profiles that a person has set up and the presets, and none of them first.
fn presets(config: &Config, chosen: &str) -> Vec<ChoiceOption> {
    let profiles = config.file.profiles.keys().cloned().map(|name| (name.clone(), name));
    let shipped = preset::all(config).unwrap_or_default().into_iter();
    let shipped =
        shipped.map(|(name, one)| (format!("{PRESET}{name}"), format!("{name}: {}", one.about)));
    let option = |value: &str, name: &str| ChoiceOption {
        value: value.into(),
        name: name.into(),
        chosen: chosen == value,
    };
    let own = profiles.chain(shipped).map(|(value, name)| option(&value, &name));
    std::iter::once(option("", "No preset")).chain(own).collect()
}

/// The models that were found; those of the form stay chosen.
async fn offers(web: &WebState, form: &FormFields) -> Vec<AgentOffer> {
    let Ok(outside) = seats::outside(web.host.config()) else { return Vec::new() };
    let chosen = form.all("agent");
    let mut offers = Vec::new();
    let mut add = |spec: String, note: String| {
        let chosen = chosen.contains(&spec);
        let sign = SeatSign::new(offers.len(), &spec);
        offers.push(AgentOffer { spec, sign, note, chosen });
    };
    let lines = found::overview(&outside).await;
    for line in lines.iter().filter(|line| line.ready) {
        if line.models.is_empty() {
            add(line.provider.clone(), line.note.clone());
        }
        for model in line.models.iter().take(MOST_MODELS) {
            add(format!("{}/{model}", line.provider), line.title.clone());
        }
    }
    if lines.iter().any(|line| line.ready) {
        add(PERSON_PROVIDER.into(), "you answer yourself, first in every round; free".into());
    }
    offers
}
