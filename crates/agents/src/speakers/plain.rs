//! A model that is asked for its answer alone. It offers no tools and takes no
//! call for an answer.

use std::sync::Arc;

use debate::model::{Ask, Failure, RemoteAnswer, Reply};
use futures::future::BoxFuture;

use crate::conversation::{Converse, Prompt, StepEnd};
use crate::{CancellationToken, FetchEnd, Speaker, Watch};

pub struct PlainSpeaker(pub Arc<dyn Converse>);

impl Speaker for PlainSpeaker {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            match self.0.step(Prompt::plain(ask), watch, &cancel).await? {
                StepEnd::Answer(reply) => Ok(reply),
                // Without an offer a well-behaved model makes no calls.
                StepEnd::Calls(_) => {
                    Err(Failure::unusable("It called a tool that was not offered."))
                }
            }
        })
    }

    fn fetch<'a>(
        &'a self,
        ask: &'a Ask,
        kept: &'a RemoteAnswer,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, FetchEnd> {
        Box::pin(async move {
            match self.0.fetch_step(Prompt::plain(ask), kept, &cancel).await {
                Some(Ok(StepEnd::Answer(reply))) => FetchEnd::Answer(Box::new(reply)),
                Some(Ok(StepEnd::Calls(_))) | None => FetchEnd::Gone,
                Some(Err(failure)) => FetchEnd::Failed(failure),
            }
        })
    }
}

/// Stands for a person, whom the debate asks itself; it is never called.
pub struct PersonSpeaker;

impl Speaker for PersonSpeaker {
    fn speak<'a>(
        &'a self,
        _: &'a Ask,
        _: &'a dyn Watch,
        _: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async { Err(Failure::unusable("a person answers for this seat")) })
    }
}
