-- Who speaks for whom in a debate, as its opening says: seats `s0`, `s1`, …, the
-- `clerk`, and the agents `a0`, `a1`, … that seats may be given to later.
CREATE TABLE parties (
    debate_id TEXT NOT NULL REFERENCES debates (id),
    party     TEXT NOT NULL,
    provider  TEXT NOT NULL,
    model     TEXT NOT NULL,
    PRIMARY KEY (debate_id, party)
);

-- Every call that was sent: what was set aside for it before, and what it came to.
-- It refers to no debate, since it outlives it: deleting one gives no money back.
CREATE TABLE calls (
    debate_id      TEXT   NOT NULL,
    ask            TEXT   NOT NULL,
    attempt        BIGINT NOT NULL,
    -- Days since 1970, UTC, of the moment it was sent.
    day            BIGINT NOT NULL,
    provider       TEXT   NOT NULL,
    model          TEXT   NOT NULL,
    -- held, settled, or possible: nobody knows whether it was billed.
    state          TEXT   NOT NULL,
    -- NULL where the price is not known.
    reserved_micro BIGINT,
    cost_micro     BIGINT,
    PRIMARY KEY (debate_id, ask, attempt)
);
CREATE INDEX calls_held ON calls (debate_id, ask) WHERE state = 'held';
CREATE INDEX calls_by_day ON calls (day);

-- What is spent, held or possibly billed, per debate and per day: the figure a
-- budget is compared with. It is the sum over `calls`, kept so that it need not be
-- added up before every call.
CREATE TABLE accounts (
    name        TEXT   NOT NULL PRIMARY KEY,
    bound_micro BIGINT NOT NULL
);

-- Why a command was not obeyed; empty where it was.
ALTER TABLE commands ADD COLUMN refusal TEXT NOT NULL DEFAULT '';
