import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { FormCheckError, openAdvice, statusAdvice } from './finding.ts'

/** The source of one page and its policies. */
export interface PageSource {
  readonly path: string
  readonly text: string
  /** Every Content-Security-Policy header of the response. */
  readonly policies: readonly string[]
  /** Where the page is served; null for a file. */
  readonly origin: string | null
}

/** Reads the pages of a folder (`*.html`, `*.htm`), one file, or one address. Throws `FormCheckError`. */
export async function readPages(target: string, signal: AbortSignal, cookies: string | null = null): Promise<PageSource[]> {
  if (/^https?:\/\//i.test(target)) return [await fetchPage(target, { signal, cookies })]
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(target))
    throw new FormCheckError(`${target} cannot be opened: a page's address begins with http:// or https://.`)
  const stat = statSync(target, { throwIfNoEntry: false })
  if (stat === undefined)
    throw new FormCheckError(
      `There is no file or folder ${target}. Give the address of a page (http://…), a folder of .html files, or one file.`,
    )
  const paths = stat.isDirectory() ? listPages(target) : [target]
  if (paths.length === 0)
    throw new FormCheckError(`There is no .html file in ${target}. If a program makes the pages, start it and give the page's address.`)
  if (paths.length > maxPages) throw new FormCheckError(`${target} contains more than ${maxPages} pages. Choose a folder inside it.`)
  return paths.map((path) => ({ path, text: readFile(path), policies: [], origin: null }))
}

function listPages(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => /\.html?$/i.test(name) && !/(^|[\\/])node_modules[\\/]/.test(name))
    .sort()
    .map((name) => join(folder, name))
}

function readFile(path: string): string {
  if (statSync(path).size > maxPageBytes) throw new FormCheckError(`${path} has more than ${maxPageBytes} bytes. ${sizeAdvice}`)
  return decodeHtml(path, readFileSync(path))
}

async function fetchPage(url: string, { signal, cookies }: { signal: AbortSignal; cookies: string | null }): Promise<PageSource> {
  const response = await fetch(url, {
    headers: cookies === null ? {} : { cookie: cookies },
    signal: AbortSignal.any([signal, AbortSignal.timeout(fetchTimeoutMs)]),
  }).catch((err: unknown) => {
    throw new FormCheckError(`${url} does not respond: ${reasonOf(err)}. ${openAdvice}`, { cause: err })
  })
  if (!response.ok) throw new FormCheckError(`${url} responds with HTTP ${response.status}. ${statusAdvice(response.status)}`)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > maxPageBytes) throw new FormCheckError(`${url} has more than ${maxPageBytes} bytes. ${sizeAdvice}`)
    chunks.push(chunk)
  }
  const policy = response.headers.get('content-security-policy')
  return {
    path: url,
    text: decodeHtml(url, Buffer.concat(chunks)),
    policies: policy === null ? [] : [policy],
    origin: new URL(response.url).origin,
  }
}

function decodeHtml(path: string, bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (bytes.includes(0) || !/<[a-z!]/i.test(text))
    throw new FormCheckError(`${path} is not HTML. Give the address of the page itself, not of a script, a picture or an API.`)
  return text
}

/** Why a connection failed, in the words of the system: ECONNREFUSED, ENOTFOUND, a certificate's fault. */
function reasonOf(err: unknown): string {
  if (err instanceof Error && err.name === 'TimeoutError') return `no response within ${fetchTimeoutMs / 1000} seconds`
  const cause = err instanceof Error && err.cause instanceof Error ? err.cause : err
  return cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.message.slice(0, 200)) : 'unknown error'
}

const sizeAdvice = 'Check the page with the form alone.'
const maxPageBytes = 5_000_000
const maxPages = 1000
const fetchTimeoutMs = 15_000
