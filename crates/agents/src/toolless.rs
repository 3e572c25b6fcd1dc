//! A model that is asked for its answer alone. It offers no tools and takes no
//! call for an answer.

use std::sync::Arc;

use debate::model::{Ask, Failure, RemoteAnswer, Reply};
use futures::future::BoxFuture;

use crate::tooling::{Converse, Prompt, Said};
use crate::{CancellationToken, Fetched, Speaker, Watch};

pub struct Toolless(pub Arc<dyn Converse>);

impl Speaker for Toolless {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            match self.0.step(Prompt::plain(ask), watch, &cancel).await? {
                Said::Answer(reply) => Ok(reply),
                // Without an offer a well-behaved model makes no calls.
                Said::Calls(_) => Err(Failure::unusable("It called a tool that was not offered.")),
            }
        })
    }

    fn fetch<'a>(
        &'a self,
        ask: &'a Ask,
        kept: &'a RemoteAnswer,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Fetched> {
        Box::pin(async move {
            match self.0.fetch_step(Prompt::plain(ask), kept, &cancel).await {
                Some(Ok(Said::Answer(reply))) => Fetched::Answer(Box::new(reply)),
                Some(Ok(Said::Calls(_))) | None => Fetched::Gone,
                Some(Err(failure)) => Fetched::Failed(failure),
            }
        })
    }
}
