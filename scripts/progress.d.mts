// The types of progress.mjs for its test. Written by hand: the scripts run as they are, without a build.

export interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

export function showProgress(describe: () => string, stream?: Output): { clear(): void; stop(): number }
