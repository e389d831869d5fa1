// The id and the age of the database: they distinguish a copy of another database and a new database.
// `anchored` says that anchors of its chain exist. The age of an older database is that of its first record.

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
