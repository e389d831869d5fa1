// The types of packed-package.mjs for the test of the package.

export interface Installed {
  /** What npm says about the package. */
  readonly packed: {
    readonly size: number
    readonly unpackedSize: number
    readonly files: readonly { readonly path: string }[]
  }
  readonly tarball: string
  readonly project: string
}

export function installPacked(folder: string): Installed
