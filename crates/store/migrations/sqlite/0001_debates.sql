-- The log is the debate; every other table can be made again from it or may be lost.
CREATE TABLE debates (
    id             TEXT   NOT NULL PRIMARY KEY,
    topic          TEXT   NOT NULL,
    mode           TEXT   NOT NULL,
    agents         TEXT   NOT NULL,
    status         TEXT   NOT NULL,
    rounds         BIGINT NOT NULL,
    rounds_done    BIGINT NOT NULL,
    cost_micro     BIGINT NOT NULL,
    unpriced_calls BIGINT NOT NULL,
    created        BIGINT NOT NULL,
    updated        BIGINT NOT NULL,
    last_seq       BIGINT NOT NULL,
    -- Lower-case topic, agents and project: what a search looks through.
    words          TEXT   NOT NULL,
    hash           BLOB   NOT NULL
);
-- Status and mode are in it so that a filter need not visit every row.
CREATE INDEX debates_newest ON debates (created, id, status, mode);
CREATE INDEX debates_by_status ON debates (status, created, id);

CREATE TABLE events (
    debate_id TEXT   NOT NULL REFERENCES debates (id),
    seq       BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    kind      TEXT   NOT NULL,
    json      TEXT   NOT NULL,
    hash      BLOB   NOT NULL,
    PRIMARY KEY (debate_id, seq)
);

-- Who runs a debate. The epoch only ever grows: it is the fence.
CREATE TABLE runs (
    debate_id   TEXT   NOT NULL PRIMARY KEY REFERENCES debates (id),
    epoch       BIGINT NOT NULL,
    owner       TEXT,
    lease_until BIGINT NOT NULL
);

-- What people asked of a running debate, from any process.
CREATE TABLE commands (
    debate_id TEXT   NOT NULL REFERENCES debates (id),
    number    BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    kind      TEXT   NOT NULL,
    text      TEXT   NOT NULL,
    handled   BIGINT NOT NULL,
    hash      BLOB   NOT NULL,
    PRIMARY KEY (debate_id, number)
);
CREATE INDEX commands_pending ON commands (debate_id, number) WHERE handled = 0;
