import { mkdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build, type Format } from 'esbuild-wasm'
import { putWhole } from '../put-whole.ts'
import { bundleTypes } from './types.ts'

/** A file that was built. */
export type Built = { readonly path: string; readonly bytes: number }

/**
 * Builds the server-side library into `folder`: one ES module, one CommonJS module, one file of types for each. Files are put in place whole,
 * so that whoever imports them meanwhile sees the old or the new ones.
 */
export async function buildClient(root: string, folder: string): Promise<Built[]> {
  const entry = join(root, 'client', 'src', 'index.ts')
  const types = bundleTypes(entry)
  const files: [name: string, text: string][] = [
    ['index.js', await bundle(entry, 'esm')],
    ['index.cjs', await bundle(entry, 'cjs')],
    ['index.d.ts', types],
    ['index.d.cts', types],
    ['LICENSE', readFileSync(join(root, 'LICENSE'), 'utf8')],
  ]
  mkdirSync(folder, { recursive: true })
  return files.map(([name, text]) => {
    const path = join(folder, name)
    putWhole(path, text)
    return { path: relative(root, path), bytes: Buffer.byteLength(text) }
  })
}

/** `node20` is the oldest Node that the library runs on; its syntax is not made older than that. */
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
