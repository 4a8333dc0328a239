import { bucketOf, isId } from '@tessera/vault/id'
import { hashPassword, samePassword } from '@tessera/vault/credential'
import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../clock.ts'
import type { MerchantRow, Store } from '../store/store.ts'

import { readXAuth } from './x-auth.ts'

/** The merchants: who a request's X-Auth proves to be calling. */
export interface Merchants {
  /** `xAuth` is the header as it came, null when there was none. Every wrong one costs the same work. */
  authenticate(xAuth: string | null): Promise<Authenticated>
  /** Keeps a merchant if its id is new; tells whether it was. Throws `RangeError` for an id of another form. */
  ensureMerchant(merchant: NewMerchant): Promise<boolean>
}

export type Authenticated =
  | {
      /** `server` gave the password, `browser` the merchant id alone. */
      readonly kind: 'server' | 'browser'
      readonly merchantId: string
      readonly bucket: number
      readonly blocked: boolean
      readonly origins: readonly string[]
      readonly strictServerAuth: boolean
    }
  /** No merchant has this id; ids are public, so this may be told. */
  | { readonly kind: 'unknownMerchant' }
  | { readonly kind: 'denied' }

export interface NewMerchant {
  /** 24 lower-case hex digits. */
  readonly id: string
  readonly name: string
  readonly password: string
}

export interface MerchantParts {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
}

export function makeMerchants({ store, keyring, clock }: MerchantParts): Merchants {
  const kept = new Map<string, { readonly row: MerchantRow; readonly until: number }>()
  return Object.freeze({ authenticate, ensureMerchant })

  async function authenticate(xAuth: string | null): Promise<Authenticated> {
    const read = readXAuth(xAuth)
    if (read === null) return { kind: 'denied' }
    const row = isId(read.id) ? (held(read.id) ?? (await find(read.id))) : null
    const isRight = read.password === null || (await isPassword(row, read.id, read.password))
    if (row === null) return { kind: 'unknownMerchant' }
    return isRight ? tell(row, read.password === null ? 'browser' : 'server') : { kind: 'denied' }
  }

  /** Always compared with two verifiers, the real ones or none at all, so that time tells nothing. */
  async function isPassword(row: MerchantRow | null, merchantId: string, password: string): Promise<boolean> {
    const dek = row === null ? await keyring.active('pepper') : await keyring.byId(row.pepperKeyId)
    return samePassword(dek, merchantId, password, row?.passwordHashes[0] ?? null, row?.passwordHashes[1] ?? null)
  }

  function held(merchantId: string): MerchantRow | null {
    const found = kept.get(merchantId)
    const now = clock.now()
    return found !== undefined && Math.abs(found.until - now) <= lifeMs && now < found.until ? found.row : null
  }

  async function find(merchantId: string): Promise<MerchantRow | null> {
    const now = clock.now()
    const row = await store.findMerchant(merchantId)
    kept.delete(merchantId)
    if (row === null) return null
    for (const oldest of kept.keys()) {
      if (kept.size < keptMax) break
      kept.delete(oldest)
    }
    kept.set(merchantId, { row, until: now + lifeMs })
    return row
  }

  async function ensureMerchant({ id, name, password }: NewMerchant): Promise<boolean> {
    if (!isId(id)) throw new RangeError('a merchant id is 24 lower-case hex digits')
    const dek = await keyring.active('pepper')
    const now = clock.now()
    const merchant: MerchantRow = {
      ...{ id, bucket: bucketOf(id), name, state: 'active', origins: [], strictServerAuth: false, createdAt: now },
      ...{ passwordHashes: [hashPassword(dek, id, password)], pepperKeyId: dek.keyId },
    }
    return store.insertMerchant(merchant, {
      ...{ at: now, actor: 'system', action: 'merchant.created', outcome: 'created', requestId: '' },
      ...{ merchantId: id, subject: id, version: 0, mac: new Uint8Array(0) },
    })
  }
}

function tell(row: MerchantRow, kind: 'server' | 'browser'): Authenticated {
  const { id: merchantId, bucket, origins, strictServerAuth } = row
  return { kind, merchantId, bucket, blocked: row.state === 'blocked', origins, strictServerAuth }
}

/** A blocked merchant or a changed password is known within this time, in every process. */
const lifeMs = 5000
/** Rows kept in memory; the oldest goes first. */
const keptMax = 4096
