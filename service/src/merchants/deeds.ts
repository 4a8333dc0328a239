import { issuePassword } from '@tessera/vault/credential'
import { bucketOf } from '@tessera/vault/id'
import type { Keyring } from '@tessera/vault/keyring'
import { drawPublic } from '@tessera/vault/random'

import type { Clock } from '../clock.ts'
import type { CredentialUse, ListedMerchantRow, MerchantRow, Store } from '../store/store.ts'

import type { Merchant, MerchantBook } from './book.ts'
import { liveMax, liveOf, makeCredential, retired } from './credentials.ts'
import type { MerchantMac } from './mac.ts'
import { noteMerchant, theOperator, type MerchantDoer } from './note.ts'
import { noSettings, writeSettings } from './settings.ts'
import { joinWish, type MerchantWish } from './wish.ts'

/** What an operator does to merchants. A sentence instead of an answer says why it was not done. Each deed is in the audit with what it changed. */
export interface MerchantDeeds {
  /** The password is told here and never again. */
  create(wish: MerchantWish): Promise<{ readonly merchant: Merchant; readonly password: string } | string>
  isKnown(merchantId: string): Promise<boolean>
  find(merchantId: string): Promise<FoundMerchant | string>
  /** In the order of their ids, from behind `after`. */
  list(after: string, count: number): Promise<ListedMerchant[]>
  change(merchantId: string, wish: MerchantWish, by?: MerchantDoer): Promise<Merchant | string>
  /** A blocked merchant makes no call; what is under way is brought to its end, and its events are delivered. */
  block(merchantId: string): Promise<Merchant | string>
  unblock(merchantId: string): Promise<Merchant | string>
  /** A new password beside the one before; refused while two are live. */
  rotatePassword(merchantId: string, by?: MerchantDoer): Promise<{ readonly merchant: Merchant; readonly password: string } | string>
  /** Ends a live password: the older of two, unless it is said which. The last one stays. */
  retirePassword(merchantId: string, number: number | null, by?: MerchantDoer): Promise<Merchant | string>
}

export interface FoundMerchant extends Merchant {
  readonly uses: readonly CredentialUse[]
}

export interface ListedMerchant {
  readonly row: ListedMerchantRow
  /** Whether the row is as we wrote it. */
  readonly isTrue: boolean
}

export interface DeedParts {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly mac: MerchantMac
  readonly book: MerchantBook
}

type Change = Partial<Pick<MerchantRow, 'state' | 'name' | 'organization' | 'address' | 'settings' | 'credentials'>>

