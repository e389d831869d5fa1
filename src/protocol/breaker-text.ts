// The failures of the breaker as text, for the terminal and the dashboard.

/** Failures of hooks in a row. A failing step can have more of them than the breaker needs to open. */
export function countFailures({
  failures,
  threshold,
}: {
  readonly failures: number
  readonly threshold: number
}): string {
  return failures > threshold ? `${failures} failures, limit ${threshold}` : `${failures} of ${threshold} failures`
}
