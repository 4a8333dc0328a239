import { readFileSync } from 'node:fs'

/** The version of the service's own package. */
export const tesseraVersion = readVersion()

function readVersion(): string {
  const read: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return (read as { version: string }).version
}
