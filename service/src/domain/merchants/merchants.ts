import { bucketOf, isId } from '@tessera/vault/id'
import type { Keyring } from '@tessera/vault/keyring'

import { whenDone, type Awaitable } from '../../awaitable.ts'
import type { RowFreshness } from '../freshness/row-freshness.ts'
import type { Clock } from '../../clock.ts'
import { type MerchantLimits, noSettings, writeSettings } from './settings.ts'
import { type Credential, findMerchant, insertMerchant, type MerchantRow, updateMerchant, merchantsTable } from '../../store/merchants.ts'
import type { Store } from '../../store/store.ts'

import { makeVerifiedRows, type TamperedRowAlarm } from '../verified-rows.ts'
import { makeMerchantCache, type Merchant, type MerchantCache } from './merchant-cache.ts'
import { findMatchingCredential, makeCredential, readXAuth, type PasswordScope, type XAuth } from './credentials.ts'
import { makeMerchantAdministration, type MerchantAdministration, merchantAuditEntry } from './administration.ts'
import { makeCredentialUsage } from './credential-usage.ts'

/** Authenticates merchants by the X-Auth header of a request. */
export interface Merchants extends MerchantCache {
  /** `xAuth` is the raw header; null when absent. Every invalid value costs the same work. */
  authenticate(xAuth: string | null): Awaitable<AuthenticationResult>
  /** Creates the merchant if its id is new and returns whether it was. Throws `RangeError` for a malformed id. */
  ensureMerchant(merchant: NewMerchant): Promise<boolean>
  /** Management by operators. */
  readonly administration: MerchantAdministration
}

export type AuthenticationResult =
  | {
      /** `server` sent the password; `browser` sent only the merchant id. */
      readonly kind: 'server' | 'browser'
      readonly merchantId: string
      readonly bucket: number
      readonly blocked: boolean
      readonly origins: readonly string[]
      readonly strictServerAuth: boolean
      /** The merchant's own limits; they override the service's settings. */
      readonly limits: MerchantLimits
      /** Names of account fields of kind `reference`. */
      readonly referenceFields: ReadonlySet<string>
      /** Of the password that was sent; null without one. */
      readonly passwordScope: PasswordScope | null
    }
  /** No merchant has this id. Ids are public, so this may be disclosed. */
  | { readonly kind: 'unknownMerchant' }
  | { readonly kind: 'denied' }

export interface NewMerchant {
  /** 24 lower-case hex digits. */
  readonly id: string
  readonly name: string
  readonly password: string
}

export interface MerchantDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  /** `test` or `production`; part of every MAC. */
  readonly environment: string
  readonly alarm: TamperedRowAlarm
  readonly freshness?: RowFreshness | undefined
  /** Called when this worker has changed a merchant, of which others may have cached what was before. */
  readonly onChanged?: ((merchantId: string) => void) | undefined
}

export function makeMerchants(deps: MerchantDependencies): Merchants {
  const { store, keyring, clock } = deps
  const rows = makeVerifiedRows(deps, merchantsTable)
  const cache = makeMerchantCache({ ...deps, rows })
  const usage = makeCredentialUsage(deps)
  return Object.freeze({ authenticate, ensureMerchant, ...cache, administration: makeMerchantAdministration({ ...deps, rows, cache }) })

  function authenticate(xAuth: string | null): Awaitable<AuthenticationResult> {
    const read = readXAuth(xAuth)
    if (read === null) return { kind: 'denied' }
    const { id, password } = read
    const found = isId(id) ? (cache.cached(id) ?? cache.find(id)) : null
    return whenDone(found, (merchant) => {
      const matching = password === null ? null : findMatchingCredential(keyring, merchant?.row ?? null, id, password)
      return whenDone(matching, (credential) => resultOf(read, merchant, credential))
    })
  }

  function resultOf({ id, password }: XAuth, merchant: Merchant | null, credential: Credential | null): AuthenticationResult {
    if (merchant === null) return { kind: 'unknownMerchant' }
    if (password === null) return authenticated(merchant, 'browser', null)
    if (credential === null) return { kind: 'denied' }
    usage.record(id, credential)
    return authenticated(merchant, 'server', credential.scope)
  }

  async function ensureMerchant(input: NewMerchant): Promise<boolean> {
    const { id, name, password } = input
    if (!isId(id)) throw new RangeError('a merchant id is 24 lower-case hex digits')
    const now = clock.now()
    const base = { id, bucket: bucketOf(id), version: 1, state: 'active', name, organization: '', address: '', createdAt: now } as const
    const credential = await makeCredential(keyring, { id, credentials: [] }, password, { now, scope: 'full' })
    const empty = { settings: writeSettings(noSettings), credentials: [credential], mac: new Uint8Array(0) }
    const row = await rows.seal({ ...base, ...empty })
    if (
      await store.write(insertMerchant, {
        merchant: row,
        audit: merchantAuditEntry(row, { at: now, actor: 'system', action: 'merchant.created', outcome: 'created' }),
      })
    )
      return true
    await resealUnsigned(await store.read(findMerchant(id)), row)
    return false
  }

  /** A row from before rows had a MAC is rewritten from the given merchant; its contents are not trusted. */
  async function resealUnsigned(found: MerchantRow | null, fresh: MerchantRow): Promise<void> {
    if (found === null || found.mac.length > 0) return
    const row = await rows.seal({ ...fresh, version: found.version + 1, createdAt: found.createdAt })
    await store.write(updateMerchant, {
      merchant: row,
      audit: merchantAuditEntry(row, { at: clock.now(), actor: 'system', action: 'merchant.row_signed', outcome: 'done' }),
    })
    cache.forget(row.id)
  }
}

function authenticated(
  { row, settings, referenceFields }: Merchant,
  kind: 'server' | 'browser',
  passwordScope: PasswordScope | null,
): AuthenticationResult {
  const { origins, strictServerAuth, limits } = settings
  const isBlocked = row.state === 'blocked'
  return {
    kind,
    merchantId: row.id,
    bucket: row.bucket,
    blocked: isBlocked,
    origins,
    strictServerAuth,
    limits,
    referenceFields,
    passwordScope,
  }
}
