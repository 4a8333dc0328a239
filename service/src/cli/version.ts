import { readFileSync } from 'node:fs'

import type { Command } from './command.ts'

/** Of the service's own package. */
export const tesseraVersion = readVersion()

export const version: Command = {
  name: 'version',
  summary: 'Tells the version of Tessera and of the Node that runs it.',
  options: [{ name: 'version', meaning: 'The same.' }],
  readsNoSettings: true,
  run() {
    const facts = { tessera: tesseraVersion, node: process.versions.node }
    return Promise.resolve({ exit: 'done', facts, text: `Tessera ${facts.tessera} on Node ${facts.node}` })
  },
}

function readVersion(): string {
  const read: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return (read as { version: string }).version
}
