// The version of the package, put in place by the build: reading package.json would cost every start.

declare const ARC_VERSION: string

export const VERSION: string = ARC_VERSION
