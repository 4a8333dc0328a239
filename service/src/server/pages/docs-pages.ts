import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import type { PageReply, PageRequest, PageRoute } from '../http/page-routes.ts'

import { DashboardMissing } from './dashboard-assets.ts'
import { assetHeaders, docsHeaders } from './dashboard-document.ts'
import { makeDashboardHost } from './hosts.ts'

/** The pages of `docs/` as `npm run build` printed them, by their addresses: `/docs/reference/errors`. */
export type DocsPages = ReadonlyMap<string, DocsFile>

export interface DocsFile {
  readonly type: string
  /** Read when it is first requested, and compressed where that pays. */
  readonly bytes: Buffer
  readonly gzipped: Buffer
}

/** Lists the pages in `folder`, that of the built dashboard. Throws `DashboardMissing`. */
export function readDocsPages(folder: string): DocsPages {
  try {
    const names = readdirSync(join(folder, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
    const pages = names.flatMap((name): [string, DocsFile][] => {
      const type = types[/\.\w+$/.exec(name)?.[0] ?? '']
      return type === undefined ? [] : [[addressOf(name), lazyFile(join(folder, 'docs', name), type)]]
    })
    if (!pages.some(([address]) => address === '/docs')) throw new Error('there is no index')
    return new Map(pages)
  } catch (cause) {
    throw new DashboardMissing(folder, { cause })
  }
}

/** The documentation, on the host of the dashboard. It is the same for everybody, and needs no session. */
export function docsRoutes(pages: DocsPages, dashboardOrigin: string | null): readonly PageRoute[] {
  const { is } = makeDashboardHost(dashboardOrigin)
  const handle = (request: PageRequest): PageReply | null => findPage(request, pages)
  return ['/docs', '/docs/*'].map((path) => ({ method: 'GET', host: is, path, handle }))
}

function findPage({ path, headers: { 'accept-encoding': accepted } }: PageRequest, pages: DocsPages): PageReply | null {
  const file = pages.get(path.replace(/\/$/, ''))
  if (file === undefined) return null
  const { type } = file
  const headers = {
    ...(type === types['.html'] ? docsHeaders : type === types['.css'] ? assetHeaders : looseHeaders),
    'content-type': type,
  }
  if (type === types['.png'] || !/\bgzip\b/.test(accepted ?? '')) return { headers, body: file.bytes }
  return { headers: { ...headers, 'content-encoding': 'gzip' }, body: file.gzipped }
}

function addressOf(name: string): string {
  return name === 'index.html' ? '/docs' : `/docs/${name.replace(/\.html$/, '')}`
}

function lazyFile(path: string, type: string): DocsFile {
  let bytes: Buffer | null = null
  let gzipped: Buffer | null = null
  const read = (): Buffer => (bytes ??= readFileSync(path))
  return {
    type,
    get bytes() {
      return read()
    },
    get gzipped() {
      return (gzipped ??= gzipSync(read(), { level: 9 }))
    },
  }
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
  '.json': 'application/json',
}

/** The name of the stylesheet has its hash; those of the other files have none. */
const looseHeaders: Readonly<Record<string, string>> = { ...assetHeaders, 'cache-control': 'public, max-age=300' }
