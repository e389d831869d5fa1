// The version of the package. The build inserts it: reading package.json would slow every start.

declare const ARC_VERSION: string

export const VERSION: string = ARC_VERSION
