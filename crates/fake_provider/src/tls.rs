//! A server with a certificate of an authority that no machine knows, valid for
//! 127.0.0.1 alone. It answers every request with 404.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The authority that vouches for the server.
pub const AUTHORITY: &str = include_str!("../certificates/authority.pem");
/// An authority that does not.
pub const OTHER_AUTHORITY: &str = include_str!("../certificates/other-authority.pem");
/// The certificate of the server, and its key.
pub const CERTIFICATE: &str = include_str!("../certificates/server.pem");
pub const KEY: &str = include_str!("../certificates/server.key");

/// A running server; it ends when it is dropped.
#[derive(Debug)]
pub struct TlsServer {
    port: u16,
    serving: JoinHandle<()>,
}

impl TlsServer {
    /// Starts it on a free port of 127.0.0.1.
    pub async fn start() -> io::Result<TlsServer> {
        let certificate = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes());
        let key = PrivateKeyDer::from_pem_slice(KEY.as_bytes());
        let certificate = certificate.map_err(io::Error::other)?;
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key.map_err(io::Error::other)?)
            .map_err(io::Error::other)?;
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(mut stream) = acceptor.accept(stream).await else { return };
                    let mut request = [0; 4096];
                    let _ = stream.read(&mut request).await;
                    let answer = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
                    let _ = stream.write_all(answer).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        Ok(TlsServer { port, serving })
    }

    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
