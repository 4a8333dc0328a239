import { bucketOf, isId } from '@tessera/vault/id'
import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../clock.ts'
import type { MerchantLimits } from '../limits/merchant-limits.ts'
import type { MerchantRow, Store } from '../store/store.ts'

import { openBook, type Merchant, type MerchantAlarm, type MerchantBook } from './book.ts'
import { isLivePassword, makeCredential } from './credentials.ts'
import { makeMerchantDeeds, type MerchantDeeds } from './deeds.ts'
import { makeMerchantMac } from './mac.ts'
import { noteMerchant } from './note.ts'
import { noSettings, writeSettings } from './settings.ts'
import { makeCredentialUses } from './uses.ts'
import { readXAuth } from './x-auth.ts'

/** The merchants: who a request's X-Auth proves to be calling. */
export interface Merchants extends MerchantBook {
  /** `xAuth` is the header as it came, null when there was none. Every wrong one costs the same work. */
  authenticate(xAuth: string | null): Promise<Authenticated>
  /** Keeps a merchant if its id is new; tells whether it was. Throws `RangeError` for an id of another form. */
  ensureMerchant(merchant: NewMerchant): Promise<boolean>
  /** What an operator does to them. */
  readonly deeds: MerchantDeeds
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
      /** What was agreed with it in place of the settings. */
      readonly limits: MerchantLimits
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
  /** `test` or `production`: in every MAC. */
  readonly environment: string
  readonly alarm: MerchantAlarm
}

export function makeMerchants(parts: MerchantParts): Merchants {
  const { store, keyring, clock } = parts
  const mac = makeMerchantMac(keyring, parts.environment)
  const book = openBook({ ...parts, mac })
  const uses = makeCredentialUses(parts)
  return Object.freeze({ authenticate, ensureMerchant, ...book, deeds: makeMerchantDeeds({ ...parts, mac, book }) })

  async function authenticate(xAuth: string | null): Promise<Authenticated> {
    const read = readXAuth(xAuth)
    if (read === null) return { kind: 'denied' }
    const { id, password } = read
    const merchant = isId(id) ? (book.held(id) ?? (await book.find(id))) : null
    const isRight = password === null || (await isLivePassword(keyring, merchant?.row ?? null, id, password))
    if (merchant === null) return { kind: 'unknownMerchant' }
    if (!isRight) return { kind: 'denied' }
    if (password !== null) uses.note(merchant.row, password)
    return tell(merchant, password === null ? 'browser' : 'server')
  }

  async function ensureMerchant(asked: NewMerchant): Promise<boolean> {
    const { id, name, password } = asked
    if (!isId(id)) throw new RangeError('a merchant id is 24 lower-case hex digits')
    const now = clock.now()
    const bare = { id, bucket: bucketOf(id), version: 1, state: 'active', name, organization: '', address: '', createdAt: now } as const
    const credential = await makeCredential(keyring, { id, credentials: [] }, password, now)
    const empty = { settings: writeSettings(noSettings), credentials: [credential], mac: new Uint8Array(0) }
    const row = await mac.seal({ ...bare, ...empty })
    if (await store.insertMerchant(row, noteMerchant(row, { at: now, actor: 'system', action: 'merchant.created', outcome: 'created' })))
      return true
    await sealAnew(await store.findMerchant(id), row)
    return false
  }

  /** A merchant of before rows had a MAC is made again as it is asked for: what its row says is not believed. */
  async function sealAnew(found: MerchantRow | null, fresh: MerchantRow): Promise<void> {
    if (found === null || found.mac.length > 0) return
    const row = await mac.seal({ ...fresh, version: found.version + 1, createdAt: found.createdAt })
    await store.changeMerchant(row, noteMerchant(row, { at: clock.now(), actor: 'system', action: 'merchant.sealed', outcome: 'done' }))
    book.forget(row.id)
  }
}

function tell({ row, settings }: Merchant, kind: 'server' | 'browser'): Authenticated {
  const { origins, strictServerAuth, limits } = settings
  return { kind, merchantId: row.id, bucket: row.bucket, blocked: row.state === 'blocked', origins, strictServerAuth, limits }
}
