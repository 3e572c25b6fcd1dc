//! What is promised about schemas, seals and what a client gives up.
