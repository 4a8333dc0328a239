import type { Keyring } from '@tessera/vault/keyring'

import { withTimeout, type Clock } from '../clock.ts'
import type { KnownAnswers } from '../domain/keys/known-answers.ts'
import type { Peers, PeerUsage } from '../domain/limits/peers.ts'
import type { PeerHealth } from '../ops/health/peer-health.ts'
import type { WriteHealth } from '../ops/health/write-health.ts'
import type { Store } from '../store/store.ts'

import type { AwayPart, ReadinessCheck } from './lifecycle.ts'

export interface ReadinessDependencies {
  readonly store: Pick<Store, 'ping'>
  readonly keyring: Pick<Keyring, 'read'>
  readonly knownAnswers: Pick<KnownAnswers, 'verifyServiceKeys'>
  readonly clock: Pick<Clock, 'moment' | 'sleep'>
  readonly writes: WriteHealth
  /** Tries to write; `writes` records the outcome. */
  readonly probeWrite: () => Promise<void>
  readonly peerHealth: { readonly network: PeerHealth; readonly sms: PeerHealth }
  readonly peers: Pick<Peers, 'listPeers'>
  readonly checkpoints: { failingDestinations(): readonly string[] }
}

/** What readiness is made of. */
export interface ReadinessParts {
  /** Without these no call that writes succeeds, in the order in which it is reported. A new condition is an entry here. */
  readonly checks: readonly ReadinessCheck[]
  /** What some calls miss, without asking anybody. */
  readonly listAway: () => readonly AwayPart[]
}

/** Whether calls succeed, and what is away. Never waits longer than a second for the store or the key store, and for nobody else. */
export function makeReadiness(deps: ReadinessDependencies): ReadinessParts {
  const { store, keyring, knownAnswers, clock, writes, probeWrite, peerHealth, peers, checkpoints } = deps
  const keys = makeKeyStoreCheck(
    inTime(clock, () => keyring.read()),
    clock,
  )
  return {
    checks: [
      { state: 'store_unavailable', run: inTime(clock, () => store.ping()) },
      { state: 'store_not_writable', run: () => requireWritable(writes, inTime(clock, probeWrite)) },
      { state: 'keys_unavailable', run: keys.requireUsable },
      // The database was restored or replaced by one that was written with other keys.
      {
        state: 'key_store_mismatch',
        run: onceIn(
          retryMs,
          clock,
          inTime(clock, () => knownAnswers.verifyServiceKeys()),
        ),
      },
    ],
    listAway: () => [
      ...(writes.writable() === 'some' ? [{ part: 'store', reason: `some writes fail: ${writes.lastFailure()}` } as const] : []),
      ...awayPart('key_store', keys.failure()),
      ...awayPart('network', unanswered(peerHealth.network) ?? openBreaker(peers, 'network')),
      ...awayPart('sms', unanswered(peerHealth.sms) ?? openBreaker(peers, 'sms')),
      ...checkpoints.failingDestinations().map((name) => ({ part: 'checkpoints', reason: `${name} does not take checkpoints` }) as const),
    ],
  }
}

function awayPart(part: AwayPart['part'], reason: string | null): readonly AwayPart[] {
  return reason === null ? [] : [{ part, reason }]
}

function unanswered(peer: PeerHealth): string | null {
  const count = peer.unansweredCount()
  return count === null ? null : `the last ${String(count)} calls got no answer`
}

function openBreaker(peers: Pick<Peers, 'listPeers'>, kind: PeerUsage['kind']): string | null {
  const isOpen = peers.listPeers().some((usage) => usage.kind === kind && usage.openBreakers > 0)
  return isOpen ? 'it does not respond in time, and calls are refused for a moment' : null
}

/** After a failure the probe decides: as long as it fails too, no bucket can be written. */
async function requireWritable(writes: WriteHealth, probeWrite: () => Promise<void>): Promise<void> {
  if (writes.writable() !== 'none') return
  await probeWrite().catch(() => undefined)
  if (writes.writable() === 'none') throw new Error(writes.lastFailure())
}

/** Nothing new is sealed once the keys have not been read for a minute; until then a lost key store is no more than away. There may be many keys. */
function makeKeyStoreCheck(read: () => Promise<void>, clock: Pick<Clock, 'moment'>) {
  let readAt = clock.moment().monotonicMs
  let failure: string | null = null
  const check = onceIn(readEveryMs, clock, async () => {
    const startedAt = clock.moment().monotonicMs
    await read()
    readAt = startedAt
  })
  return {
    failure: () => failure,
    async requireUsable(): Promise<void> {
      try {
        await check()
        failure = null
      } catch (err) {
        failure = err instanceof Error ? err.message : String(err)
        if (clock.moment().monotonicMs - readAt > usableWithoutKeyStoreMs) throw err
      }
    },
  }
}

/** Rejects when a check takes longer than a second. It goes on meanwhile, and is not started a second time. */
function inTime(clock: Pick<Clock, 'sleep'>, check: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  return async () => {
    const pending = (running ??= check().finally(() => (running = null)))
    pending.catch(() => undefined)
    const end = await withTimeout<'done' | 'late'>({ clock, timeoutMs: checkTimeoutMs }, 'late', () => pending.then(() => 'done'))
    if (end === 'late') throw new Error('no answer within a second')
  }
}

/** Runs a check at most once in a time, and one that failed sooner again; until then its last result is repeated. */
function onceIn(ms: number, clock: Pick<Clock, 'moment'>, check: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | null = null
  let dueAt = 0
  return () => {
    const now = clock.moment().monotonicMs
    if (result === null || now >= dueAt) {
      dueAt = now + ms
      result = check()
      result.catch(() => (dueAt = now + retryMs))
    }
    return result
  }
}

const checkTimeoutMs = 1000
const retryMs = 5000
const readEveryMs = 30_000
/** As long as the keyring seals without having read the key store (`rereadMs` in vault/src/keyring.ts). */
const usableWithoutKeyStoreMs = 60_000
