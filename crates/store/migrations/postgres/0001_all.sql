-- The log is the debate; every other table can be made again from it or may be lost.
-- Ids, names and days are compared byte by byte, whatever language the server speaks.
CREATE TABLE debates (
    id             TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    -- A text that people gave may hold the byte 0, which the server's texts may not.
    topic          BYTEA  NOT NULL,
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
    -- The debate that this one comes after, if there is one.
    earlier        TEXT COLLATE "C",
    -- Lower-case topic, agents and project: what a search looks through.
    words          TEXT   NOT NULL,
    hash           BYTEA  NOT NULL
);
CREATE INDEX debates_newest ON debates (created, id, status, mode);
CREATE INDEX debates_by_status ON debates (status, created, id);
CREATE INDEX debates_after ON debates (earlier, id) WHERE earlier IS NOT NULL;

CREATE TABLE events (
    debate_id TEXT COLLATE "C" NOT NULL REFERENCES debates (id),
    seq       BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    kind      TEXT   NOT NULL,
    json      TEXT   NOT NULL,
    hash      BYTEA  NOT NULL,
    -- The words of an answer, for finding a debate by what was said in it.
    said      TSVECTOR,
    PRIMARY KEY (debate_id, seq)
);
CREATE INDEX events_said ON events USING gin (said);

-- The lease of every debate. The epoch only ever grows: it is the fence. `server_until`
-- is a moment of this server's clock, so that nodes whose clocks differ agree on it.
CREATE TABLE runs (
    debate_id   TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES debates (id),
    epoch       BIGINT NOT NULL,
    owner       TEXT,
    lease_until BIGINT NOT NULL,
    boot_until  BIGINT,
    server_until BIGINT
);

CREATE TABLE commands (
    debate_id TEXT COLLATE "C" NOT NULL REFERENCES debates (id),
    number    BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    kind      TEXT   NOT NULL,
    text      BYTEA  NOT NULL,
    handled   BIGINT NOT NULL,
    hash      BYTEA  NOT NULL,
    refusal   TEXT   NOT NULL DEFAULT '',
    PRIMARY KEY (debate_id, number)
);
CREATE INDEX commands_pending ON commands (debate_id, number) WHERE handled = 0;

CREATE TABLE parties (
    debate_id TEXT COLLATE "C" NOT NULL REFERENCES debates (id),
    party     TEXT NOT NULL,
    provider  TEXT NOT NULL,
    model     TEXT NOT NULL,
    PRIMARY KEY (debate_id, party)
);

-- Every call that was sent. It refers to no debate, since it outlives it.
CREATE TABLE calls (
    debate_id      TEXT COLLATE "C" NOT NULL,
    ask            TEXT   NOT NULL,
    attempt        BIGINT NOT NULL,
    day            BIGINT NOT NULL,
    provider       TEXT COLLATE "C" NOT NULL,
    model          TEXT COLLATE "C" NOT NULL,
    state          TEXT   NOT NULL,
    reserved_micro BIGINT,
    cost_micro     BIGINT,
    PRIMARY KEY (debate_id, ask, attempt)
);
CREATE INDEX calls_held ON calls (debate_id, ask) WHERE state = 'held';
CREATE INDEX calls_by_day ON calls (day);

CREATE TABLE accounts (
    name        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    bound_micro BIGINT NOT NULL
);

CREATE TABLE outcomes (
    debate_id TEXT COLLATE "C" NOT NULL,
    number    BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    kind      TEXT   NOT NULL,
    json      TEXT   NOT NULL,
    hash      BYTEA  NOT NULL,
    PRIMARY KEY (debate_id, number)
);
CREATE INDEX outcomes_in_order ON outcomes (at, debate_id, number);
