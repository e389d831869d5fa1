// How a database is opened. Apart from the opening, so that the types of the package need none of SQLite's.

/** How a database is opened. */
export interface OpenOptions {
  /** Told when a damaged database was set aside: never to be swallowed. */
  readonly onSetAside?: ((notice: SetAside) => void) | undefined
  /** How long to wait for a locked database, over all attempts; default 30 s. */
  readonly waitMs?: number | undefined
}

/** A damaged database that was put out of the way. */
export interface SetAside {
  readonly file: string
  readonly movedTo: string
  readonly why: string
}
