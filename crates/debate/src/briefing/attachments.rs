//! The caller's files, each in a fence of its own under its name, within a shared
//! budget. They are data and are shown as they are.

use crate::model::{Fence, ViewContents, clip, counted, tokens};

use super::{ViewInputs, budget};

/// The most that a file's name costs.
const NAME: usize = 30;

pub(super) fn write(desk: &ViewInputs<'_>, shown: &mut ViewContents) -> String {
    let files = &desk.room.brief.attachments;
    if files.is_empty() {
        return String::new();
    }
    let total = desk.budget.attachments;
    let fence = Fence::of_files(&desk.room.brief.fence_key);
    // Marks, label and the line ends around them.
    let around = super::fence_cost(&fence) + NAME;
    let texts: Vec<_> = files.iter().map(|file| fence.neutralise(&file.text)).collect();
    let needs: Vec<usize> = texts.iter().map(|text| tokens(text) + around).collect();
    let mut out = String::new();
    let mut dropped = 0;
    let shares = budget::share(&needs, total);
    for (place, ((file, text), share)) in files.iter().zip(&texts).zip(shares).enumerate() {
        let Some(room) = share.checked_sub(around).filter(|room| *room > 0 || text.is_empty())
        else {
            dropped += 1;
            continue;
        };
        let kept = clip(text, room);
        let name = clip(&file.name, NAME - 4);
        fence.open(&mut out, &format!("file {name}"));
        out.push_str(&kept);
        fence.close(&mut out);
        if kept.len() < text.len() {
            let percent = kept.len() * 100 / text.len();
            // The file is named by its number: its name is foreign and stays
            // inside the fence.
            let number = place + 1;
            shown.left_out.push(format!("file {number} after its first {percent} %"));
        }
    }
    if dropped > 0 {
        shown.left_out.push(format!("{} for which there was no room", counted(dropped, "file")));
    }
    out
}
