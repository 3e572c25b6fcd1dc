//! Everything that sends bytes: to models (`provider`), to other APIs that take
//! a key ([`json`]), and to foreign pages, always without a key ([`web`]). When
//! to send again is decided in [`retry`], [`breaker`] and `accounts`.

pub(crate) mod accounts;
pub mod breaker;
pub(crate) mod failure;
pub mod guard;
pub mod json;
mod provider;
pub mod response;
pub mod retry;
pub(crate) mod silence;
mod tls;
pub mod web;

pub(crate) use provider::Glance;
pub use provider::{Http, HttpError, HttpSettings, Timeouts};
pub use tls::CertificateFault;
