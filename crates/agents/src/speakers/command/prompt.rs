//! The prompt as a program gets it: one text with headings, since standard
//! input has no places for a system prompt and a schema.

use debate::model::{Ask, ReplyForm};

const FORM: &str = include_str!("form.md");
const FREE: &str = include_str!("free.md");

/// Everything the ask says, in the order a reader needs it.
pub fn on_standard_input(ask: &Ask) -> String {
    // The schema is put into words of ours before any other words are added, so
    // that no text from outside can stand where the schema should.
    let form = match ask.form {
        ReplyForm::Json => FORM.trim_end().replace("{schema}", &ask.schema.to_string()),
        ReplyForm::Words | ReplyForm::WordsThenRecord => FREE.trim_end().to_owned(),
    };
    let system = ask.system.trim_end();
    let user = ask.user.trim_end();
    format!("# Instructions\n\n{system}\n\n# Your turn\n\n{user}\n\n{form}\n")
}
