import { createHash } from 'node:crypto'

import { isThirdParty, type PageContext } from './check-elements.ts'
import { isScript } from './element-kinds.ts'
import type { PageElement } from './page-elements.ts'
import { redactSecrets } from './redact-secrets.ts'

/** One script of a page, as an assessor wants to see it. */
export interface InventoryScript {
  /** The page that runs it. */
  readonly page: string
  /** Its address, or `inline` with its location for an inline script. */
  readonly address: string
  /** SHA-256 in base64, as in a Content-Security-Policy; null when the script was not loaded. */
  readonly sha256: string | null
  readonly bytes: number | null
  /** The integrity attribute, if any. */
  readonly integrity: string | null
  readonly party: 'first' | 'third'
  /** For the merchant to fill in. */
  readonly purpose: 'unknown'
}

/** Lists the scripts among the elements. In the browser the page's address is known, and so are the scripts it loaded, by address. */
export function listScripts(
  elements: readonly PageElement[],
  context: PageContext,
  { address: pageAddress, bodies }: { address: string | null; bodies: ReadonlyMap<string, string> },
): InventoryScript[] {
  return elements.filter(isScript).map((element) => {
    const src = element.attributes['src'] ?? ''
    const address = src === '' ? null : (URL.parse(src, pageAddress ?? undefined)?.href ?? src)
    const body = address === null ? element.text : (bodies.get(address) ?? null)
    const { line, column, selector } = element.location
    return {
      page: redactSecrets(context.path),
      address: redactSecrets(address ?? `inline ${selector ?? `${line ?? 1}:${column ?? 1}`}`),
      sha256: body === null ? null : createHash('sha256').update(body, 'utf8').digest('base64'),
      bytes: body === null ? null : Buffer.byteLength(body),
      integrity: element.attributes['integrity'] ?? null,
      party: isThirdParty(element, context.origin) ? 'third' : 'first',
      purpose: 'unknown',
    }
  })
}
