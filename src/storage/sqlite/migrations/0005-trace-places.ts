// Where records are found. An index entry per record cost more than the record itself, so records are now gathered a part
// at a time: for each class, and each hook and session with a class, the places in a part of 256 numbers as a list.
// `trace_settled` is the last record that is in there, and in the counters; what came after it is looked at one by one.

export const tracePlaces = `
  CREATE TABLE trace_place (
    kind TEXT NOT NULL CHECK (kind IN ('class', 'hook', 'session')),
    name TEXT NOT NULL,
    class INTEGER NOT NULL,
    part INTEGER NOT NULL,
    places TEXT NOT NULL,
    PRIMARY KEY (kind, name, class, part)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO trace_place
    SELECT 'class', '', class, seq >> 8, json_group_array(seq & 255)
    FROM trace INDEXED BY trace_by_class GROUP BY class, seq >> 8;
  INSERT INTO trace_place
    SELECT 'hook', hook, class, seq >> 8, json_group_array(seq & 255)
    FROM trace INDEXED BY trace_by_hook WHERE hook IS NOT NULL GROUP BY hook, class, seq >> 8;
  INSERT INTO trace_place
    SELECT 'session', session, class, seq >> 8, json_group_array(seq & 255)
    FROM trace INDEXED BY trace_by_session WHERE session IS NOT NULL GROUP BY session, class, seq >> 8;

  CREATE TABLE trace_id (
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (id, seq)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO trace_id SELECT id, seq FROM trace INDEXED BY trace_by_id WHERE id IS NOT NULL ORDER BY id, seq;

  CREATE TABLE trace_settled (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL
  ) STRICT;
  INSERT INTO trace_settled VALUES (1, coalesce((SELECT seq FROM trace_end WHERE name = 'head'), 0));

  DROP INDEX trace_by_class;
  DROP INDEX trace_by_session;
  DROP INDEX trace_by_hook;
  DROP INDEX trace_by_id;
`