export function makeMerchantDeeds({ store, keyring, clock, mac, book }: DeedParts): MerchantDeeds {
  return Object.freeze({ create, isKnown, find, list, change: changeBy, block, unblock, rotatePassword, retirePassword })

  async function create(wish: MerchantWish): ReturnType<MerchantDeeds['create']> {
    const { name, organization = '', address = '' } = wish
    if (name === undefined) return 'A merchant has a name.'
    const settings = joinWish(noSettings, wish)
    if (typeof settings === 'string') return settings
    const now = clock.now()
    const id = Buffer.from(drawPublic(12)).toString('hex')
    const password = issuePassword()
    const credentials = [await makeCredential(keyring, { id, credentials: [] }, password, now)]
    const bare = { id, bucket: bucketOf(id), version: 1, state: 'active', createdAt: now, mac: new Uint8Array(0) } as const
    const row = await mac.seal({ ...bare, name, organization, address, settings: writeSettings(settings), credentials })
    if (!(await store.insertMerchant(row, noteMerchant(row, deed('merchant.created', 'created')))))
      return 'The id was taken already; try again.'
    return { merchant: { row, settings }, password }
  }

  async function isKnown(merchantId: string): Promise<boolean> {
    return (await store.findMerchant(merchantId)) !== null
  }

  async function find(merchantId: string): Promise<FoundMerchant | string> {
    const merchant = await book.read(merchantId)
    return merchant === null ? noMerchant : { ...merchant, uses: await store.listCredentialUses(merchantId) }
  }

  async function list(after: string, count: number): Promise<ListedMerchant[]> {
    const rows = await store.listMerchants(after, count)
    return Promise.all(rows.map(async (row) => ({ row, isTrue: 'brokenAt' in row ? false : await mac.isTrue(row) })))
  }

  function changeBy(merchantId: string, wish: MerchantWish, by = theOperator): Promise<Merchant | string> {
    return change({ merchantId, action: 'merchant.changed', by }, ({ row, settings }) => {
      const joined = joinWish(settings, wish)
      if (typeof joined === 'string') return joined
      const { name = row.name, organization = row.organization, address = row.address } = wish
      return { name, organization, address, settings: writeSettings(joined) }
    })
  }

  function block(merchantId: string): Promise<Merchant | string> {
    return change({ merchantId, action: 'merchant.blocked', by: theOperator }, ({ row }) =>
      row.state === 'blocked' ? 'The merchant is blocked already.' : { state: 'blocked' },
    )
  }

  function unblock(merchantId: string): Promise<Merchant | string> {
    return change({ merchantId, action: 'merchant.unblocked', by: theOperator }, ({ row }) =>
      row.state === 'active' ? 'The merchant is not blocked.' : { state: 'active' },
    )
  }

  async function rotatePassword(merchantId: string, by = theOperator): ReturnType<MerchantDeeds['rotatePassword']> {
    const password = issuePassword()
    const merchant = await change({ merchantId, action: 'merchant.password_rotated', by }, async ({ row }) => {
      if (liveOf(row).length >= liveMax) return twoLive
      const fresh = await makeCredential(keyring, row, password, clock.now())
      return { credentials: [fresh, ...row.credentials].slice(0, keptMax) }
    })
    return typeof merchant === 'string' ? merchant : { merchant, password }
  }

  function retirePassword(merchantId: string, number: number | null, by = theOperator): Promise<Merchant | string> {
    return change({ merchantId, action: 'merchant.password_retired', by }, ({ row }) => {
      const live = liveOf(row)
      const gone = number === null ? live.at(-1) : live.find((each) => each.number === number)
      if (gone === undefined) return `The merchant has no live password ${String(number)}: see tessera merchants show ${row.id}`
      if (live.length < 2) return lastOne
      return { credentials: row.credentials.map((each) => (each === gone ? retired(each, clock.now()) : each)) }
    })
  }

  /** Reads what is there, and puts the change in its place if nobody was faster; then once more. */
  async function change(
    { merchantId, action, by }: { readonly merchantId: string; readonly action: string; readonly by: MerchantDoer },
    decide: (merchant: Merchant) => Change | string | Promise<Change | string>,
  ): Promise<Merchant | string> {
    for (let turn = 0; turn < turnsMax; turn++) {
      const before = await book.read(merchantId)
      if (before === null) return noMerchant
      const wanted = await decide(before)
      if (typeof wanted === 'string') return wanted
      const row = await mac.seal({ ...before.row, ...wanted, version: before.row.version + 1 })
      const isMade = await store.changeMerchant(row, noteMerchant(row, { ...deed(action, changedIn(before.row, row)), ...by }))
      book.forget(merchantId)
      if (isMade) return (await book.find(merchantId)) ?? noMerchant
    }
    return 'Somebody else changes this merchant at the same time; look again.'
  }

  function deed(action: string, outcome: string) {
    return { at: clock.now(), actor: 'operator', action, outcome }
  }
}

/** The members that another value was given, for the audit: their names, never what they say. */
function changedIn(before: MerchantRow, after: MerchantRow): string {
  const names = (['state', 'name', 'organization', 'address', 'credentials'] as const).filter((name) => before[name] !== after[name])
  const [old, young] = [before, after].map(({ settings }) => JSON.parse(settings) as Readonly<Record<string, unknown>>)
  const settings = Object.keys(young ?? {}).filter((name) => JSON.stringify(old?.[name]) !== JSON.stringify(young?.[name]))
  return [...names, ...settings].join(' ') || 'nothing'
}

const noMerchant = 'There is no such merchant: see tessera merchants list'
/** Why a deed was not done, where a caller has words of its own for it. */
export const twoLive = 'Two passwords are live already: end the old one first, with tessera merchants retire-password.'
export const lastOne =
  'This is the only live password: make a new one first, with tessera merchants rotate-password, or block the merchant.'
/** Live ones, and the last that were retired. */
const keptMax = 10
const turnsMax = 5
