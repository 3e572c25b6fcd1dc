-- The input tokens of a call, and those of them that came from the provider's cache.
ALTER TABLE calls ADD COLUMN input_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN cached_tokens BIGINT NOT NULL DEFAULT 0;
