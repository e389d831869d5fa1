// The trace: records in a chain, its two ends, and the counters.
// `class` combines kind, component, action and decision: a filter on these is a short list of classes, each of which an index
// returns in order. `clock` never goes back, so a time is found by binary search.

export const trace = `
  CREATE TABLE trace_class (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    component TEXT NOT NULL,
    action TEXT NOT NULL,
    decision TEXT NOT NULL,
    UNIQUE (kind, component, action, decision)
  ) STRICT;

  CREATE TABLE trace (
    seq INTEGER PRIMARY KEY,
    class INTEGER NOT NULL,
    step INTEGER,
    id TEXT,
    time INTEGER NOT NULL,
    clock INTEGER NOT NULL,
    session TEXT,
    hook TEXT,
    hash TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX trace_by_class ON trace (class);
  CREATE INDEX trace_by_session ON trace (session, class, seq, hook) WHERE session IS NOT NULL;
  CREATE INDEX trace_by_hook ON trace (hook, class) WHERE hook IS NOT NULL;
  CREATE INDEX trace_by_id ON trace (id) WHERE id IS NOT NULL;

  CREATE TABLE trace_end (
    name TEXT PRIMARY KEY CHECK (name IN ('cut', 'head')),
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    clock INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO trace_end VALUES
    ('cut', 0, '0000000000000000000000000000000000000000000000000000000000000000', 0, 0),
    ('head', 0, '0000000000000000000000000000000000000000000000000000000000000000', 0, 0);

  CREATE TABLE trace_counter (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (scope, key, name)
  ) STRICT, WITHOUT ROWID;
`
