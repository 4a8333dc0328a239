import { mkdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build, type Format } from 'esbuild-wasm'
import { replaceFile } from '../replace-file.ts'
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
    ['index.js', await bundle(entry, 'esm')],
    ['index.cjs', await bundle(entry, 'cjs')],
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

/** `node20` is the oldest Node that the library supports. */
async function bundle(entry: string, format: Format): Promise<string> {
  const built = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format,
    charset: 'utf8',
  })
  return built.outputFiles[0]?.text ?? ''
}
