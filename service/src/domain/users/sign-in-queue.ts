import { RpcError } from '@tessera/contract/errors'

import type { Clock } from '../../clock.ts'
import type { Config } from '../../ops/config/config.ts'

/**
 * The line in which slow hashes of passwords wait for their turn; one runs at a time.
 *
 * Signed-in users and known devices come first. Among the others the turn goes alternately to the address and to the login that had the fewest turns lately,
 * so that a flood, whether it is aimed at one login or comes from one address, waits behind everybody else (docs/decisions/0039-sign-in-flood.md).
 */
export interface SignInQueue {
  /** Runs `work` in its turn. Throws `overloaded` when the line is full, and when the caller has gone away. */
  run<T>(place: QueuePlace, work: () => Promise<T>): Promise<T>
  /** How many wait. */
  waitingCount(): number
  /** Whether sign-ins had to wait lately: then a proof of work is asked for. */
  isLoaded(): boolean
  /** How many turns an address had lately, those of its block included in part. */
  recentTurns(place: Pick<QueuePlace, 'address' | 'block'>): number
}

export interface QueuePlace {
  /** `known`: a signed-in user, or a device on which the user has signed in before. */
  readonly lane: 'known' | 'unknown'
  readonly address: string
  readonly block: string
  /** The login, also where there is none with that phone. */
  readonly login: string
  /** Aborted when the caller has gone away. */
  readonly signal?: AbortSignal | undefined
}

export interface SignInQueueSettings {
  /** How many may wait, of unknown devices. */
  readonly waitingMax: number
  /** How many of them for one login, and from one address. */
  readonly waitingPerLoginMax: number
  readonly waitingPerAddressMax: number
  /** With so many waiting the line is loaded. */
  readonly loadedFrom: number
  /** While it is loaded, the rest after a hash: its duration times this. It leaves the processor to the API. */
  readonly restShare: number
}

/** `signInRestPercent` is relative to the hash. */
export function signInQueueSettings({ signInWaitingMax, signInRestPercent }: Config): SignInQueueSettings {
  return { waitingMax: signInWaitingMax, waitingPerLoginMax: 8, waitingPerAddressMax: 4, loadedFrom: 2, restShare: signInRestPercent / 100 }
}

export interface SignInQueueDependencies {
  readonly clock: Pick<Clock, 'sleep'>
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly settings: SignInQueueSettings
}

interface WaitingHash {
  readonly place: QueuePlace
  readonly since: number
  readonly start: () => Promise<unknown>
  readonly refuse: () => void
}

