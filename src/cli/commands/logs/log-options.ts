// The options of `arc logs`, for its two kinds of lines.

/** The options of `arc logs`. */
export interface LogsOptions {
  readonly component?: string
  readonly action?: string
  readonly session?: string
  readonly hook?: string
  readonly decision?: string
  readonly since?: string
  readonly limit: string
  readonly follow?: boolean
  readonly json?: boolean
  readonly all?: boolean
  readonly wouldBlock?: boolean
  readonly project?: string
  readonly agent?: string
  readonly rule?: string
  readonly text?: string
}

/** The limits of a log. */
export interface LogLimits {
  readonly limit: number
  readonly since?: number | undefined
}
