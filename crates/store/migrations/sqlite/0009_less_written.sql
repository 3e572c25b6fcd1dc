-- A commit writes fewer pages where a row is found by the key of its own tree. An entry of a log
-- lies at its debate's number and its own, which is one number; the other tables that are found by
-- their key alone lie in the tree of that key.
ALTER TABLE debates ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
UPDATE debates SET number = rowid;
CREATE UNIQUE INDEX debates_by_number ON debates (number);

CREATE TABLE events_anew (
    -- The number of the debate in the upper half, that of the entry in the lower.
    place INTEGER NOT NULL PRIMARY KEY,
    at    BIGINT  NOT NULL,
    kind  TEXT    NOT NULL,
    -- The text, or the bytes of a compressed one (`packing.rs`).
    json  TEXT    NOT NULL,
    hash  BLOB    NOT NULL
);
-- In this order nothing has to be sorted, whatever is stored.
INSERT INTO events_anew
    SELECT (d.number << 32) | e.seq, e.at, e.kind, e.json, e.hash
    FROM debates d CROSS JOIN events e ON e.debate_id = d.id ORDER BY d.number, e.seq;
-- An entry that was not found by its index or whose debate is gone is not to be lost: the row
-- without a kind is refused, and with it the migration.
INSERT INTO events_anew SELECT 0, 0, NULL, '', ''
    WHERE (SELECT COUNT(*) FROM events NOT INDEXED) <> (SELECT COUNT(*) FROM events_anew);
DROP TABLE events;
ALTER TABLE events_anew RENAME TO events;

-- These are read from the tables themselves: an index that lacks a row would lose it.
CREATE TABLE calls_anew (
    debate_id      TEXT   NOT NULL,
    ask            TEXT   NOT NULL,
    attempt        BIGINT NOT NULL,
    day            BIGINT NOT NULL,
    provider       TEXT   NOT NULL,
    model          TEXT   NOT NULL,
    state          TEXT   NOT NULL,
    reserved_micro BIGINT,
    cost_micro     BIGINT,
    input_tokens   BIGINT NOT NULL DEFAULT 0,
    cached_tokens  BIGINT NOT NULL DEFAULT 0,
    owner          TEXT,
    PRIMARY KEY (debate_id, ask, attempt)
) WITHOUT ROWID;
INSERT INTO calls_anew
    SELECT debate_id, ask, attempt, day, provider, model, state, reserved_micro, cost_micro,
        input_tokens, cached_tokens, owner
    FROM calls NOT INDEXED ORDER BY debate_id, ask, attempt;
DROP TABLE calls;
ALTER TABLE calls_anew RENAME TO calls;

CREATE TABLE parties_anew (
    debate_id TEXT NOT NULL,
    party     TEXT NOT NULL,
    provider  TEXT NOT NULL,
    model     TEXT NOT NULL,
    PRIMARY KEY (debate_id, party)
) WITHOUT ROWID;
INSERT INTO parties_anew
    SELECT debate_id, party, provider, model FROM parties NOT INDEXED ORDER BY debate_id, party;
DROP TABLE parties;
ALTER TABLE parties_anew RENAME TO parties;

CREATE TABLE accounts_anew (
    name        TEXT   NOT NULL PRIMARY KEY,
    bound_micro BIGINT NOT NULL
) WITHOUT ROWID;
INSERT INTO accounts_anew SELECT name, bound_micro FROM accounts NOT INDEXED ORDER BY name;
DROP TABLE accounts;
ALTER TABLE accounts_anew RENAME TO accounts;

CREATE TABLE runs_anew (
    debate_id   TEXT   NOT NULL PRIMARY KEY REFERENCES debates (id),
    epoch       BIGINT NOT NULL,
    owner       TEXT,
    lease_until BIGINT NOT NULL,
    boot_until  BIGINT
) WITHOUT ROWID;
INSERT INTO runs_anew
    SELECT debate_id, epoch, owner, lease_until, boot_until FROM runs NOT INDEXED ORDER BY debate_id;
DROP TABLE runs;
ALTER TABLE runs_anew RENAME TO runs;
-- Debates that somebody runs: what their calls hold is looked up when a budget is short.
CREATE INDEX runs_held ON runs (debate_id) WHERE owner IS NOT NULL;

-- Debates whose words are yet to be indexed, many at once.
CREATE TABLE words_waiting (
    debate_id TEXT NOT NULL PRIMARY KEY REFERENCES debates (id)
) WITHOUT ROWID;
