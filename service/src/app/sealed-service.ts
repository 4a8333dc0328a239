import { RpcError } from '@tessera/contract/errors'
import { isPublicOperation } from '@tessera/contract/operations'
import { KekMissingError, type Kek } from '@tessera/vault/kek'
import type { KeyStore, WrappedKey } from '@tessera/vault/keyring'
import { randomPublic } from '@tessera/vault/random'
import { shareKekId, type ShareSet } from '@tessera/vault/share-set'

import { kekAdapters } from '../adapters/kms/kek-adapters.ts'
import { sharesKek } from '../adapters/kms/shares-kek.ts'
import type { Clock } from '../clock.ts'
import type { Custody } from '../domain/custody/custody.ts'
import type { CustodyAudit } from '../domain/custody/custody-audit.ts'
import type { AppServices } from '../operations/app-services.ts'
import { refusal } from '../operations/operator.ts'
import { operationRegistry } from '../operations/registry.ts'
import { listenControl } from '../ops/cli/control-server.ts'
import type { Config } from '../ops/config/config.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Authenticator } from '../server/auth/authenticator.ts'
import { operatorAuthenticator } from '../server/auth/operator-authenticator.ts'
import { createHttpServer } from '../server/http/http-server.ts'
import { createPipeline, type PipelineOptions, type RequestHandler } from '../server/pipeline.ts'
import { noCoarseLimits } from '../server/rate-limits/coarse-limits.ts'
import { makeRequestIds } from '../server/request-id.ts'
import type { KeyStoreValues } from '../store/keys.ts'
import { makeShareSetStore } from '../store/share-sets.ts'
import { StoreDamaged, StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable } from '../store/store.ts'

import type { Adapters } from './adapters.ts'
import type { HandOver } from './hand-over.ts'
import { listenerOptions } from './http.ts'
import { createResources, readReadiness, type Lifecycle, type Resources } from './lifecycle.ts'
import { readListenerTls } from './tls-files.ts'
import { openKeyStore, retryUntilReachable, type StorageDependencies } from './storage.ts'

export interface SealDependencies extends Pick<StorageDependencies, 'primaryObserver'> {
  readonly custody: Custody
  readonly custodyAudit: Pick<CustodyAudit, 'record'>
  readonly handOver: HandOver | null
  readonly lifecycle: Lifecycle
  readonly clock: Clock
  readonly log: Log
  readonly stopping: AbortSignal
  /** The keys of the key store, read without changing it. */
  readonly storedKeys: () => Promise<readonly WrappedKey[]>
  /** Called when the service is sealed: it may be for days. */
  readonly onSealed: () => Promise<void>
  /** Whether calls to the API get replies meanwhile; not by a command on a stopped service. Default: true. */
  readonly repliesToCalls?: boolean
  /** Opens the key store. Default: that of the settings. */
  readonly openKeys?: () => Promise<KeyStore & KeyStoreValues>
}

/** What keeps a start waiting until its custodians have entered their shares. */
export interface Seal {
  /** The adapters whose KEK is, where custodians hold it, that which they open. */
  readonly adapters: Adapters
  /** Ends the replies of the sealed service, so that the API can listen at its address. */
  readonly endReplies: () => Promise<void>
}

/**
 * Waits for the shares that the stored keys need, when a start opens its KEK. Meanwhile every call gets `store_unavailable`, /readyz says `sealed`, and the control
 * socket serves the operations of a ceremony.
 */
export function makeSeal(config: Config, adapters: Adapters, deps: SealDependencies, resources: Resources): Seal {
  const replies = createResources((err) => deps.log.error('close_failed', { err }))
  resources.add(replies.closeAll)
  const isProvider = usesShares(config)
  let opened: Promise<readonly Kek[]> | null = null
  const openRequired = (): Promise<readonly Kek[]> => (opened ??= waitForShares(config, isProvider, deps, replies))
  return {
    adapters: {
      ...adapters,
      async openKek(kekDeps) {
        if (!(await needsCustodians(config, deps.storedKeys))) return adapters.openKek(kekDeps)
        const [oldest] = await openRequired()
        return isProvider && oldest !== undefined ? oldest : adapters.openKek(kekDeps)
      },
    },
    endReplies: replies.closeAll,
  }
}

/** Whether the KEK of new keys, or of one that is stored, is in shares. */
export async function needsCustodians(config: Config, storedKeys: SealDependencies['storedKeys']): Promise<boolean> {
  return usesShares(config) || (await storedKeys()).some(isOfShares)
}

function isOfShares({ kekId, state }: WrappedKey): boolean {
  return state !== 'destroyed' && kekId.startsWith(shareKekId(''))
}

/** Whether new keys are to be wrapped by a KEK in shares. */
export function usesShares(config: Config): boolean {
  return (config as Readonly<Record<string, unknown>>)[kekAdapters.port] === sharesKek.name
}

