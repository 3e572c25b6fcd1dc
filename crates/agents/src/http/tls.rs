//! Certificates: a client that can be built on a machine without a store of
//! authorities, and the words for a certificate that was not accepted.

use std::error::Error;
use std::io;

use reqwest::{Client, ClientBuilder};
use rustls::CertificateError;

/// A client, and whether this machine has authorities that vouch for servers.
pub(super) struct BuiltClient {
    pub client: Client,
    pub has_authorities: bool,
}

/// Builds a client. Without a store of authorities it trusts no certificate and
/// still speaks to servers without one.
pub(super) fn build(
    make: impl Fn() -> reqwest::Result<ClientBuilder>,
) -> reqwest::Result<BuiltClient> {
    match make()?.build() {
        Ok(client) => Ok(BuiltClient { client, has_authorities: true }),
        Err(_) => {
            let client = make()?.tls_certs_only([]).build()?;
            Ok(BuiltClient { client, has_authorities: false })
        }
    }
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
