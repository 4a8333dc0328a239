import type { Keyring } from '@tessera/vault/keyring'
import { makeRowAuthenticator, type AuthenticatedTable, type RowAuthenticator } from '@tessera/vault/rowmac'

import type { Row, Statement, Value } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'
import type { RowVersion } from '../../store/table.ts'

import type { ChainFollower } from './chain-follower.ts'

/** Decides whether a row with a valid MAC is the newest that the service wrote of its object, or an older one that somebody put back. */
export interface RowFreshness {
  /** Synchronous for nearly every row. `hasValidMac` compares the MAC of the row that is read again. */
  isFresh<R>(table: FreshTable<R>, row: R, hasValidMac: (row: R) => Promise<boolean> | boolean): Promise<boolean> | boolean
}

/** A table whose rows the audit knows by their versions (`versionOf`, `versionAs` and `endsOnce` in the column map). */
export interface FreshTable<R> {
  versionOf(this: void, row: R): RowVersion
  readonly isExact: boolean
  readonly selectStatement: Statement
  keyValues(this: void, row: R): Value[]
  fromRow(this: void, row: Row): R
}

/** Any table with row MACs: most have no versions in the audit. */
export type MaybeFreshTable<R> = { readonly [K in keyof FreshTable<R>]?: FreshTable<R>[K] | null }

export interface RowFreshnessDependencies {
  readonly store: Pick<Store, 'read'>
  readonly follower: ChainFollower
}

/**
 * A row is compared with the newest version of its object that the audit chains have, which the process holds in memory
 * (docs/decisions/0037-freshness.md).
 */
export function makeRowFreshness({ store, follower }: RowFreshnessDependencies): RowFreshness {
  return Object.freeze({ isFresh })

  function isFresh<R>(table: FreshTable<R>, row: R, hasValidMac: MacCheck<R>): Promise<boolean> | boolean {
    const { subject, version } = table.versionOf(row)
    return (!table.isExact && version >= follower.versions.get(subject)) || isFreshNow(table, row, hasValidMac)
  }

  /** Reads the audit up to its end first. */
  async function isFreshNow<R>(table: FreshTable<R>, row: R, hasValidMac: MacCheck<R>): Promise<boolean> {
    const { subject, version } = table.versionOf(row)
    await follower.catchUp()
    const newest = follower.versions.get(subject)
    if (version >= newest) return true
    // The row may have been read just before a change, but only when the change is of the last seconds.
    if (!follower.isRecent(subject)) return false
    const [found] = await store.read({
      statement: table.selectStatement,
      values: table.keyValues(row),
      map: (rows) => rows.map(table.fromRow),
    })
    const now = found === undefined ? null : table.versionOf(found)
    // It is gone, or another object has its place: nothing was put back, and what the row decides is conditional on it.
    if (found === undefined || now?.subject !== subject) return true
    return now.version >= newest && (await hasValidMac(found))
  }
}

type MacCheck<R> = (row: R) => Promise<boolean> | boolean

export interface RowAuthenticatorDependencies {
  readonly keyring: Pick<Keyring, 'active' | 'byId'>
  readonly environment: string
  /** Without it, a row put back as it was is accepted: for commands that look at single rows, and for tests of them. */
  readonly freshness?: RowFreshness | undefined
}

/** Makes and compares the MACs of a table's rows, and refuses a row that is older than the newest one in the audit. */
export function makeFreshRowAuthenticator<R extends { readonly mac: Uint8Array }>(
  { keyring, environment, freshness }: RowAuthenticatorDependencies,
  table: AuthenticatedTable<R> & MaybeFreshTable<R>,
): RowAuthenticator<R> {
  const mac = makeRowAuthenticator(keyring, environment, table)
  if (freshness === undefined || !isVersioned(table)) return mac
  return Object.freeze({
    ...mac,
    hasValidMac(row: R) {
      const valid = mac.hasValidMac(row)
      if (valid instanceof Promise) return valid.then((isValid) => isValid && freshness.isFresh(table, row, mac.hasValidMac))
      return valid && freshness.isFresh(table, row, mac.hasValidMac)
    },
  })
}

function isVersioned<R>(table: AuthenticatedTable<R> & MaybeFreshTable<R>): table is AuthenticatedTable<R> & FreshTable<R> {
  return typeof table.versionOf === 'function'
}
