import type { Kek } from '@tessera/vault/kek'
import { KeyNotRetiredError, UnknownKeyError, type Keyring, type KeyPurpose } from '@tessera/vault/keyring'

import type { Clock } from '../../clock.ts'
import { insertAuditEntry } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'
import { KeyInUseError, type CardResealer } from '../cards/reseal.ts'
import type { AuditActor } from '../request-context.ts'

import { countUnsignedRows, type RestoredRowDependencies, signRestoredRows, type UnsignedRowCount } from './sign-rows.ts'

/** What an operator does to data keys. The audit has each request before it is done, so that nothing is done without its entry, and then its outcome. */
export interface KeyAdministration {
  /** The id of the key that wraps the data keys. */
  readonly kekId: string
  /** Oldest first. */
  list(): Promise<KeyDetails[]>
  /** `owner` is a merchant id for card keys, '' for the others. */
  rotate(purpose: KeyPurpose, owner: string, by: AuditActor): Promise<{ readonly keyId: string; readonly epoch: number }>
  /** Null when the key is destroyed; otherwise the sentence that says why it is not. */
  destroy(keyId: string, by: AuditActor): Promise<string | null>
  /** Rows without a MAC, by table. */
  countUnsigned(): Promise<UnsignedRowCount[]>
  /** Signs them, when an operator vouches for a restored database. Null when another process is signing. */
  signRestored(by: AuditActor): Promise<number | null>
}

export interface KeyDetails {
  readonly keyId: string
  readonly purpose: string
  readonly owner: string
  readonly epoch: number
  readonly state: string
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Cards sealed under it; null where the purpose seals none. */
  readonly cards: number | null
}

export interface KeyAdministrationDependencies {
  readonly keyring: Keyring
  readonly kek: Pick<Kek, 'id'>
  readonly reseal: Pick<CardResealer, 'status' | 'destroy'>
  readonly store: Store
  readonly clock: Clock
  readonly environment: string
  readonly log: RestoredRowDependencies['log']
  readonly stopping: AbortSignal
}

export function makeKeyAdministration(deps: KeyAdministrationDependencies): KeyAdministration {
  const { keyring, kek, reseal, store, clock } = deps
  return Object.freeze({
    kekId: kek.id,
    list,
    rotate,
    destroy,
    countUnsigned: () => countUnsignedRows(deps),
    signRestored: (by: AuditActor) => signRestoredRows(deps, by),
  })

  async function list(): Promise<KeyDetails[]> {
    const cards = new Map((await reseal.status()).map((key) => [key.keyId, key.cards]))
    return keyring
      .list()
      .sort((a, b) => a.createdAt - b.createdAt)
      .map(({ keyId, purpose, owner, epoch, state, createdAt }) => {
        return { keyId, purpose, owner, epoch, state, createdAt, cards: cards.get(keyId) ?? null }
      })
  }

  async function rotate(purpose: KeyPurpose, owner: string, by: AuditActor) {
    await record(by, { action: 'key.rotated', merchantId: owner, subject: purpose, outcome: 'requested' })
    const { keyId, epoch } = await keyring.rotate(purpose, owner)
    await record(by, { action: 'key.rotated', merchantId: owner, subject: keyId, outcome: 'done' })
    return { keyId, epoch }
  }

  async function destroy(keyId: string, by: AuditActor): Promise<string | null> {
    const entry = { action: 'key.destroyed', merchantId: '', subject: keyId } as const
    await record(by, { ...entry, outcome: 'requested' })
    try {
      await reseal.destroy(keyId)
    } catch (err) {
      await record(by, { ...entry, outcome: 'refused' })
      if (err instanceof KeyInUseError || err instanceof KeyNotRetiredError || err instanceof UnknownKeyError)
        return asSentence(err.message)
      throw err
    }
    await record(by, { ...entry, outcome: 'done' })
    return null
  }

  async function record({ actor, requestId, address }: AuditActor, entry: KeyAuditEntry): Promise<void> {
    const audit = { ...entry, at: clock.now(), actor, requestId, address, version: 0, mac: new Uint8Array(0) }
    await store.write(insertAuditEntry, { audit })
  }
}

interface KeyAuditEntry {
  readonly action: 'key.rotated' | 'key.destroyed'
  readonly merchantId: string
  readonly subject: string
  readonly outcome: string
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
