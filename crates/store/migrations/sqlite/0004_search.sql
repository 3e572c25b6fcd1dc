-- The words of every answer, for finding a debate by what was said in it. Made from
-- the log in the same commit; the index keeps no text of its own.
CREATE TABLE said (
    number    INTEGER NOT NULL PRIMARY KEY,
    debate_id TEXT    NOT NULL REFERENCES debates (id),
    seq       BIGINT  NOT NULL
);
CREATE INDEX said_in ON said (debate_id, seq);
CREATE VIRTUAL TABLE said_words
    USING fts5 (text, content = '', tokenize = 'unicode61 remove_diacritics 2');
-- What is deleted leaves no word behind.
INSERT INTO said_words (said_words, rank) VALUES ('secure-delete', 1);

INSERT INTO said (debate_id, seq)
    SELECT debate_id, seq FROM events WHERE kind = 'answered' ORDER BY debate_id, seq;
INSERT INTO said_words (rowid, text)
    SELECT s.number,
        json_extract(e.json, '$.turn.answer.position') || char(10) ||
        json_extract(e.json, '$.turn.answer.reasoning') || char(10) ||
        json_extract(e.json, '$.turn.answer.keyPoints')
    FROM said s JOIN events e ON e.debate_id = s.debate_id AND e.seq = s.seq
    WHERE json_valid(e.json);
