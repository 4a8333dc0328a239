import { merchantPackType } from '@tessera/contract/merchant-pack'
import { isAuditSignature, readAuditPublicKeys } from '@tessera/vault/audit'
import { bucketOf } from '@tessera/vault/id'

import type { Clock } from '../../clock.ts'
import type { MerchantKey } from '../../store/merchants.ts'
import { findMerchantPack, merchantPacksTable, replaceMerchantPack } from '../../store/merchant-packs.ts'
import type { Store } from '../../store/store.ts'
import { makeVerifiedRows, type VerifiedRowDependencies } from '../verified-rows.ts'

export interface PublishedPack {
  /** One line of JSON, signed by the operator (docs/operating/evidence.md#for-merchants). */
  readonly pack: string
  readonly publishedAt: number
}

/** Evidence that the operator publishes for a merchant, who downloads it in the dashboard. */
export interface MerchantPacks {
  /** False when the text is no confirmation for this merchant, or is not as the key in it signed it. */
  publish(merchantId: string, pack: string, requestId: string): Promise<boolean>
  /** Null without one, and for a row that this service did not write. */
  find(of: MerchantKey): Promise<PublishedPack | null>
}

export interface MerchantPackDependencies extends VerifiedRowDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Pick<Clock, 'now'>
}

export function makeMerchantPacks({ store, clock, ...deps }: MerchantPackDependencies): MerchantPacks {
  const rows = makeVerifiedRows(deps, merchantPacksTable)
  return Object.freeze<MerchantPacks>({
    async publish(merchantId, pack, requestId) {
      if (!isConfirmationFor(merchantId, pack)) return false
      const at = clock.now()
      const row = await rows.seal({ bucket: bucketOf(merchantId), merchantId, pack, publishedAt: at, mac: new Uint8Array(0) })
      const action = { action: 'merchant.evidence_published', outcome: 'done', subject: merchantId }
      const audit = { at, actor: 'operator', ...action, merchantId, version: 0, mac: new Uint8Array(0), requestId }
      await store.write(replaceMerchantPack, { pack: row, audit })
      return true
    },
    async find({ bucket, merchantId }) {
      const row = await store.read(findMerchantPack({ bucket, merchantId }))
      return row !== null && (await rows.isValid(row)) ? { pack: row.pack, publishedAt: row.publishedAt } : null
    },
  })
}

/** The key is in the pack: this keeps mistakes away. Whose key it is, the merchant knows from the operator. */
function isConfirmationFor(merchantId: string, pack: string): boolean {
  const [, text, signature] = /^(\{.*),"signature":"([A-Za-z0-9+/=]+)"\}$/.exec(pack) ?? []
  if (text === undefined || signature === undefined) return false
  try {
    const content = JSON.parse(pack) as Readonly<Record<string, unknown>>
    const merchant = content['merchant'] as { readonly merchantId?: unknown } | undefined
    if (content['type'] !== merchantPackType || merchant?.merchantId !== merchantId) return false
    if (typeof content['confirmation'] !== 'string' || typeof content['publicKey'] !== 'string') return false
    return isAuditSignature(readAuditPublicKeys(content['publicKey']), `${text}}`, signature)
  } catch {
    return false
  }
}
