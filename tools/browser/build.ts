import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, transform, type Format } from 'esbuild-wasm'

import { documentTextsIn } from '../../browser/frame/texts.ts'
import { packClient } from '../client/tarball.ts'
import { replaceFile } from '../replace-file.ts'

/** A file in the manifest. `sri` is its hash (W3C Subresource Integrity). */
export type BuiltFile = { readonly bytes: number; readonly gzipBytes: number; readonly sri: string }

export type Manifest = { readonly version: string; readonly files: Readonly<Record<string, BuiltFile>> }

/** Builds the parts of the form's document and the SDK into `folder`. Files are replaced atomically, the manifest last. */
export async function buildBrowser(root: string, folder: string): Promise<Manifest> {
  const { version } = JSON.parse(readFileSync(join(root, 'browser', 'package.json'), 'utf8')) as { version: string }
  const texts: [name: string, content: string | Buffer][] = [
    ['frame.js', await bundle(join(root, 'browser', 'frame', 'main.ts'), 'iife')],
    ['frame-deferred.js', await bundle(join(root, 'browser', 'frame', 'deferred', 'main.ts'), 'iife', await deferredStyle(root))],
    ['frame-appearance.js', await bundle(join(root, 'browser', 'frame', 'appearance', 'main.ts'), 'iife')],
    ['preview.js', await bundle(join(root, 'browser', 'frame', 'preview.ts'), 'iife')],
    ['frame.css', await minifyStyle(readFileSync(join(root, 'browser', 'frame', 'frame.css'), 'utf8'))],
    ['hosted.js', await bundle(join(root, 'browser', 'hosted', 'main.ts'), 'iife')],
    ['hosted.css', await minifyStyle(readFileSync(join(root, 'browser', 'hosted', 'hosted.css'), 'utf8'))],
    ['frame-texts.json', JSON.stringify({ uz: documentTextsIn('uz'), ru: documentTextsIn('ru'), en: documentTextsIn('en') })],
    ['tessera.js', await bundle(join(root, 'browser', 'page', 'script.ts'), 'iife')],
    ['tessera.mjs', await bundle(join(root, 'browser', 'page', 'module.ts'), 'esm')],
    ['react.mjs', await bundle(join(root, 'browser', 'page', 'react-module.ts'), 'esm')],
    ['tessera.d.ts', readFileSync(join(root, 'browser', 'printed', 'tessera.d.ts'), 'utf8')],
    ['tessera-client.tgz', await packClient(root)],
  ]
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of texts) replaceFile(join(folder, name), text)
  const manifest = { version, files: Object.fromEntries(texts.map(([name, text]) => [name, describeFile(text)])) }
  replaceFile(join(folder, 'manifest.json'), JSON.stringify(manifest, null, 2))
  return manifest
}

/** A policy of hashes allows the deferred script no style element: it constructs its style sheet from this text. */
async function deferredStyle(root: string): Promise<Record<string, string>> {
  const style = await minifyStyle(readFileSync(join(root, 'browser', 'frame', 'deferred', 'deferred.css'), 'utf8'))
  return { deferredStyle: JSON.stringify(style) }
}

async function bundle(entry: string, format: Format, constants: Readonly<Record<string, string>> = {}): Promise<string> {
  const built = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    format,
    platform: 'browser',
    target: ['chrome111', 'firefox115', 'safari16.4'],
    external: ['react'],
    // A classic script has no import.meta.
    define: format === 'iife' ? { ...constants, 'import.meta.url': 'undefined' } : {},
  })
  return (built.outputFiles[0]?.text ?? '').trim()
}

async function minifyStyle(text: string): Promise<string> {
  return (await transform(text, { loader: 'css', minify: true, charset: 'utf8' })).code.trim()
}

function describeFile(text: string | Buffer): BuiltFile {
  const sri = `sha384-${createHash('sha384').update(text).digest('base64')}`
  return { bytes: Buffer.byteLength(text), gzipBytes: gzipSync(text, { level: 9 }).length, sri }
}
