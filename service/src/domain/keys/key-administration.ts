import { KekUnavailableError, type Kek } from '@tessera/vault/kek'
import { KeyNotRetiredError, UnknownKeyError, type Keyring, type KeyPurpose } from '@tessera/vault/keyring'

import type { Clock } from '../../clock.ts'
import { dueAt } from '@tessera/vault/epoch'
import type { KekDetails, KekRegistry } from './kek-registry.ts'
import { verifyKeys, type KeyVerification } from './verify-keys.ts'
import { insertAuditEntry } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'
import { makeWalk, type Walk, type WalkOptions } from '../../store/walk.ts'
import { KeyInUseError, type CardResealer, type ResealedKey } from '../cards/reseal.ts'
import type { Custody } from '../custody/custody.ts'
import type { AuditActor } from '../request-context.ts'
import type { WorkPace } from '../work-pace.ts'

import { countUnsignedRows, type RestoredRowDependencies, signRestoredRows, type UnsignedRowCount } from './sign-rows.ts'

/** What an operator does to data keys. The audit has each request before it is done, so that nothing is done without its entry, and then its outcome. */
export interface KeyAdministration {
  /** The KEKs, the one that wraps new keys first. */
  listKeks(): Promise<KekDetails[]>
  /** Oldest first. */
  list(): Promise<KeyDetails[]>
  /** `owner` is a merchant id for card keys, '' for the others. */
  rotate(purpose: KeyPurpose, owner: string, by: AuditActor): Promise<{ readonly keyId: string; readonly epoch: number }>
  /** Null when the key is destroyed; otherwise the sentence that says why it is not. */
  destroy(keyId: string, by: AuditActor): Promise<string | null>
  /** Reseals every card of a retired key at a share of the time, above 0 and up to 1. Audited before and after. Returns why it cannot. */
  reseal(keyId: string, shareOfTime: number, by: AuditActor, options: ResealOptions): Promise<ResealedKey | ResealRefusal>
  /**
   * Wraps every data key by the next KEK, or by the newest version of the current one. Audited before and after. Returns why it cannot; `processes`
   * are those that cannot unwrap by the next KEK, `notAgreed` is a set whose custodians have to agree. Throws `KekUnavailableError`, and the reason of
   * the signal; a second run continues.
   */
  rewrap(by: AuditActor, options: ResealOptions): Promise<RewrappedKeys | RewrapRefusal>
  /** The KEK by which a rewrap would wrap the keys; null when there is none. */
  rewrapTarget(): string | null
  /** Verifies the key store. Audited. */
  verify(by: AuditActor): Promise<KeyVerification>
  /** Rows without a MAC, by table. */
  countUnsigned(): Promise<UnsignedRowCount[]>
  /** Signs them, when an operator vouches for a restored database. Null when another process is signing. */
  signRestored(by: AuditActor): Promise<number | null>
}

export type ResealRefusal = 'unknown' | 'active' | 'running'
export interface RewrappedKeys {
  /** The KEK that wraps new keys now. */
  readonly kekId: string
  readonly rewrapped: number
  readonly left: number
}

export type RewrapRefusal = 'no_next' | 'running' | { readonly processes: readonly string[] } | { readonly notAgreed: string }
export type ResealOptions = Required<Pick<WalkOptions, 'signal' | 'onProgress'>>

export interface KeyDetails {
  readonly keyId: string
  readonly purpose: string
  readonly owner: string
  readonly epoch: number
  readonly state: string
  /** The KEK that wraps it. */
  readonly kekId: string
  /** Unix milliseconds. */
  readonly createdAt: number
  /** When it is due to be replaced, Unix milliseconds; null for keys that are out of use and those that never expire. */
  readonly dueAt: number | null
  /** Cards sealed under it; null where the purpose seals none. */
  readonly cards: number | null
}

export interface KeyAdministrationDependencies {
  readonly keyring: Keyring
  readonly kek: Pick<Kek, 'id' | 'kind' | 'versionOf'>
  readonly nextKek: () => Pick<Kek, 'id'> | null
  readonly keks: KekRegistry
  /** A set of KEKs in use whose custodians have not agreed to another one; null where none has to. */
  readonly findDissent: Custody['findDissent']
  readonly reseal: Pick<CardResealer, 'status' | 'destroy' | 'resealKey'>
  readonly makePace: (shareOfTime: number) => WorkPace
  readonly store: Store
  readonly clock: Clock
  readonly environment: string
  readonly log: RestoredRowDependencies['log']
  readonly stopping: AbortSignal
}

