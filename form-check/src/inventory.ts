import { createHash } from 'node:crypto'

import { isThirdParty, type PageElement, type PageFacts } from './judge-elements.ts'
import { hideSecrets } from './secrets.ts'
import { isScript } from './words.ts'

/** A script of a page, as an assessor wants to see it. */
export interface ListedScript {
  /** The page it runs on. */
  readonly page: string
  /** Its address; `inline` with its place for one that stands in the page. */
  readonly address: string
  /** Base64 of what ran, as a Content-Security-Policy writes it; null when it was not read. */
  readonly sha256: string | null
  readonly bytes: number | null
  /** The integrity attribute, if any. */
  readonly integrity: string | null
  readonly party: 'first' | 'third'
  /** The merchant's to say: this program knows no purposes. */
  readonly purpose: 'unknown'
}

/** Lists the scripts among elements; a browser tells the address of the page and, by address, what it loaded. */
export function listScripts(
  elements: readonly PageElement[],
  facts: PageFacts,
  { address: pageAddress, bodies }: { address: string | null; bodies: ReadonlyMap<string, string> },
): ListedScript[] {
  return elements.filter(isScript).map((one) => {
    const src = one.attributes['src'] ?? ''
    const address = src === '' ? null : (URL.parse(src, pageAddress ?? undefined)?.href ?? src)
    const body = address === null ? one.text : (bodies.get(address) ?? null)
    const { line, column, selector } = one.place
    return {
      page: hideSecrets(facts.path),
      address: hideSecrets(address ?? `inline ${selector ?? `${line ?? 1}:${column ?? 1}`}`),
      sha256: body === null ? null : createHash('sha256').update(body, 'utf8').digest('base64'),
      bytes: body === null ? null : Buffer.byteLength(body),
      integrity: one.attributes['integrity'] ?? null,
      party: isThirdParty(one, facts.origin) ? 'third' : 'first',
      purpose: 'unknown',
    }
  })
}
