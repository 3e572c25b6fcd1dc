//! Words what a person must know about a table before it debates.

use debate::model::counted;
use engine::table::notice::TableNotice;

use super::{FaceWords, files, money};
use engine::error::Remedy;

pub fn notice(notice: &TableNotice, face: &dyn FaceWords) -> String {
    match notice {
        TableNotice::Example => format!(
            "This is a scripted example, not real models. To debate your own question, add a \
             model. {}",
            face.remedy(&Remedy::ListAgents)
        ),
        TableNotice::InProcess => "This model runs inside Roundtable and is very small: good for \
                                   trying Roundtable, not for deciding anything."
            .into(),
        TableNotice::Scripted { file } => {
            format!("Scripted agents from {}: no model is asked.", file.display())
        }
        TableNotice::Replayed { file } => {
            format!("Replayed from {}: no model is asked.", file.display())
        }
        TableNotice::OneModel { provider, model } => format!(
            "All seats are the same model ({provider}/{model}), so they tend to make the same \
             mistakes. {}",
            face.add_agents()
        ),
        TableNotice::LightSeat { agent, model, instead_of } => format!(
            "{agent}: {model} takes the seat in place of {instead_of} \
             (sequentialMode.useLightModel)."
        ),
        TableNotice::NoSearch { agents } if agents.is_empty() => {
            "No web search: these models answer from memory. Set BRAVE_API_KEY (or Tavily, Exa, \
             SearXNG) to let them search."
                .into()
        }
        TableNotice::NoSearch { agents } => {
            format!("{} cannot search the web here and answer from memory.", agents.join(", "))
        }
        TableNotice::NoTool { why } => why.clone(),
        TableNotice::Folder { folder, files, bytes } => format!(
            "{}: {}, {bytes} bytes; hidden files and those that ignore rules name are left out",
            folder.display(),
            counted(*files, "file")
        ),
        TableNotice::LeftOut { name, problem } => {
            format!("  left out {name}: {}", files::fault(problem, face))
        }
        TableNotice::LeftOutMore { count } => format!("  left out {count} more for such reasons"),
        TableNotice::LeftOutBeyond { count, most } => {
            format!("  left out {count} after the first {most} files")
        }
        TableNotice::Unpriced { agents } => money::unpriced(agents),
        TableNotice::Shortened { tokens, shown } => format!(
            "the attached text has up to {tokens} tokens; each agent is shown about {shown} of \
             them, shared among the files, and told what is cut"
        ),
    }
}