/** The KEKs that the stored keys need, or that of the newest set when there are no keys yet; oldest first. */
async function waitForShares(config: Config, isProvider: boolean, deps: SealDependencies, replies: Resources): Promise<readonly Kek[]> {
  const { custody, lifecycle, log, stopping } = deps
  const keys = await retryUntilReachable(config, deps, deps.openKeys ?? (() => openKeyStore(config, deps)))
  const ceremony = createResources((err) => log.error('close_failed', { err }))
  ceremony.add(() => keys.close())
  try {
    const sets = makeShareSetStore(keys)
    // The keys first: a set is stored before it wraps any.
    const readRequired = async (): Promise<readonly ShareSet[]> => findRequired(await keys.list(), await sets.list(), isProvider)
    custody.useSets(sets)
    custody.restrict(async ({ setId }) => ((await readRequired()).some((set) => set.setId === setId) ? null : 'share_not_needed'))
    ceremony.add(() => {
      custody.useSets(null)
      custody.restrict(() => Promise.resolve(null))
    })
    const changes = watchChanges(custody, stopping)
    let required: readonly ShareSet[] | null = await retryUntilReachable(config, deps, readRequired)
    for (let isSealed = false; ; isSealed = true) {
      const changed = changes.next()
      if (isSealed) required = await readWhileSealed(readRequired, deps)
      const missing = required === null ? [] : findMissing(required, isProvider, custody)
      if (required !== null && missing.length === 0) return openOf(required, custody)
      if (missing.length > 0) lifecycle.sealedBecause = () => describeMissing(missing, custody)
      if (!isSealed) {
        await openSealed(config, deps, { ceremony, replies })
        await deps.onSealed()
      }
      await waitForChange(missing, changed, deps)
    }
  } finally {
    await ceremony.closeAll()
    if (lifecycle.state === 'sealed') {
      log.info('unsealed', {})
      lifecycle.state = 'starting'
    }
  }
}

/** Returns when a ceremony has changed something, another node handed a KEK over, or it is time to read the stored keys again. */
async function waitForChange(
  missing: readonly (ShareSet | 'none')[],
  changed: AbortSignal,
  { handOver, clock, stopping }: SealDependencies,
): Promise<void> {
  const setIds = missing.flatMap((set) => (set === 'none' ? [] : [set.setId]))
  if (handOver?.hasPeers === true && setIds.length > 0) await Promise.race([handOver.fetch(setIds), aborted(changed)])
  await clock.sleep(recheckMs, changed).catch(() => undefined)
  if (stopping.aborted) throw new Error('the start was stopped')
}

/** Null while the key store does not respond: what custodians have entered is not thrown away for it. */
async function readWhileSealed(
  readRequired: () => Promise<readonly ShareSet[]>,
  { lifecycle, log }: SealDependencies,
): Promise<readonly ShareSet[] | null> {
  try {
    return await readRequired()
  } catch (err) {
    const isPassing = err instanceof StoreUnavailable || err instanceof StoreOutcomeUnknown || err instanceof StoreOverloaded
    if (!isPassing || err instanceof StoreDamaged) throw err
    log.warn('database_unreachable', { err })
    lifecycle.sealedBecause = () => 'the key store does not respond; shares that were entered are still here'
    return null
  }
}

/** Signals that end with the next change of a ceremony, or with the start. A wait of days registers nothing more and more often. */
function watchChanges(custody: Custody, stopping: AbortSignal): { readonly next: () => AbortSignal } {
  let current = new AbortController()
  const watch = (): void =>
    void custody.changed().then(() => {
      current.abort()
      if (!stopping.aborted) watch()
    })
  watch()
  stopping.addEventListener('abort', () => current.abort(), { once: true })
  return {
    next() {
      current = new AbortController()
      if (stopping.aborted) current.abort()
      return current.signal
    },
  }
}

/** The sets that wrap keys; where there are no keys and new ones are to be in shares, the newest. Oldest first. */
function findRequired(keys: readonly WrappedKey[], sets: readonly ShareSet[], isProvider: boolean): readonly ShareSet[] {
  const used = new Set(keys.filter(isOfShares).map(({ kekId }) => kekId))
  const lost = [...used].find((kekId) => !sets.some(({ setId }) => shareKekId(setId) === kekId))
  if (lost !== undefined)
    throw new KekMissingError(`the key store has keys of the KEK ${lost}, and not its set of shares: restore the key store`)
  const wrapping = sets.filter(({ setId }) => used.has(shareKekId(setId)))
  return wrapping.length > 0 || !isProvider ? wrapping : sets.slice(-1)
}

/** The sets that have to be opened still; `none` when there is no set yet and one is needed. */
function findMissing(required: readonly ShareSet[], isProvider: boolean, custody: Custody): readonly (ShareSet | 'none')[] {
  if (required.length === 0 && isProvider) return ['none']
  const open = new Set(custody.openKeks().map(({ id }) => id))
  return required.filter(({ setId }) => !open.has(shareKekId(setId)))
}

