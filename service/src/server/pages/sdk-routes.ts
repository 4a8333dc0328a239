import type { PageRequest, PageReply, PageRoute } from '../http/page-routes.ts'

import type { FormAssets, SdkFile } from './form-assets.ts'
import { sdkHeaders } from './form-headers.ts'

/**
 * `/sdk/v1/` is the newest build. `/sdk/<version>/` never changes, and its integrity hashes are published beside it, with those of the scripts of the
 * form's own document: the inventory that PCI DSS 6.4.3 asks for.
 */
export function sdkRoutes(
  { files, version }: FormAssets,
  formScripts: readonly FormScript[],
  host: PageRoute['host'],
): readonly PageRoute[] {
  const integrity = { version, files: Object.fromEntries([...files].map(([name, file]) => [name, file.integrity])), formScripts }
  const integrityReply = { headers: integrityHeaders, body: JSON.stringify(integrity) }
  const folders = [
    { folder: 'v1', caching: 'public, max-age=3600' },
    { folder: version, caching: 'public, max-age=31536000, immutable' },
  ]
  return folders.flatMap(({ folder, caching }) => [
    ...[...files].map(([name, file]) => route(`/sdk/${folder}/${name}`, (request) => sdkReply(request, headersOf(name, caching), file))),
    route(`/sdk/${folder}/integrity.json`, () => integrityReply),
  ])

  function route(path: string, handle: PageRoute['handle']): PageRoute {
    return { method: 'GET', host, path, handle }
  }
}

/** A script of the form's document. */
export interface FormScript {
  /** Null: it is inline. */
  readonly path: string | null
  /** As in the document's policy, or its integrity attribute. */
  readonly integrity: string
  readonly purpose: string
}

/** A file in the encoding that the browser prefers; an archive as it is. */
export function sdkReply(
  { headers: { 'accept-encoding': accepted } }: PageRequest,
  headers: PageReply['headers'],
  file: SdkFile,
): PageReply {
  if (headers['content-type'] === contentTypes['.tgz']) return { headers, body: file.bytes }
  if (/\bbr\b/.test(accepted ?? '')) return { headers: { ...headers, 'content-encoding': 'br' }, body: file.brotli }
  if (!/\bgzip\b/.test(accepted ?? '')) return { headers, body: file.bytes }
  return { headers: { ...headers, 'content-encoding': 'gzip' }, body: file.gzipped }
}

const contentTypes: Readonly<Record<string, string>> = { '.d.ts': 'application/typescript; charset=utf-8', '.tgz': 'application/gzip' }

/** Type declarations are read by compilers and editors. MIME tables usually map .ts to video (MPEG transport stream). */
function headersOf(name: string, caching: string): Readonly<Record<string, string>> {
  const type = Object.entries(contentTypes).find(([end]) => name.endsWith(end))?.[1]
  return { ...sdkHeaders, ...(type === undefined ? {} : { 'content-type': type }), 'cache-control': caching }
}

const integrityHeaders = { ...sdkHeaders, 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
