//! What the official conformance suite asks a server to have, on the same HTTP
//! stack as `roundtable serve`. It is run by the check and is no part of the
//! product.
//!
//!     cargo run -p roundtable --example conformance -- 127.0.0.1:8901
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout)]
#![allow(deprecated, reason = "clients of the older era still log and sample")]

mod asking;
mod fixtures;
mod running;
mod server;

use server::Fixture;

#[tokio::main]
async fn main() {
    let listen = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".into());
    let fixture = Fixture::default();
    let router = roundtable::serving(move || fixture.clone());
    let listener = tokio::net::TcpListener::bind(listen).await.unwrap();
    println!("listening on {}", listener.local_addr().unwrap());
    let app = router.into_make_service_with_connect_info::<std::net::SocketAddr>();
    axum::serve(listener, app).await.unwrap();
}