/** No other: a set that was made and abandoned must not become the one that wraps keys. */
function openOf(required: readonly ShareSet[], custody: Custody): readonly Kek[] {
  return custody.openKeks().filter(({ id }) => required.some(({ setId }) => shareKekId(setId) === id))
}

function describeMissing(missing: readonly (ShareSet | 'none')[], custody: Custody): string {
  const progress = custody.progress()
  const describe = (set: ShareSet | 'none'): string => {
    if (set === 'none') return 'there is no set of shares yet: tessera keys init --shares <n> --threshold <k>'
    const received = progress.find(({ setId }) => setId === set.setId)?.received ?? 0
    return `${String(received)} of ${String(set.threshold)} shares of the set ${set.setId} are entered`
  }
  return missing.map(describe).join('; ')
}

/** Listens for the API and for operators. `ceremony` ends with the seal, `replies` when the API itself listens. */
async function openSealed(
  config: Config,
  { custody, custodyAudit, handOver, lifecycle, clock, log, stopping, repliesToCalls = true }: SealDependencies,
  { ceremony, replies }: { readonly ceremony: Resources; readonly replies: Resources },
): Promise<void> {
  const services = {
    custody,
    custodyAudit,
    handOver,
    nodes: null,
    keks: null,
    keys: { rewrapTarget: () => null },
    readReadiness: () => readReadiness(lifecycle),
  }
  const pipeline = makeSealedPipeline(clock, log, services as unknown as AppServices)
  if (repliesToCalls) {
    const http = createHttpServer({ ...listenerOptions(config, readListenerTls(config, clock.now()), log), handle: pipeline(refuseCalls) })
    // Load balancers open connections in advance and send nothing: closing without a deadline would wait for them, and the API could not listen.
    replies.add(() => http.drain(sealedDrainMs))
    await http.listen(config)
  }
  const operators = countInFlight(pipeline(serveCeremony(repliesToCalls)))
  ceremony.add((await listenControl(config.dataFolder, operators.handle, (err) => log.error('job_failed', { err }))).close)
  // The command that entered the last share gets its reply.
  ceremony.add(operators.idle)
  lifecycle.state = 'sealed'
  log.warn('sealed', {})
  // Wipes what was entered when its time is over, also when nobody looks.
  const ended = new AbortController()
  ceremony.add(() => ended.abort())
  void sweep(custody, clock, AbortSignal.any([ended.signal, stopping]))
}

async function sweep(custody: Custody, clock: Pick<Clock, 'sleep'>, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await clock.sleep(sweepEveryMs, ended).catch(() => undefined)
    custody.progress()
  }
}

/** The pipeline of every request, in front of services that do not exist yet. */
function makeSealedPipeline(clock: Clock, log: Log, services: AppServices): (authenticator: Authenticator) => RequestHandler {
  const never = new AbortController().signal
  const options: PipelineOptions = {
    operations: operationRegistry,
    services,
    limits: noCoarseLimits,
    idempotency: { once: () => Promise.reject(new RpcError('storeUnavailable')) },
    cardRoutes: [],
    observer: { completed: () => undefined, failed: ({ requestId, cause }) => log.error('call_failed', { requestId, err: cause }) },
    translateError: () => null,
    issueRequestId: makeRequestIds(randomPublic, clock.now),
    now: () => clock.moment().monotonicMs,
    sleep: clock.sleep,
    stopping: never,
    signal: never,
  }
  return (authenticator) => createPipeline(options, authenticator)
}

function countInFlight(handle: RequestHandler): { readonly handle: RequestHandler; readonly idle: () => Promise<void> } {
  const running = new Set<Promise<unknown>>()
  return {
    handle(request) {
      const reply = handle(request)
      if (!(reply instanceof Promise)) return reply
      running.add(reply)
      void reply.finally(() => running.delete(reply))
      return reply
    },
    async idle() {
      await Promise.all(running)
      // The reply is written in the turn in which it is there.
      await new Promise((resolve) => void setImmediate(resolve))
    },
  }
}

/** Nobody can be identified, and nothing is done. */
const refuseCalls: Authenticator = {
  serves: isPublicOperation,
  authenticate: () => Promise.reject(new RpcError('storeUnavailable')),
}

/** The audit of a command may be nowhere: what others did is not recorded in it. */
function serveCeremony(isService: boolean): Authenticator {
  return {
    ...operatorAuthenticator,
    authenticate: (contract, request) =>
      ceremonyOperations.has(contract.name) || (isService && contract.name === 'operator.store.recordPrimary')
        ? operatorAuthenticator.authenticate(contract, request)
        : Promise.reject(refusal('sealed')),
  }
}

const ceremonyOperations: ReadonlySet<string> = new Set([
  'operator.status.get',
  'operator.shares.list',
  'operator.shares.create',
  'operator.shares.take',
  'operator.shares.enter',
  'operator.shares.fetch',
])

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** For the replies that are being sent when the last share is in. */
const sealedDrainMs = 1000
const sweepEveryMs = 15_000
/** Other nodes are called, and the stored keys read: one of them may have re-keyed meanwhile. */
const recheckMs = 3000
