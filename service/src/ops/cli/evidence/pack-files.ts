import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { formFolder } from '../../../app/built-files.ts'
import { readFormAssets, scriptHashOf } from '../../../server/pages/form-assets.ts'

import type { ScriptFact } from './facts.ts'

/** Writes the files of a pack and their hashes; none of them is replaced. */
export function writePack(folder: string, files: Readonly<Record<string, string>>): void {
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o600, flag: 'wx', flush: true })
  for (const [name, text] of Object.entries(files)) write(name, text)
  const hashes = Object.entries(files).map(([name, text]) => `${createHash('sha256').update(text).digest('hex')}  ${name}\n`)
  write('SHA256SUMS', hashes.join(''))
}

/** The scripts of the card form, or why there are none. */
export function readScripts(): ScriptFact[] | string {
  try {
    const { script, deferred, appearance, files } = readFormAssets(formFolder)
    const sdk = files.get('tessera.js')
    return [
      { name: 'card form', integrity: scriptHashOf(script) },
      { name: 'card form, later steps', integrity: deferred.integrity },
      { name: 'card form, appearance', integrity: appearance.integrity },
      ...(sdk === undefined ? [] : [{ name: 'tessera.js', integrity: sdk.integrity }]),
    ]
  } catch (err) {
    return err instanceof Error ? err.message : String(err)
  }
}
