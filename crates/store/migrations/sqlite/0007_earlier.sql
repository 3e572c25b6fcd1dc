-- The debate that this one comes after, if there is one.
ALTER TABLE debates ADD COLUMN earlier TEXT;
CREATE INDEX debates_after ON debates (earlier, id) WHERE earlier IS NOT NULL;
