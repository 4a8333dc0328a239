import { renameSync, writeFileSync } from 'node:fs'

/** Replaces a file atomically: a reader sees the old or the new content. */
export function replaceFile(path: string, contents: string | Uint8Array): void {
  const beside = `${path}.${process.pid}`
  writeFileSync(beside, contents)
  renameSync(beside, path)
}
