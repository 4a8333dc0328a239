import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

import type { Language } from '@tessera/contract/profile'

import { brotliOptions, gzipOptions } from './page-compression.ts'

/** The built form: the frame's script and style, and the files that merchants' pages load. */
export interface FormAssets {
  /** Version of the SDK, as in `/sdk/<version>/`. */
  readonly version: string
  readonly script: string
  /** The script that the form loads after it was painted. */
  readonly deferred: DeferredScript & { readonly file: SdkFile }
  /** The script that the form loads when its page has an appearance: reads it, measures its contrast, applies it. */
  readonly appearance: DeferredScript & { readonly file: SdkFile }
  /** Simulates the service in the preview of the form builder. Runs before everything else. */
  readonly preview: string
  readonly style: string
  /** Script and style of the hosted page, around the frame. */
  readonly hosted: { readonly script: string; readonly style: string }
  /** The frame's messages. The document has one language; another is requested when the page changes the language. */
  readonly texts: Readonly<Record<Language, FrameTexts>>
  /** By name: `tessera.js`, `tessera.mjs`, `react.mjs`, `tessera.d.ts`, and the library for servers as an archive for npm. */
  readonly files: ReadonlyMap<string, SdkFile>
}

/** A script that the document loads later. Its path contains its hash, so it never changes. */
export interface DeferredScript {
  readonly path: string
  /** Subresource Integrity (W3C SRI). */
  readonly integrity: string
}

export type FrameTexts = Readonly<Record<string, string>>

export interface SdkFile {
  readonly bytes: Buffer
  /** Compressed when it is first requested: at a start it would be a fifth of the time until the service is ready. */
  readonly gzipped: Buffer
  /** The same. */
  readonly brotli: Buffer
  /** Subresource Integrity (W3C SRI): `sha384-…`. */
  readonly integrity: string
}

/** Reads the output of `npm run build` in `folder`. Throws `AssetsMissing` if it is missing or incomplete. */
export function readFormAssets(folder: string): FormAssets {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { version: string }
    const text = (name: string): string => readFileSync(join(folder, name), 'utf8')
    const files = new Map(sdkNames.map((name) => [name, toSdkFile(readFileSync(join(folder, name)))]))
    const [script, preview, style] = [text('frame.js'), text('preview.js'), text('frame.css')]
    const deferred = toDeferredScript('deferred', readFileSync(join(folder, 'frame-deferred.js')))
    const appearance = toDeferredScript('appearance', readFileSync(join(folder, 'frame-appearance.js')))
    const hosted = { script: text('hosted.js'), style: text('hosted.css') }
    return Object.freeze({
      version,
      script,
      deferred,
      appearance,
      preview,
      style,
      hosted,
      texts: readTexts(text('frame-texts.json')),
      files,
    })
  } catch (cause) {
    throw new AssetsMissing(folder, { cause })
  }
}

function readTexts(json: string): Readonly<Record<Language, FrameTexts>> {
  return JSON.parse(json) as Record<Language, FrameTexts>
}

/** The card form is not built. */
export class AssetsMissing extends Error {
  override readonly name = 'AssetsMissing'
  constructor(folder: string, options: ErrorOptions) {
    super(`the card form is not built in ${folder}: run npm run build`, options)
  }
}

export function toSdkFile(bytes: Buffer): SdkFile {
  const integrity = `sha384-${createHash('sha384').update(bytes).digest('base64')}`
  let [gzipped, brotli]: (Buffer | null)[] = [null, null]
  return Object.freeze<SdkFile>({
    bytes,
    get gzipped() {
      return (gzipped ??= gzipSync(bytes, gzipOptions))
    },
    get brotli() {
      return (brotli ??= brotliCompressSync(bytes, brotliOptions))
    },
    integrity,
  })
}

export function toDeferredScript(name: 'deferred' | 'appearance', bytes: Buffer): FormAssets['deferred'] {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  return Object.freeze({ path: `/form/v1/${name}-${hash}.js`, integrity: scriptHashOf(bytes), file: toSdkFile(bytes) })
}

/** The hash of a script or style, as Subresource Integrity writes it. */
export function scriptHashOf(text: string | Buffer): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

const sdkNames = ['tessera.js', 'tessera.mjs', 'react.mjs', 'tessera.d.ts', 'tessera-client.tgz'] as const
