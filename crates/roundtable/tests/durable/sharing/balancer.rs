//! A plain TCP balancer: each connection goes to the next node that takes it. It knows nothing
//! about the nodes, so it also sends connections to one that stands still.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

pub struct Balancer {
    pub address: String,
    nodes: Arc<Mutex<Vec<String>>>,
}

impl Balancer {
    pub async fn before(nodes: Vec<String>) -> Balancer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let nodes = Arc::new(Mutex::new(nodes));
        let (known, next) = (Arc::clone(&nodes), Arc::new(AtomicUsize::new(0)));
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let (known, next) = (Arc::clone(&known), Arc::clone(&next));
                tokio::spawn(async move {
                    let all = known.lock().unwrap().clone();
                    for _ in 0..all.len() {
                        let node = &all[next.fetch_add(1, Ordering::Relaxed) % all.len()];
                        if let Ok(mut far) = TcpStream::connect(node).await {
                            let _ = copy_bidirectional(&mut near, &mut far).await;
                            return;
                        }
                    }
                });
            }
        });
        Balancer { address, nodes }
    }

    /// A node that was started again has another address.
    pub fn moved(&self, node: usize, address: &str) {
        address.clone_into(&mut self.nodes.lock().unwrap()[node]);
    }
}
