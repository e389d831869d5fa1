// Reads numbers from query parameters.

/** A number; undefined if the parameter is missing or not a number. */
export function readQueryNumber(text: string | undefined): number | undefined {
  const number = text === undefined || text === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : undefined
}

/** A whole number from 1; undefined for anything else. */
export function readPositiveInteger(text: string | undefined): number | undefined {
  const number = readQueryNumber(text)
  return Number.isSafeInteger(number) && (number ?? 0) >= 1 ? number : undefined
}
