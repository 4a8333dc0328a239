import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { CannotCheck } from './cannot-check.ts'

/** The source of a page, and what came with it. */
export interface Page {
  readonly path: string
  readonly text: string
  /** Every Content-Security-Policy header of the reply. */
  readonly policies: readonly string[]
  /** Where the page is served; null for a file. */
  readonly origin: string | null
}

/** The pages of a folder (`*.html`, `*.htm`), of one file, or of one address. Throws `CannotCheck`. */
export async function readPages(target: string, signal: AbortSignal, cookies: string | null = null): Promise<Page[]> {
  if (/^https?:\/\//i.test(target)) return [await readAddress(target, { signal, cookies })]
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(target))
    throw new CannotCheck(`${target} cannot be opened: the address of a page begins with http:// or https://.`)
  const stat = statSync(target, { throwIfNoEntry: false })
  if (stat === undefined) throw new CannotCheck(`There is no file or folder ${target}.`)
  const paths = stat.isDirectory() ? listPages(target) : [target]
  if (paths.length === 0) throw new CannotCheck(`There is no .html file in ${target}.`)
  if (paths.length > PAGES_MAX) throw new CannotCheck(`${target} holds more than ${PAGES_MAX} pages: name a folder inside it.`)
  return paths.map((path) => ({ path, text: readText(path), policies: [], origin: null }))
}

function listPages(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => /\.html?$/i.test(name) && !/(^|[\\/])node_modules[\\/]/.test(name))
    .sort()
    .map((name) => join(folder, name))
}

function readText(path: string): string {
  if (statSync(path).size > BYTES_MAX) throw new CannotCheck(`${path} has more than ${BYTES_MAX} bytes.`)
  return page(path, readFileSync(path))
}

async function readAddress(url: string, { signal, cookies }: { signal: AbortSignal; cookies: string | null }): Promise<Page> {
  const reply = await fetch(url, {
    headers: cookies === null ? {} : { cookie: cookies },
    signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]),
  }).catch((err: unknown) => {
    throw new CannotCheck(`${url} does not answer.`, { cause: err })
  })
  if (!reply.ok) throw new CannotCheck(`${url} answers ${reply.status}.`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (reply.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > BYTES_MAX) throw new CannotCheck(`${url} has more than ${BYTES_MAX} bytes.`)
    chunks.push(chunk)
  }
  const policy = reply.headers.get('content-security-policy')
  return { path: url, text: page(url, Buffer.concat(chunks)), policies: policy === null ? [] : [policy], origin: new URL(reply.url).origin }
}

function page(path: string, bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (bytes.includes(0) || !/<[a-z!]/i.test(text)) throw new CannotCheck(`${path} is not HTML.`)
  return text
}

const BYTES_MAX = 5_000_000
const PAGES_MAX = 1000
const FETCH_MS = 15_000
