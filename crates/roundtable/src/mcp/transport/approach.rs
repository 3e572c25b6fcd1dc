//! The way that requests take to this server: straight or through proxies, in the clear or with
//! TLS. A header that says who called is believed only if a trusted proxy wrote it.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use engine::config::ServerConfig;
use engine::error::EngineError;
use ipnet::IpNet;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

const FORWARDED_FOR: &str = "x-forwarded-for";
/// Set for every request that came with TLS, and for no other, once it is in.
pub const FORWARDED_PROTO: &str = "x-forwarded-proto";

#[derive(Clone, Default)]
pub struct Approach {
    pub tls: Option<TlsAcceptor>,
    proxies: Vec<IpNet>,
}

impl Approach {
    /// Reads `tls_cert`, `tls_key` and `trusted_proxies`.
    pub fn of(server: &ServerConfig) -> Result<Approach, EngineError> {
        let tls = match (&server.tls_cert, &server.tls_key) {
            (None, None) => None,
            (Some(certificate), Some(key)) => Some(acceptor(certificate, key)?),
            (Some(_), None) => {
                return Err(EngineError::input("tls_cert is set and tls_key is not"));
            }
            (None, Some(_)) => {
                return Err(EngineError::input("tls_key is set and tls_cert is not"));
            }
        };
        let proxies = server.trusted_proxies.iter().map(|text| network(text));
        Ok(Approach { tls, proxies: proxies.collect::<Result<_, _>>()? })
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.proxies.iter().any(|network| network.contains(&address.to_canonical()))
    }

    /// The caller of a request, and whether it came with TLS, which its headers say from here on.
    /// What a trusted proxy says counts: the last address of its list that is no trusted proxy is
    /// the caller's.
    pub fn caller(&self, peer: SocketAddr, headers: &mut HeaderMap) -> (SocketAddr, bool) {
        let said: Vec<String> = headers
            .get_all(FORWARDED_FOR)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(',').map(|one| one.trim().to_owned()))
            .collect();
        let secure = headers.get(FORWARDED_PROTO).is_some_and(|value| value == "https");
        headers.remove(FORWARDED_FOR);
        headers.remove(FORWARDED_PROTO);
        let is_trusted = self.trusts(peer.ip());
        let is_secure = self.tls.is_some() || (is_trusted && secure);
        if is_secure {
            headers.insert(FORWARDED_PROTO, HeaderValue::from_static("https"));
        }
        let mut caller = peer;
        let said = said.iter().rev().filter(|_| is_trusted);
        for address in said.map_while(|text| text.parse::<IpAddr>().ok()) {
            caller = SocketAddr::new(address, 0);
            if !self.trusts(address) {
                break;
            }
        }
        (caller, is_secure)
    }
}

/// Cookies that were set with TLS are sent with TLS alone.
pub fn secure_cookies(response: &mut Response) {
    let cookies: Vec<HeaderValue> =
        response.headers().get_all(header::SET_COOKIE).iter().cloned().collect();
    response.headers_mut().remove(header::SET_COOKIE);
    for cookie in cookies {
        let secured = cookie.to_str().ok().map(|text| format!("{text}; Secure"));
        let secured = secured.and_then(|text| HeaderValue::from_str(&text).ok());
        response.headers_mut().append(header::SET_COOKIE, secured.unwrap_or(cookie));
    }
}

/// An address alone, or a network such as 10.0.0.0/8.
fn network(text: &str) -> Result<IpNet, EngineError> {
    let address = || text.parse::<IpAddr>().map(IpNet::from);
    text.parse::<IpNet>().or_else(|_| address()).map_err(|_| {
        EngineError::input(format!(
            "trusted_proxies: {text:?} is neither an address nor a network such as 10.0.0.0/8"
        ))
    })
}

fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor, EngineError> {
    let wrong = |path: &Path, why: String| {
        EngineError::input(format!("{} cannot be used for TLS: {why}", path.display()))
    };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(|error| wrong(certificate, error.to_string()))?;
    if chain.is_empty() {
        return Err(wrong(certificate, "it holds no certificate".into()));
    }
    let secret =
        PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret))
        .map_err(|error| wrong(key, error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
