//! The course of the measures over the rounds, as charts with their tables.

use crate::document::svg::lines::{Series, chart};
use crate::document::{Block, Section};

use super::{ReportedDebate, words};

pub fn convergence(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("convergence", "Round by round, in figures");
    let rounds = &view.room.rounds;
    let mut measures: Vec<Series> = Vec::new();
    for (round, record) in rounds.iter().enumerate() {
        for (name, value) in record.analysis.as_ref().map(words::measures).unwrap_or_default() {
            let known = measures.iter_mut().position(|one| one.name == name);
            let at = known.unwrap_or_else(|| {
                measures.push(Series { name: name.into(), values: vec![None; rounds.len()] });
                measures.len() - 1
            });
            if let Some(place) = measures.get_mut(at).and_then(|one| one.values.get_mut(round)) {
                *place = value;
            }
        }
    }
    let stated = |seat: &debate::model::Seat| Series {
        name: seat.name.clone(),
        values: rounds
            .iter()
            .map(|record| record.turn(seat.id).and_then(|turn| turn.answer.confidence))
            .collect(),
    };
    let confidence: Vec<Series> = view.room.seats.iter().map(stated).collect();
    let charts = [
        chart(
            "chart-convergence",
            "Agreement and movement",
            "After each round: how far the agents agree, how alike their positions are, how far \
             they moved, and how many sources they share.",
            &measures,
        ),
        chart(
            "chart-confidence",
            "Stated confidence",
            "As each agent stated it, round by round. A gap is a round without an answer or \
             without a figure.",
            &confidence,
        ),
    ];
    section.blocks.extend(charts.into_iter().flatten().map(Block::Drawing));
    section
}
