//! Refusals in the API's own form.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine::error::EngineError;
use serde_json::{Value, json};

use crate::web;

/// A request that is not answered, and why.
#[derive(Debug, Clone)]
pub struct ApiRefusal {
    pub status: StatusCode,
    pub message: String,
    /// The parameter at fault.
    pub param: Option<String>,
    pub code: Option<&'static str>,
    pub retry_seconds: Option<u64>,
}

impl ApiRefusal {
    /// A fault of the request.
    pub fn bad(param: &str, code: &'static str, message: impl Into<String>) -> ApiRefusal {
        let param = Some(param.to_owned()).filter(|param| !param.is_empty());
        ApiRefusal {
            status: StatusCode::BAD_REQUEST,
            message: message.into(),
            param,
            code: Some(code),
            retry_seconds: None,
        }
    }

    /// The error as it stands in an answer or in a stream.
    pub fn body(&self) -> Value {
        let kind = match self.status {
            StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
            status if status.is_server_error() => "server_error",
            _ => "invalid_request_error",
        };
        json!({ "error": {
            "message": self.message, "type": kind, "param": self.param, "code": self.code,
        } })
    }
}

impl From<EngineError> for ApiRefusal {
    fn from(error: EngineError) -> ApiRefusal {
        let message = web::problem_lines(&error).join("\n");
        let (status, code, retry_seconds) = match &error {
            EngineError::Busy { retry_seconds, .. } => {
                (StatusCode::TOO_MANY_REQUESTS, Some("rate_limit_exceeded"), Some(*retry_seconds))
            }
            error if error.is_input() => (StatusCode::BAD_REQUEST, None, None),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, None, None),
        };
        ApiRefusal { status, message, param: None, code, retry_seconds }
    }
}

impl IntoResponse for ApiRefusal {
    fn into_response(self) -> Response {
        let kind = [(header::CONTENT_TYPE, "application/json")];
        let mut response = (self.status, kind, self.body().to_string()).into_response();
        if let Some(seconds) = self.retry_seconds {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// A refusal of the door: a wrong token, too many requests.
pub fn refusal(status: StatusCode, text: &str) -> Response {
    let code = (status == StatusCode::UNAUTHORIZED).then_some("invalid_api_key");
    let message = match code {
        Some(_) => "Incorrect API key provided. Send the server's token as the API key.".into(),
        None => text.to_owned(),
    };
    ApiRefusal { status, message, param: None, code, retry_seconds: None }.into_response()
}
