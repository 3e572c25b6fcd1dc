//! The icon of the server, and how long a client may keep what never changes.

use rmcp::model::Icon;

/// The time to keep lists that only a new version changes.
pub const LONG_MS: u64 = 3_600_000;

/// The icon of the server: a table with four seats, seen from above. It is in
/// base64 because an address cannot contain characters such as `<`.
pub fn icons() -> Vec<Icon> {
    vec![
        Icon::new(concat!(
            "data:image/svg+xml;base64,",
            "PHN2ZyB4bWxucz0naHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmcnIHZpZXdCb3g9JzAgMCA0OCA0",
            "OCc+PGNpcmNsZSBjeD0nMjQnIGN5PScyNCcgcj0nMTInIGZpbGw9J25vbmUnIHN0cm9rZT0nIzI3",
            "Nycgc3Ryb2tlLXdpZHRoPSc0Jy8+PGcgZmlsbD0nI2M2Mic+PGNpcmNsZSBjeD0nMjQnIGN5PSc1",
            "JyByPSc0Jy8+PGNpcmNsZSBjeD0nNDMnIGN5PScyNCcgcj0nNCcvPjxjaXJjbGUgY3g9JzI0JyBj",
            "eT0nNDMnIHI9JzQnLz48Y2lyY2xlIGN4PSc1JyBjeT0nMjQnIHI9JzQnLz48L2c+PC9zdmc+"
        ))
        .with_mime_type("image/svg+xml")
        .with_sizes(vec!["any".into()]),
    ]
}
