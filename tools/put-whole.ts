import { renameSync, writeFileSync } from 'node:fs'

/** Writes a file whole or not at all: whoever reads it meanwhile sees the old one or the new one. */
export function putWhole(path: string, contents: string | Uint8Array): void {
  const beside = `${path}.${process.pid}`
  writeFileSync(beside, contents)
  renameSync(beside, path)
}
