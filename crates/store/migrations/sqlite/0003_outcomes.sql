-- How decisions turned out, one record after the other: entries, dates to ask on,
-- post-mortems, lessons from elsewhere, and the undoing of any of these. Nothing is
-- ever changed or removed. It refers to no debate, since it outlives it.
CREATE TABLE outcomes (
    debate_id TEXT   NOT NULL,
    -- Counted from 1 within the debate.
    number    BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    kind      TEXT   NOT NULL,
    json      TEXT   NOT NULL,
    hash      BLOB   NOT NULL,
    PRIMARY KEY (debate_id, number)
);
CREATE INDEX outcomes_in_order ON outcomes (at, debate_id, number);
