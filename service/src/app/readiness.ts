import type { Kek } from '@tessera/vault/kek'
import type { Keyring } from '@tessera/vault/keyring'

import { smsLongAwayMs, type GatewayConnection } from '../adapters/sms/sms.ts'
import { withTimeout, type Clock } from '../clock.ts'
import type { ClockGuard } from '../domain/clock-guard.ts'
import type { KnownAnswers } from '../domain/keys/known-answers.ts'
import type { Peers, PeerUsage } from '../domain/limits/peers.ts'
import type { PeerHealth } from '../ops/health/peer-health.ts'
import type { ReadHealth, WriteHealth } from '../ops/health/write-health.ts'
import { PrimaryRefused, type Store } from '../store/store.ts'

import type { DamageAlarm } from './damage-alarm.ts'
import type { AwayPart, ReadinessCheck } from './lifecycle.ts'

export interface ReadinessDependencies {
  readonly store: Pick<Store, 'ping'>
  readonly keyring: Pick<Keyring, 'read'>
  readonly kek: Pick<Kek, 'failure'>
  readonly nextKek: () => Pick<Kek, 'failure'> | null
  readonly knownAnswers: Pick<KnownAnswers, 'verifyServiceKeys'>
  readonly clock: Pick<Clock, 'moment' | 'sleep'>
  readonly writes: WriteHealth
  readonly reads: Pick<ReadHealth, 'failure'>
  readonly damage: Pick<DamageAlarm, 'damage'>
  /** Tries to write; `writes` records the outcome. */
  readonly probeWrite: () => Promise<void>
  readonly peerHealth: { readonly networks: ReadonlyMap<string, PeerHealth>; readonly sms: ReadonlyMap<string, PeerHealth> }
  readonly peers: Pick<Peers, 'listPeers'>
  readonly listSmsConnections: () => readonly GatewayConnection[]
  readonly checkpoints: { failingDestinations(): readonly string[] }
  readonly clockGuard: Pick<ClockGuard, 'status'>
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
  const {
    store,
    keyring,
    kek,
    nextKek,
    knownAnswers,
    clock,
    writes,
    reads,
    damage,
    probeWrite,
    peerHealth,
    peers,
    listSmsConnections,
    checkpoints,
    clockGuard,
  } = deps
  const ping = inTime(clock, () => store.ping())
  /** One answer of the store decides two conditions. */
  let pinged = Promise.resolve()
  const keys = makeKeyStoreCheck(
    inTime(clock, () => keyring.read()),
    clock,
  )
  const probe = inTime(clock, probeSome(probeWrite))
  /** One network or gateway is named by its part alone, several by their names. */
  const listAwayPeers = (kind: 'network' | 'sms', healths: ReadonlyMap<string, PeerHealth>): AwayPart[] =>
    [...healths].flatMap(([name, health]) => {
      const reason = unanswered(health) ?? openBreaker(peers, kind, name)
      return awayPart(kind, reason !== null && healths.size > 1 ? `${name}: ${reason}` : reason)
    })
  return {
    checks: [
      // Nobody can know which server has the acknowledged writes; an operator has to look.
      { state: 'primary_refused', run: () => (pinged = ping()).catch(rethrowRefused) },
      { state: 'store_unavailable', run: () => pinged },
      // A standby may have the pages whole: nothing more is to be written here before somebody has looked.
      { state: 'store_damaged', run: () => requireUndamaged(damage) },
      { state: 'store_not_writable', run: () => requireWritable(writes, probe) },
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
      ...(writes.writable() !== 'all' ? [{ part: 'store', reason: `some writes fail: ${writes.lastFailure()}` } as const] : []),
      ...awayPart('store', reads.failure()),
      ...awayPart('key_store', keys.failure()),
      ...awayPart('kek', kek.failure() ?? nextKek()?.failure() ?? null),
      ...listAwayPeers('network', peerHealth.networks),
      ...listAwayPeers('sms', peerHealth.sms),
      ...listSmsConnections().flatMap((connection) => awayPart('sms', awayConnection(connection))),
      ...checkpoints.failingDestinations().map((name) => ({ part: 'checkpoints', reason: `${name} does not take checkpoints` }) as const),
      ...awayPart('clock', refusedClock(clockGuard)),
    ],
  }
}

function awayPart(part: AwayPart['part'], reason: string | null): readonly AwayPart[] {
  return reason === null ? [] : [{ part, reason }]
}

function refusedClock(guard: Pick<ClockGuard, 'status'>): string | null {
  const { refusal } = guard.status()
  if (refusal === null) return null
  const what = refusal.reason === 'jumped' ? 'it jumped' : 'it stands behind the audit'
  return `${what} by ${String(Math.round(Math.abs(refusal.byMs) / 1000))} s: nothing is destroyed or moved because of a time until tessera clock confirm`
}

function unanswered(peer: PeerHealth): string | null {
  const count = peer.unansweredCount()
  return count === null ? null : `the last ${String(count)} calls got no answer`
}

function awayConnection({ gateway, bind, awayMs }: GatewayConnection): string | null {
  if (awayMs < smsLongAwayMs) return null
  const effect = bind === 'receiver' ? 'messages are sent, and no delivery report arrives' : 'messages are rejected'
  return `${gateway}: the ${bind} has been away for ${String(Math.round(awayMs / 1000))} s: ${effect}`
}

function openBreaker(peers: Pick<Peers, 'listPeers'>, kind: PeerUsage['kind'], name: string): string | null {
  const isOpen = peers.listPeers().some((usage) => usage.kind === kind && usage.name === name && usage.openBreakers > 0)
  return isOpen ? 'it does not respond in time, and calls are refused for a moment' : null
}

async function requireUndamaged({ damage }: Pick<DamageAlarm, 'damage'>): Promise<void> {
  const found = damage()
  if (found !== null) throw new Error(found)
}

/**
 * After a failure probes decide, each in another bucket: one that succeeds means that some buckets can be written, also when others fail after it.
 */
async function requireWritable(writes: WriteHealth, probe: () => Promise<void>): Promise<void> {
  if (writes.writable() !== 'none') return
  await probe().catch(() => {
    throw new Error(writes.lastFailure())
  })
}

/** Resolves when one of eight writes succeeds: four at a time, so that those which hang leave writers to others. */
function probeSome(probeWrite: () => Promise<void>): () => Promise<void> {
  const probeFour = (): Promise<unknown> => Promise.any(Array.from({ length: 4 }, probeWrite))
  return async () => {
    await probeFour().catch(probeFour)
  }
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

/** Any other error of the store is that of the next check. */
function rethrowRefused(err: unknown): void {
  if (err instanceof PrimaryRefused) throw err
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
