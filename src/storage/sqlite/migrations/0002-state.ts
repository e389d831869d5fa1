// Small values by key: breaker, attempts, approvals, roundtables. `version` counts the writes; a writer names the
// version it has read. `state_removed` holds the highest removed version: a new value starts above it, so that it differs from
// the removed value.

export const state = `
  CREATE TABLE state (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    version INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE state_removed (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
  ) STRICT;
  INSERT INTO state_removed VALUES (1, 0);
`
