//! Answers to what agents asked for.

use super::asking::Told;
use crate::operations::Trouble;
use crate::operations::host::Host;

pub async fn answer(_host: &Host, _id: &str, told: Vec<Told>) -> Result<(), Trouble> {
    match told.is_empty() {
        true => Ok(()),
        false => Err(Trouble::input(
            "this debate has asked for no context; leave contextResults out",
        )),
    }
}