export function makeSignInQueue({ clock, now, settings }: SignInQueueDependencies): SignInQueue {
  const waiting: Record<QueuePlace['lane'], WaitingHash[]> = { known: [], unknown: [] }
  const turns = makeRecentTurns(now)
  let isRunning = false
  let isResting = false
  let loadedUntil = -Infinity
  let isLoginNext = false
  let knownInARow = 0
  let shortestMs = Infinity
  return Object.freeze<SignInQueue>({ run, waitingCount, isLoaded, recentTurns: addressScore })

  function run<T>(place: QueuePlace, work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const refuse = (): void => reject(new RpcError('overloaded', { retryAfterMs }))
      const hash: WaitingHash = { place, since: now(), start: () => work().then(resolve, reject), refuse }
      if (place.signal?.aborted === true || !makeRoom(hash)) {
        refuse()
        return
      }
      waiting[place.lane].push(hash)
      place.signal?.addEventListener('abort', () => drop(hash), { once: true })
      if (waiting.unknown.length >= settings.loadedFrom) loadedUntil = now() + loadedMs
      runNext()
    })
  }

  function runNext(): void {
    if (isRunning) return
    refuseLate()
    const next = takeNext()
    if (next === null) return
    isRunning = true
    const startedAt = now()
    turns.count(next.place)
    void next.start().finally(() => {
      isRunning = false
      rest(next.place, now() - startedAt)
      runNext()
    })
  }

  /** Of five turns in a row, one is for unknown devices: known ones cannot keep them out either. */
  function takeNext(): WaitingHash | null {
    const isKnownNext = waiting.known.length > 0 && (knownInARow < knownInARowMax || waiting.unknown.length === 0)
    if (isKnownNext) {
      knownInARow++
      return takeBest(waiting.known, ({ login }) => turns.of(`login ${login}`))
    }
    if (isResting || waiting.unknown.length === 0) return null
    knownInARow = 0
    isLoginNext = !isLoginNext
    const [first, second] = isLoginNext ? [loginScore, addressScore] : [addressScore, loginScore]
    return takeBest(waiting.unknown, (place) => first(place) * tieBreak + second(place))
  }

  function rest({ lane, login }: QueuePlace, ms: number): void {
    // The API at work makes a hash longer, not the rest: both together are what a sign-in waits.
    shortestMs = Math.min(ms, shortestMs * shortestGrowth)
    const restMs = Math.min(shortestMs * settings.restShare, restMsMax)
    const isFlooding = turns.of(`login ${login}`) > freeTurns
    if (!isLoaded() || restMs < restMsMin || (lane === 'known' && !isFlooding)) return
    isResting = true
    const end = (): void => {
      isResting = false
      runNext()
    }
    clock.sleep(restMs, never).then(end, end)
  }

  /** Whether there is room, if need be in place of somebody who had more turns. */
  function makeRoom({ place }: WaitingHash): boolean {
    const line = waiting[place.lane]
    const ofLogin = line.filter((hash) => hash.place.login === place.login)
    if (place.lane === 'known') return ofLogin.length < knownPerLoginMax && line.length < settings.waitingMax
    const ofAddress = line.filter((hash) => hash.place.address === place.address)
    if (ofAddress.length >= settings.waitingPerAddressMax) return false
    if (ofLogin.length >= settings.waitingPerLoginMax && !evictWorse(ofLogin, place)) return false
    return line.length < settings.waitingMax || evictWorse(line, place)
  }

  function evictWorse(line: readonly WaitingHash[], place: QueuePlace): boolean {
    const crowd = (of: QueuePlace): number => line.filter((hash) => hash.place.address === of.address).length
    const score = (of: QueuePlace): number => addressScore(of) + crowd(of)
    const worst = line.reduce((one, other) => (score(other.place) > score(one.place) ? other : one))
    if (score(worst.place) <= score(place)) return false
    drop(worst)
    return true
  }

  function drop(hash: WaitingHash): void {
    const line = waiting[hash.place.lane]
    const index = line.indexOf(hash)
    if (index < 0) return
    line.splice(index, 1)
    hash.refuse()
  }

  function refuseLate(): void {
    for (const hash of [...waiting.known, ...waiting.unknown]) if (now() - hash.since > waitMsMax) drop(hash)
  }

  function addressScore({ address, block }: Pick<QueuePlace, 'address' | 'block'>): number {
    return turns.of(`address ${address}`) + turns.of(`block ${block}`) * blockShare
  }

  function loginScore({ login }: QueuePlace): number {
    return turns.of(`login ${login}`)
  }

  function waitingCount(): number {
    return waiting.known.length + waiting.unknown.length
  }

  function isLoaded(): boolean {
    return now() < loadedUntil
  }
}

/** The first of those with the lowest score. */
function takeBest(line: WaitingHash[], score: (place: QueuePlace) => number): WaitingHash | null {
  let best: { index: number; score: number } | null = null
  for (const [index, { place }] of line.entries()) {
    const found = score(place)
    if (best === null || found < best.score) best = { index, score: found }
  }
  return best === null ? null : (line.splice(best.index, 1)[0] ?? null)
}

interface RecentTurns {
  count(place: QueuePlace): void
  /** A turn counts one half after the half-life, one quarter after two. */
  of(subject: string): number
}

function makeRecentTurns(now: () => number): RecentTurns {
  const counts = new Map<string, { count: number; at: number }>()
  const of = (subject: string): number => {
    const found = counts.get(subject)
    return found === undefined ? 0 : found.count * 2 ** ((found.at - now()) / halfLifeMs)
  }
  return {
    of,
    count({ address, block, login }) {
      for (const subject of [`address ${address}`, `block ${block}`, `login ${login}`]) {
        const count = of(subject) + 1
        counts.delete(subject)
        counts.set(subject, { count, at: now() })
      }
      // The subject that was counted longest ago is forgotten first.
      while (counts.size > maxSubjects) counts.delete(counts.keys().next().value ?? '')
    },
  }
}

const never = new AbortController().signal
const halfLifeMs = 120_000
const maxSubjects = 20_000
/** Eight turns of a block count like one of each of its addresses: a rented /24 is not 256 strangers. */
const blockShare = 1 / 8
/** Scores are far below it. */
const tieBreak = 1e6
/** The line counts as loaded for so long after it was. */
const loadedMs = 30_000
const knownInARowMax = 4
const knownPerLoginMax = 3
/** So many turns of one login are without a rest for a known device. */
const freeTurns = 5
const restMsMin = 20
const restMsMax = 2000
/** So that it follows a machine that has become slower. */
const shortestGrowth = 1.02
/** Beyond it the page has given up. */
const waitMsMax = 20_000
const retryAfterMs = 2000
