import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import type { Language } from '@tessera/contract/profile'

/** The built form: the frame's script and style, and the files that merchants' pages load. */
export interface FormAssets {
  /** Version of the SDK, as in `/sdk/<version>/`. */
  readonly version: string
  readonly script: string
  /** Measures the contrast of a theme. Runs before the script in the test environment. */
  readonly guard: string
  /** Simulates the service in the preview of the form builder. Runs before everything else. */
  readonly preview: string
  readonly style: string
  /** Script and style of the hosted page, around the frame. */
  readonly hosted: { readonly script: string; readonly style: string }
  /** The frame's messages. The document has one language; another is requested when the page changes the language. */
  readonly texts: Readonly<Record<Language, FrameTexts>>
  /** By name: `tessera.js`, `tessera.mjs`, `react.mjs`, `tessera.d.ts`. */
  readonly files: ReadonlyMap<string, SdkFile>
}

export type FrameTexts = Readonly<Record<string, string>>

export interface SdkFile {
  readonly bytes: Buffer
  readonly gzipped: Buffer
  /** Subresource Integrity (W3C SRI): `sha384-…`. */
  readonly integrity: string
}

/** Reads the output of `npm run build` in `folder`. Throws `AssetsMissing` if it is missing or incomplete. */
export function readFormAssets(folder: string): FormAssets {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { version: string }
    const text = (name: string): string => readFileSync(join(folder, name), 'utf8')
    const files = new Map(sdkNames.map((name) => [name, toSdkFile(readFileSync(join(folder, name)))]))
    const [script, guard, preview, style] = [text('frame.js'), text('contrast-check.js'), text('preview.js'), text('frame.css')]
    const hosted = { script: text('hosted.js'), style: text('hosted.css') }
    return Object.freeze({ version, script, guard, preview, style, hosted, texts: readTexts(text('frame-texts.json')), files })
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
  return Object.freeze({ bytes, gzipped: gzipSync(bytes, { level: 9 }), integrity })
}

const sdkNames = ['tessera.js', 'tessera.mjs', 'react.mjs', 'tessera.d.ts'] as const
