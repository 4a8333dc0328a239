import { mkdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { replaceFile } from '../replace-file.ts'
import { bundleClient } from './bundle.ts'
import { bundleTypes } from './types.ts'

/** A file of the built library. */
export type ClientFile = { readonly path: string; readonly bytes: number }

/**
 * Builds the server-side library into `folder`: an ES module, a CommonJS module, and the types of each. Files are replaced atomically, so that
 * a program that imports them during the build gets the old or the new ones.
 */
export async function buildClient(root: string, folder: string): Promise<ClientFile[]> {
  const entry = join(root, 'client', 'src', 'index.ts')
  const types = bundleTypes(entry)
  const files: [name: string, text: string][] = [
    ['index.js', await bundleClient(entry, 'esm')],
    ['index.cjs', await bundleClient(entry, 'cjs')],
    ['index.d.ts', types],
    ['index.d.cts', types],
  ]
  mkdirSync(folder, { recursive: true })
  return files.map(([name, text]) => {
    const path = join(folder, name)
    replaceFile(path, text)
    return { path: relative(root, path), bytes: Buffer.byteLength(text) }
  })
}

/** The types of the library, as `npm run docs` prints them for the archive that the service serves. */
export function printPackedTypes(root: string): string {
  return bundleTypes(join(root, 'client', 'src', 'index.ts'))
}
