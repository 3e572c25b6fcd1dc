//! The vendors' own wording of the errors of `faults`, if it differs from the
//! usual wording of chat completions.

use crate::shapes::Wire;

/// Fault, wire, status, body. The name also covers every fault that begins with
/// it and an underscore: `rate` stands for every `rate_…`.
pub type VendorWording = (&'static str, Wire, u16, &'static str);

#[rustfmt::skip]
pub const WORDINGS: &[VendorWording] = &[
    ("rate", Wire::Messages, 429,
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit."},"request_id":"req_1"}"#),
    ("quota_code", Wire::Messages, 429,
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"Monthly limit reached.","details":{"error_code":"enforced_spend_limit_reached"}},"request_id":"req_1"}"#),
    ("quota_credit", Wire::Messages, 402,
        r#"{"type":"error","error":{"type":"billing_error","message":"There is an issue with your billing."}}"#),
    ("quota_words", Wire::Messages, 400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}"#),
    ("spend_limit", Wire::Messages, 400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API spend limit."}}"#),
    ("bad_key", Wire::Messages, 401,
        r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key: sk-canary-1234567890"}}"#),
    ("forbidden", Wire::Messages, 403,
        r#"{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission to use the specified resource."}}"#),
    ("no_model", Wire::Messages, 404,
        r#"{"type":"error","error":{"type":"not_found_error","message":"model: fault"}}"#),
    ("too_large", Wire::Messages, 413,
        r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum allowed number of bytes."}}"#),
    ("context_length", Wire::Messages, 400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 1210000 tokens > 1000000 maximum"}}"#),
    ("context_words", Wire::Messages, 400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 990000 + 20000 > 1000000"}}"#),
    ("bad_request", Wire::Messages, 400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages: Field required"}}"#),
    ("filtered_400", Wire::Messages, 400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}"#),
    ("server_error", Wire::Messages, 500,
        r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#),
    ("gateway_timeout", Wire::Messages, 504,
        r#"{"type":"error","error":{"type":"timeout_error","message":"Request timed out."}}"#),
    ("error_body", Wire::Messages, 200,
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"Too many."}}"#),

    ("rate", Wire::Gemini, 429,
        r#"{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED"}}"#),
    ("rate_body", Wire::Gemini, 429,
        r#"{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0.2s"}]}}"#),
    ("quota_code", Wire::Gemini, 429,
        r#"{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1s"}]}}"#),
    ("bad_key", Wire::Gemini, 400,
        r#"{"error":{"code":400,"message":"API key not valid: sk-canary-1234567890. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}"#),
    ("forbidden", Wire::Gemini, 403,
        r#"{"error":{"code":403,"message":"Your API key was reported as leaked.","status":"PERMISSION_DENIED"}}"#),
    ("no_model", Wire::Gemini, 404,
        r#"{"error":{"code":404,"message":"models/fault is not found for API version v1beta.","status":"NOT_FOUND"}}"#),
    ("context_length", Wire::Gemini, 400,
        r#"{"error":{"code":400,"message":"The input token count (5000000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#),
    ("bad_request", Wire::Gemini, 400,
        r#"{"error":{"code":400,"message":"Invalid JSON payload received.","status":"INVALID_ARGUMENT"}}"#),
    ("server_error", Wire::Gemini, 500,
        r#"{"error":{"code":500,"message":"An internal error has occurred.","status":"INTERNAL"}}"#),
    ("unavailable", Wire::Gemini, 503,
        r#"{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}"#),
    ("gateway_timeout", Wire::Gemini, 504,
        r#"{"error":{"code":504,"message":"Deadline expired before operation could complete.","status":"DEADLINE_EXCEEDED"}}"#),
    ("error_body", Wire::Gemini, 200,
        r#"[{"error":{"code":429,"message":"Resource has been exhausted.","status":"RESOURCE_EXHAUSTED"}}]"#),

    ("no_credit", Wire::Agent, 402,
        r#"{"error":{"message":"You have insufficient credits.","type":"insufficient_credits","code":"402"}}"#),
    ("bad_key", Wire::Agent, 401,
        r#"{"error":{"message":"Invalid API key provided: sk-canary-1234567890","type":"invalid_api_key","code":"401"}}"#),
];

/// Returns the vendor's own wording: the exact fault before its family.
pub fn wording(fault: &str, wire: Wire) -> Option<(u16, &'static str)> {
    let on_wire = || WORDINGS.iter().filter(move |row| row.1 == wire);
    let exact = on_wire().find(|row| row.0 == fault);
    let family = || {
        on_wire().find(|row| fault.strip_prefix(row.0).is_some_and(|rest| rest.starts_with('_')))
    };
    // These faults must have a plain body.
    if fault == "rate_plain" || fault == "error_body_unknown" {
        return None;
    }
    exact.or_else(family).map(|row| (row.2, row.3))
}
