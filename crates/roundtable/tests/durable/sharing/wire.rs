//! A wire between a node and its database, which can be cut and made slow.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

pub struct Wire {
    /// The address of the database at the near end.
    pub address: String,
    state: Arc<WireState>,
}

#[derive(Default)]
struct WireState {
    is_cut: AtomicBool,
    /// The milliseconds that every piece is held back.
    delay: AtomicU64,
}

impl Wire {
    pub async fn to(server: &str) -> Wire {
        let (before, after) = server.split_once('@').unwrap();
        let (target, rest) = after.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("{before}@{}/{rest}", listener.local_addr().unwrap());
        let (state, target) = (Arc::<WireState>::default(), target.to_owned());
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let (state, target) = (Arc::clone(&shared), target.clone());
                tokio::spawn(async move {
                    if state.is_cut.load(Ordering::Relaxed) {
                        return;
                    }
                    if let Ok(far) = TcpStream::connect(target).await {
                        join(near, far, &state).await;
                    }
                });
            }
        });
        Wire { address, state }
    }

    /// Cuts the wire, with everything that is on it, or mends it.
    pub fn cut(&self, is_cut: bool) {
        self.state.is_cut.store(is_cut, Ordering::Relaxed);
    }

    pub fn slow(&self, delay: Duration) {
        let milliseconds = u64::try_from(delay.as_millis()).unwrap();
        self.state.delay.store(milliseconds, Ordering::Relaxed);
    }
}

async fn join(near: TcpStream, far: TcpStream, state: &WireState) {
    let (near_out, near_in) = near.into_split();
    let (far_out, far_in) = far.into_split();
    let until_cut = async {
        while !state.is_cut.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        () = pump(near_out, far_in, state) => {}
        () = pump(far_out, near_in, state) => {}
        () = until_cut => {}
    }
}

async fn pump(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    state: &WireState,
) {
    let mut piece = vec![0; 64 * 1024];
    loop {
        let length = from.read(&mut piece).await.unwrap_or(0);
        let delay = state.delay.load(Ordering::Relaxed);
        if delay > 0 {
            tokio::time::sleep(Duration::from_millis(delay)).await;
        }
        if length == 0 || to.write_all(&piece[..length]).await.is_err() {
            return;
        }
    }
}
