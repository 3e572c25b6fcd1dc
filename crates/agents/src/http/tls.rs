//! Certificates: a client that can be built on a machine without a store of
//! authorities, and the words for a certificate that was not accepted.

use std::error::Error;
use std::io;
use std::sync::{Arc, LazyLock};

use reqwest::{Client, ClientBuilder};
use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::{CertificateError, ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

/// A client, and whether this machine has authorities that vouch for servers.
pub(super) struct BuiltClient {
    pub client: Client,
    pub has_authorities: bool,
}

/// The authorities of this machine, read once for all clients of the process.
struct TrustedAuthorities {
    settings: Result<ClientConfig, rustls::Error>,
    are_there: bool,
}

static AUTHORITIES: LazyLock<TrustedAuthorities> = LazyLock::new(|| {
    let provider = CryptoProvider::get_default().cloned();
    let provider = provider.unwrap_or_else(|| Arc::new(aws_lc_rs::default_provider()));
    let verifier = Verifier::new(Arc::clone(&provider));
    let are_there = verifier.is_ok();
    let builder = ClientConfig::builder_with_provider(provider);
    let settings = builder.with_protocol_versions(rustls::ALL_VERSIONS).map(|builder| {
        let mut settings = match verifier {
            Ok(verifier) => {
                builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
            }
            Err(_) => builder.with_root_certificates(RootCertStore::empty()),
        }
        .with_no_client_auth();
        settings.alpn_protocols = vec![b"http/1.1".to_vec()];
        settings
    });
    TrustedAuthorities { settings, are_there }
});

/// Builds a client. Without a store of authorities it trusts no certificate and
/// still speaks to servers without one.
pub(super) fn build(builder: ClientBuilder) -> reqwest::Result<BuiltClient> {
    let has_authorities = AUTHORITIES.are_there;
    let builder = match AUTHORITIES.settings.clone() {
        Ok(mut settings) => {
            // No client sees the sessions of another one.
            settings.resumption = Resumption::default();
            builder.tls_backend_preconfigured(settings)
        }
        Err(_) => builder.tls_certs_only([]),
    };
    Ok(BuiltClient { client: builder.build()?, has_authorities })
}

/// The reason why a server's certificate is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CertificateFault {
    #[error("this machine has no certificates of authorities, so that no server can be trusted")]
    NoAuthorities,
    #[error("its certificate has expired")]
    Expired,
    #[error("its certificate is not valid yet")]
    NotValidYet,
    #[error("its certificate is for another name")]
    OtherName,
    #[error("its certificate comes from an unknown authority")]
    UnknownAuthority,
    #[error("its certificate was revoked")]
    Revoked,
    #[error("its certificate is not valid")]
    Invalid,
}

impl CertificateFault {
    /// Returns the fault of the certificate, if that is what broke a connection.
    pub(super) fn of(error: &reqwest::Error, has_authorities: bool) -> Option<CertificateFault> {
        let fault = match tls_error(error)? {
            rustls::Error::InvalidCertificate(fault) => CertificateFault::named(fault),
            rustls::Error::NoCertificatesPresented => CertificateFault::Invalid,
            _ => return None,
        };
        Some(if has_authorities { fault } else { CertificateFault::NoAuthorities })
    }

    fn named(error: &CertificateError) -> CertificateFault {
        match error {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                CertificateFault::Expired
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                CertificateFault::NotValidYet
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                CertificateFault::OtherName
            }
            CertificateError::UnknownIssuer => CertificateFault::UnknownAuthority,
            CertificateError::Revoked => CertificateFault::Revoked,
            _ => CertificateFault::Invalid,
        }
    }

    /// The advice that goes with the fault.
    pub fn advice(self) -> &'static str {
        match self {
            CertificateFault::NoAuthorities => {
                "Install the system's CA certificates (ca-certificates), or set SSL_CERT_FILE"
            }
            CertificateFault::Expired | CertificateFault::NotValidYet => {
                "Check this machine's clock, or have the server's certificate renewed"
            }
            CertificateFault::OtherName => "Correct the base URL",
            CertificateFault::UnknownAuthority => {
                "Set SSL_CERT_FILE to the authority's certificate if you trust it"
            }
            CertificateFault::Revoked | CertificateFault::Invalid => {
                "Have the server's certificate replaced"
            }
        }
    }
}

/// Finds the TLS library's own error below the client's.
fn tls_error(error: &reqwest::Error) -> Option<&rustls::Error> {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(one) = next {
        if let Some(found) = one.downcast_ref::<rustls::Error>() {
            return Some(found);
        }
        let wrapped = one.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match wrapped {
            Some(inner) => Some(inner),
            None => one.source(),
        };
    }
    None
}