export function makeKeyAdministration(deps: KeyAdministrationDependencies): KeyAdministration {
  const { keyring, kek, nextKek, keks, reseal, store, clock } = deps
  return Object.freeze({
    listKeks: keks.list,
    list,
    rewrap,
    rewrapTarget,
    verify,
    rotate,
    destroy,
    reseal: resealKey,
    countUnsigned: () => countUnsignedRows(deps),
    signRestored: (by: AuditActor) => signRestoredRows(deps, by),
  })

  async function list(): Promise<KeyDetails[]> {
    const cards = new Map((await reseal.status()).map((key) => [key.keyId, key.cards]))
    return keyring
      .list()
      .sort((a, b) => a.createdAt - b.createdAt)
      .map((key) => {
        const { keyId, purpose, owner, epoch, state, kekId, createdAt } = key
        return { keyId, purpose, owner, epoch, state, kekId, createdAt, dueAt: dueAt(key), cards: cards.get(keyId) ?? null }
      })
  }

  function rewrapTarget(): string | null {
    return (nextKek() ?? (kek.versionOf === undefined ? null : kek))?.id ?? null
  }

  /** A set of shares whose custodians have to agree first. One that wraps keys already was agreed to: a rewrap that was cut off goes on. */
  function findDissent(toKekId: string): string | null {
    const inUse = new Set(keyring.list().flatMap(({ state, kekId }) => (state === 'destroyed' ? [] : [kekId])))
    return inUse.has(toKekId) ? null : deps.findDissent(inUse, toKekId)
  }

  async function rewrap(by: AuditActor, { signal, onProgress }: ResealOptions): Promise<RewrappedKeys | RewrapRefusal> {
    const to = rewrapTarget()
    if (to === null) return 'no_next'
    const lock = await store.tryLock('rewrap-keys')
    if (lock === null) return 'running'
    const entry = { action: 'key.rewrapped', merchantId: '', subject: to } as const
    try {
      const processes = await keks.listProcessesWithout(to)
      if (processes.length > 0) return { processes }
      const notAgreed = findDissent(to)
      if (notAgreed !== null) return { notAgreed }
      await record(by, { ...entry, outcome: 'requested' })
      return await runRewrap(by, entry, { signal, onProgress })
    } finally {
      await lock.release()
    }
  }

  /** After its request is in the audit. */
  async function runRewrap(by: AuditActor, entry: Omit<KeyAuditEntry, 'outcome'>, { signal, onProgress }: ResealOptions) {
    try {
      const walk = makeWalk({ signal, onProgress, now: () => clock.moment().monotonicMs })
      const result = await keyring.rewrap({ signal, onProgress: advanceWalk(walk) })
      if (result === null) return 'no_next'
      await keks.update()
      await record(by, { ...entry, outcome: result.left === 0 ? 'done' : 'partial' })
      return { kekId: entry.subject, ...result }
    } catch (err) {
      // The reason of the failure is what the operator has to learn, also when it cannot be recorded.
      await record(by, { ...entry, outcome: signal.aborted ? 'cancelled' : 'partial' }).catch(() => undefined)
      throw err
    }
  }

  async function verify(by: AuditActor): Promise<KeyVerification> {
    const verification = await verifyKeys({ store, keyring, environment: deps.environment, now: clock.now() })
    const outcome = verification.findings.length === 0 ? 'clean' : 'violations_found'
    await record(by, { action: 'key.verified', merchantId: '', subject: 'key store', outcome })
    return verification
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

  async function resealKey(keyId: string, shareOfTime: number, by: AuditActor, { signal, onProgress }: ResealOptions) {
    const entry = { action: 'key.resealed', merchantId: '', subject: keyId } as const
    const pace = deps.makePace(shareOfTime)
    await record(by, { ...entry, outcome: 'requested' })
    try {
      const result = await reseal.resealKey(keyId, { walk: makeWalk({ signal, onProgress, now: pace.monotonicMs }), pace, signal })
      await record(by, { ...entry, outcome: typeof result === 'string' ? 'refused' : 'done' })
      return result
    } catch (err) {
      if (signal.aborted) await record(by, { ...entry, outcome: 'cancelled' })
      throw err
    }
  }

  async function record({ actor, requestId, address }: AuditActor, entry: KeyAuditEntry): Promise<void> {
    const audit = { ...entry, at: clock.now(), actor, requestId, address, version: 0, mac: new Uint8Array(0) }
    await store.write(insertAuditEntry, { audit })
  }
}

interface KeyAuditEntry {
  readonly action: 'key.rotated' | 'key.destroyed' | 'key.resealed' | 'key.rewrapped' | 'key.verified'
  readonly merchantId: string
  readonly subject: string
  readonly outcome: string
}

/** Counts keys of a walk whose total is known with the first. */
function advanceWalk(walk: Walk): (done: number, total: number) => void {
  let before = -1
  return (done, total) => {
    if (before === -1) walk.begin('keys', total)
    void walk.advance(done - Math.max(0, before))
    before = done
  }
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** The message of an error that says that a KEK's provider is away; null for any other error. */
export function describeKekAway(err: unknown): string | null {
  return err instanceof KekUnavailableError ? err.message : null
}
