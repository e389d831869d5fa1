// Which database this is and since when: a copy of another one, or one that was started anew, is told apart by it.
// `anchored` says that ends of its chain were noted outside of it. The age of an older database is that of its first record.

export const databaseOrigin = `
  CREATE TABLE database_origin (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL,
    created INTEGER NOT NULL,
    anchored INTEGER NOT NULL
  ) STRICT;
  INSERT INTO database_origin VALUES (
    1,
    lower(hex(randomblob(16))),
    CASE WHEN (SELECT seq FROM trace_end WHERE name = 'cut') > 0 THEN 0
      ELSE coalesce((SELECT clock FROM trace ORDER BY seq LIMIT 1), CAST(unixepoch('subsec') * 1000 AS INTEGER)) END,
    0
  );
`
