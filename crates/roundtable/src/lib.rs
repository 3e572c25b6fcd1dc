//! The binary's own rooms, as a library so that tests and benchmarks can reach
//! the runner without a process. [`run`] is all that `main` calls.

mod cli;
mod document;
mod mcp;
mod openai;
mod operation;
mod report;
mod terminal;
mod web;
mod wording;

use std::process::ExitCode;

/// Reads the arguments and the environment, does what is asked, and gives the
/// exit code.
pub fn run() -> ExitCode {
    engine::machine::process::keep_memory_private();
    let environment = engine::config::Environment::read();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers(&environment))
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => {
            let code = runtime.block_on(cli::run(environment));
            // A thread that still reads standard input must not keep the process.
            runtime.shutdown_background();
            code
        }
        Err(error) => {
            terminal::out::note(&format!("roundtable cannot start: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// The number of threads that hold debates. Where these are kept in a file, one processor is left
/// to the thread that writes it: the two hand each other work all the time, and one more thread
/// would only be woken in vain.
fn workers(environment: &engine::config::Environment) -> usize {
    let set = environment.get("TOKIO_WORKER_THREADS").and_then(|set| set.trim().parse().ok());
    if let Some(set) = set.filter(|set| *set > 0) {
        return set;
    }
    let processors = std::thread::available_parallelism().map_or(1, |number| number.get());
    let writers = usize::from(engine::config::keeps_file(environment));
    processors.saturating_sub(writers).max(1)
}

/// The HTTP stack of `roundtable serve` around another server, for the fixtures
/// that the protocol's conformance suite asks for.
#[doc(hidden)]
pub fn serving<H: rmcp::ServerHandler>(
    make: impl Fn() -> H + Send + Sync + 'static,
) -> axum::Router {
    mcp::serving(make)
}
