// The version of the package. The build inserts it: reading package.json would slow every start.

declare const ARC_VERSION: string

/** The version; `dev` when the sources run without a build. */
export const VERSION: string = typeof ARC_VERSION === 'undefined' ? 'dev' : ARC_VERSION
