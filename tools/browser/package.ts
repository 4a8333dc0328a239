import { mkdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build, type Format } from 'esbuild-wasm'

import { replaceFile } from '../replace-file.ts'
import { bundlePackageTypes } from './package-types.ts'

/** A file of the built package `@tessera/browser`. */
export type PackageFile = { readonly path: string; readonly bytes: number }

/**
 * Builds what merchants install into `folder`: the form as a module, its React component, the helpers for tests with their source maps, each as an
 * ES module and as a CommonJS module, with types. Nothing of the form's own document is among it.
 */
export async function buildBrowserPackage(root: string, folder: string): Promise<PackageFile[]> {
  const entries = [
    { name: 'tessera', entry: join(root, 'browser', 'page', 'module.ts') },
    { name: 'react', entry: join(root, 'browser', 'page', 'react-module.ts') },
    { name: 'testing', entry: join(root, 'browser', 'testing', 'index.ts') },
  ]
  const scripts = await Promise.all(entries.flatMap((entry) => [bundle(entry, 'esm'), bundle(entry, 'cjs')]))
  const files: (readonly [name: string, text: string])[] = [
    ...scripts.flat(),
    // Only types, which `import '@tessera/browser/global'` brings in. That import stays in what is compiled.
    ['global.mjs', 'export {}\n'],
    ['global.cjs', '"use strict"\n'],
    ...bundlePackageTypes(root, 'm'),
    ...bundlePackageTypes(root, 'c'),
  ]
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return files.map(([name, text]) => {
    const path = join(folder, name)
    replaceFile(path, text)
    return { path: relative(root, path), bytes: Buffer.byteLength(text) }
  })
}

interface PackageEntry {
  readonly name: string
  readonly entry: string
}

/** Helpers for tests are read in a debugger, so they have a source map and their names. */
async function bundle({ name, entry }: PackageEntry, format: Format): Promise<(readonly [name: string, text: string])[]> {
  const isForTests = name === 'testing'
  const file = `${name}.${format === 'esm' ? 'mjs' : 'cjs'}`
  const built = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    outfile: file,
    minify: !isForTests,
    sourcemap: isForTests ? 'linked' : false,
    charset: 'utf8',
    legalComments: 'none',
    format,
    platform: 'neutral',
    target: ['chrome111', 'firefox115', 'safari16.4', 'node20'],
    external: ['react'],
    ...(format === 'cjs' ? { define: { 'import.meta.url': 'undefined' } } : {}),
  })
  return built.outputFiles.map(({ path, text }) => [path.endsWith('.map') ? `${file}.map` : file, text])
}
