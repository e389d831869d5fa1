// Tasks with their history, and messages between agents. `body` is the whole task; the columns beside it are what is
// looked for. `bus_interest` says who listens to what, and until when that holds unless renewed.

export const tasks = `
  CREATE TABLE task (
    id TEXT PRIMARY KEY,
    delegator TEXT NOT NULL,
    assignee TEXT NOT NULL,
    status TEXT NOT NULL
      CHECK (status IN ('created', 'assigned', 'working', 'input-required', 'completed', 'failed', 'cancelled')),
    version INTEGER NOT NULL,
    lease_until INTEGER,
    ended INTEGER,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX task_by_delegator ON task (delegator);
  CREATE INDEX task_by_assignee ON task (assignee, status);
  CREATE INDEX task_by_status ON task (status);
  CREATE INDEX task_by_lease ON task (lease_until) WHERE lease_until IS NOT NULL;
  CREATE INDEX task_by_end ON task (ended) WHERE ended IS NOT NULL;

  CREATE TABLE task_record (
    task TEXT NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (task, version)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE bus_message (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL,
    reply TEXT,
    at INTEGER NOT NULL,
    data TEXT NOT NULL
  ) STRICT;
  CREATE INDEX bus_message_by_time ON bus_message (at);

  CREATE TABLE bus_interest (
    id TEXT PRIMARY KEY,
    pattern TEXT NOT NULL,
    until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`
