// Bodies of new records are packed (packed-record.ts); those of older records stay as they are. No table changes: the number
// alone keeps earlier versions, which cannot read packed bodies, from opening the database.

export const packedRecords = 'SELECT 1'
