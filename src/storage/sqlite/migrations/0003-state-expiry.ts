// When a value of the state may go: what belongs to a session or turn would else stay for ever. Nothing stands for
// what is kept until somebody removes it. Only what expires is in the index.

export const stateExpiry = `
  ALTER TABLE state ADD COLUMN expires INTEGER;
  CREATE INDEX state_by_expiry ON state (expires) WHERE expires IS NOT NULL;
`
