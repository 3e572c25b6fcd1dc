-- The people of a team. A name is never given twice, so that nobody inherits the debates of
-- somebody who left.
CREATE TABLE people (
    name        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    role        TEXT   NOT NULL,
    -- The most that their debates may cost per day and per month, in UTC; NULL: no limit.
    day_micro   BIGINT,
    month_micro BIGINT,
    created     BIGINT NOT NULL,
    removed     BIGINT
);

-- A token itself is never stored.
CREATE TABLE tokens (
    hash    BYTEA  NOT NULL PRIMARY KEY,
    person  TEXT COLLATE "C" NOT NULL REFERENCES people (name),
    name    TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    -- NULL: it does not expire.
    expires BIGINT,
    UNIQUE (person, name)
);

-- What operators did. Nothing here is ever changed or removed.
CREATE TABLE audit (
    number BIGINT NOT NULL PRIMARY KEY,
    at     BIGINT NOT NULL,
    who    TEXT   NOT NULL,
    did    TEXT   NOT NULL,
    about  TEXT   NOT NULL
);

-- NULL: a debate of the machine itself.
ALTER TABLE debates ADD COLUMN owner TEXT COLLATE "C";
ALTER TABLE debates ADD COLUMN shared BIGINT NOT NULL DEFAULT 0;
CREATE INDEX debates_of ON debates (owner, created, id) WHERE owner IS NOT NULL;
-- The owner of the debate, who pays.
ALTER TABLE calls ADD COLUMN owner TEXT COLLATE "C";
