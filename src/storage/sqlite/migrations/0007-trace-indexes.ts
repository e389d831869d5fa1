// Records with plain columns and SQLite's own indexes, instead of classes and lists of positions. Partial indexes omit
// the values of most records: scanning from the end finds those. Column order: the body is last, because a long body
// is in overflow pages, which a filter must not have to read.

export const traceIndexes = `
  -- The counters lack the records that were not in the lists yet.
  INSERT INTO trace_counter (scope, key, name, count)
    WITH tail AS (
      SELECT kind, action, coalesce(hook, '') AS hook,
        coalesce(strftime('%Y-%m-%dT%H:00:00.000Z', time / 1000, 'unixepoch'), '9999-12-31T23:00:00.000Z') AS hour,
        CASE WHEN action = 'hook:skip' THEN 'skip' WHEN decision = '' THEN 'pass' ELSE decision END AS result
      FROM trace JOIN trace_class ON trace_class.id = trace.class
      WHERE seq > (SELECT seq FROM trace_settled)
    ),
    evaluation AS (
      SELECT hook, hour, result FROM tail WHERE kind = 'evaluation'
      UNION ALL SELECT hook, hour, 'error' FROM tail WHERE kind = 'evaluation' AND action = 'hook:error'
    )
    SELECT scope, key, name, count(*) FROM (
      SELECT 'records' AS scope, '' AS key, 'record' AS name FROM tail
      UNION ALL SELECT 'records', '', 'step' FROM tail WHERE kind = 'step'
      UNION ALL SELECT 'total', '', result FROM evaluation
      UNION ALL SELECT 'hook', hook, result FROM evaluation
      UNION ALL SELECT 'hour', hour, result FROM evaluation
    )
    WHERE true GROUP BY scope, key, name
    ON CONFLICT (scope, key, name) DO UPDATE SET count = count + excluded.count;

  CREATE TABLE trace_record (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    component TEXT NOT NULL,
    action TEXT NOT NULL,
    decision TEXT,
    step INTEGER,
    id TEXT,
    time INTEGER NOT NULL,
    clock INTEGER NOT NULL,
    session TEXT,
    hook TEXT,
    hash TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  -- A record without a class was tampered with: it stays, so that verification names it.
  INSERT INTO trace_record
    SELECT seq, coalesce(kind, ''), coalesce(component, ''), coalesce(action, ''), nullif(decision, ''),
      step, trace.id, time, clock, session, hook, hash, body
    FROM trace LEFT JOIN trace_class ON trace_class.id = trace.class ORDER BY seq;
  DROP TABLE trace;
  DROP TABLE trace_class;
  DROP TABLE trace_place;
  DROP TABLE trace_id;
  DROP TABLE trace_settled;
  ALTER TABLE trace_record RENAME TO trace;

  CREATE INDEX trace_by_id ON trace (id) WHERE id IS NOT NULL;
  CREATE INDEX trace_by_session ON trace (session) WHERE session IS NOT NULL;
  CREATE INDEX trace_by_hook ON trace (hook) WHERE hook IS NOT NULL;
  CREATE INDEX trace_by_action ON trace (action, seq, hook) WHERE action NOT IN ('hook:pass', 'step:pass');
  CREATE INDEX trace_by_decision ON trace (decision, seq, hook) WHERE decision <> 'pass';
  CREATE INDEX trace_by_component ON trace (component) WHERE component <> 'hooks';
`
