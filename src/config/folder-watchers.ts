// Watches folders of configuration files, each folder once, however many configurations have files in it. Folders instead
// of files: an editor that saves by renaming replaces the file. Does not keep the process alive.

import { type FSWatcher, watch } from 'node:fs'
import { basename, join } from 'node:path'

/** Called with the path that changed; undefined when the folder itself changed, so that any file in it may have. */
export type FolderListener = (path: string | undefined) => void

/** The reason why a folder cannot be watched. */
export type WatchFault = (error: unknown) => void

interface WatchedFolder {
  readonly listeners: Map<FolderListener, WatchFault>
  watcher: FSWatcher | undefined
}

/**
 * The watched folders of a process or of a test.
 * @example
 * const stop = folders.watch('/home/me/.arc', (path) => reload(path), report)
 */
export class FolderWatchers {
  readonly #folders = new Map<string, WatchedFolder>()

  /** How many folders are watched. */
  get size(): number {
    return this.#folders.size
  }

  /** Watches an existing folder until the returned function is called. A folder that is gone is reported as a change. */
  watch(dir: string, listener: FolderListener, onFault: WatchFault): () => void {
    const folder = this.#folders.get(dir) ?? { listeners: new Map(), watcher: undefined }
    this.#folders.set(dir, folder)
    folder.listeners.set(listener, onFault)
    if (folder.watcher === undefined) this.#open(dir, folder)
    return () => this.#remove(dir, folder, listener)
  }

  #remove(dir: string, folder: WatchedFolder, listener: FolderListener): void {
    folder.listeners.delete(listener)
    if (folder.listeners.size > 0 || this.#folders.get(dir) !== folder) return
    this.#folders.delete(dir)
    folder.watcher?.close()
    folder.watcher = undefined
  }

  #open(dir: string, folder: WatchedFolder): void {
    const fail = (error: unknown): void => {
      this.#close(folder)
      for (const onFault of [...folder.listeners.values()]) onFault(error)
    }
    try {
      const watcher = watch(dir, { persistent: false }, (_event, name) => this.#onEvent(dir, folder, name))
      folder.watcher = watcher.on('error', fail)
    } catch (error) {
      fail(error)
    }
  }

  // A folder that was removed, moved or replaced is named itself. Its watch then follows the old folder, so it is opened
  // again by the next user of the path.
  #onEvent(dir: string, folder: WatchedFolder, name: string | null): void {
    const isFolder = name === null || name === basename(dir)
    if (isFolder) this.#close(folder)
    const path = isFolder ? undefined : join(dir, name)
    for (const listener of [...folder.listeners.keys()]) listener(path)
  }

  #close(folder: WatchedFolder): void {
    folder.watcher?.close()
    folder.watcher = undefined
  }
}
