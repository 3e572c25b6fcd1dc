//! The list of models, one line each.

use std::fmt::Write as _;

use crate::terminal::clean::clean_line;
use engine::machine::models::{Known, Models};

pub fn models(known: &Models) -> String {
    let mut out = String::new();
    let name = |row: &Known| clean_line(&format!("{}/{}", row.provider, row.model));
    let width = known.models.iter().map(|row| name(row).chars().count()).max().unwrap_or(0);
    for row in &known.models {
        let context =
            row.context.map_or_else(|| "-".into(), |tokens| format!("{}k", tokens / 1000));
        let usd = |price: Option<f64>| price.map_or_else(|| "?".into(), |usd| format!("{usd:.2}"));
        let price = format!("{} / {}", usd(row.input_usd), usd(row.output_usd));
        let _ = writeln!(
            out,
            "{:<width$}  {:<12} {context:>6}  {price:>15}  {}",
            name(row),
            row.tiers.join(", "),
            row.can.join(", ")
        );
    }
    let _ = writeln!(
        out,
        "\nName, tier, context, USD for a million tokens in / out, abilities. As of {}.\nA provider's \
         name alone stands for its heavy model. Models that are not listed work too.",
        known.date
    );
    out
}
