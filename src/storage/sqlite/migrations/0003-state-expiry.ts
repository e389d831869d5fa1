// When a value of the state expires: values of a session or turn would otherwise stay forever. NULL means no expiry. Only
// values that expire are in the index.

export const stateExpiry = `
  ALTER TABLE state ADD COLUMN expires INTEGER;
  CREATE INDEX state_by_expiry ON state (expires) WHERE expires IS NOT NULL;
`
