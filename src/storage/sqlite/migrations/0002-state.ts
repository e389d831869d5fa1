// Small values by key: breaker, attempts, approvals, roundtables. `version` counts the writes; who writes says which
// one it has seen. `state_removed` holds the highest version that was ever removed: a value made anew begins above it,
// so that nobody takes it for the one that was there before.

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
