//! The two eras of the protocol: clients that begin with `initialize`, and those that
//! send everything with each request.

use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;

/// The era of the protocol that the client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtocolEra {
    /// With `initialize`; the server may ask the client while a call runs.
    Legacy,
    /// Every request stands alone; a question to the client is part of the result,
    /// and the client calls again with the answer.
    Modern,
}

impl ProtocolEra {
    pub fn of(context: &RequestContext<RoleServer>) -> ProtocolEra {
        match context.protocol_version() {
            Some(version) if version.as_str() >= ProtocolVersion::V_2026_07_28.as_str() => {
                ProtocolEra::Modern
            }
            _ => ProtocolEra::Legacy,
        }
    }
}
