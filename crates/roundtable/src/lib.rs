//! The binary's own rooms, as a library so that tests and benchmarks can reach
//! the runner without a process. [`run`] is all that `main` calls.

mod bench;
mod cli;
pub mod clock;
mod config;
mod mcp;
mod operations;
mod render;
pub mod runner;

use std::process::ExitCode;

/// Reads the arguments and the environment, does what is asked, and gives the
/// exit code.
pub fn run() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    match runtime {
        Ok(runtime) => {
            let code = runtime.block_on(cli::run(config::Environment::read()));
            // A thread that still reads standard input must not keep the process.
            runtime.shutdown_background();
            code
        }
        Err(error) => {
            render::out::note(&format!("roundtable cannot start: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// TEMPORARY
pub fn mcp_router<H: rmcp::ServerHandler>(
    make: impl Fn() -> H + Send + Sync + 'static,
) -> axum::Router {
    use rmcp::transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    };
    let config = StreamableHttpServerConfig::default().with_allowed_origins([
        "http://localhost:*",
        "http://127.0.0.1:*",
        "http://[::1]:*",
    ]);
    let service = StreamableHttpService::new(
        move || Ok(make()),
        std::sync::Arc::new(LocalSessionManager::default()),
        config,
    );
    axum::Router::new().nest_service("/mcp", service)
}
