import type { Clock } from '../../clock.ts'
import type { CutReason } from '../../server/http/memory-budget.ts'
import type { CommitBacklog } from '../../server/rate-limits/commit-backlog.ts'
import type { AuditHead } from '../../store/audit.ts'
import { macTables } from '../../store/mac-tables.ts'
import type { Store } from '../../store/store.ts'
import type { ChainFaultKind } from '../audit/verify.ts'
import type { ReadHealth, WriteHealth } from '../health/write-health.ts'

import { openProcessGauges } from './process-gauges.ts'
import {
  formatMetrics,
  makeCounter,
  makeGauge,
  makeHistogram,
  mergeMetrics,
  type Counter,
  type GaugeDefinition,
  type Histogram,
  type Metric,
  type MetricFamily,
} from './metric.ts'

/** One completed request, in words of our own tables. */
export interface RequestMeasurement {
  readonly method: string
  readonly profile: string
  readonly code: number
  readonly reason: string
  readonly ms: number
}

/** The metrics of this process. */
export interface Metrics {
  countRequest(request: RequestMeasurement): void
  /** One call to a merchant's endpoint, in words of our own tables. */
  countMerchantEndpoint(call: { readonly operation: string; readonly outcome: string }): void
  /** A request that reached a limit which refuses, or would refuse were it not in shadow mode. */
  countLimit(reached: { readonly reason: string; readonly mode: string }): void
  /** A call that was refused because an outside system does not respond, or its places are taken. */
  countPeerRefusal(refused: { readonly peer: string; readonly reason: string }): void
  /** A sign-in to the dashboard, by its outcome. */
  countSignIn(signIn: { readonly outcome: string }): void
  /** A row that was refused because of its MAC, by table. */
  countTamperedRow(row: { readonly table: string }): void
  /** An attempt to export a checkpoint of the audit: `sent` or `failed`. */
  countCheckpoint(attempt: { readonly destination: string; readonly outcome: string }): void
  /** A fault of an audit chain that was found while the service runs. */
  countAuditFault(found: { readonly fault: string }): void
  /** A client that closed its connection before it had its reply, by stage. */
  countClientAbort(abort: { readonly stage: string }): void
  /** A connection that was closed because its client does not read, or there are too many, by reason. */
  countConnectionCut(cut: { readonly reason: string }): void
  /** One call to a card network. `outcome` is one of our own words. */
  observeNetworkCall(call: { readonly network: string; readonly operation: string; readonly outcome: string; readonly ms: number }): void
  /** One message that was given to the SMS gateway. */
  countSmsDelivery(delivery: { readonly gateway: string; readonly outcome: string }): void
  observeSmsSend(send: { readonly gateway: string; readonly outcome: string; readonly ms: number }): void
  /** One attempt to deliver an event to a merchant's webhook endpoint. */
  countWebhookAttempt(attempt: { readonly outcome: string }): void
  /** A delivered event: the time since it happened. */
  observeDeliveryDelay(ms: number): void
  /** A call that was refused because of overload, so many milliseconds after the head of its request was read. */
  observeShed(delayMs: number): void
  /** One write to the store, from the call to the acknowledgment: waiting for its group included. */
  observeCommit(ms: number): void
  /** One transition of a receipt, in words of the table of transitions. */
  countReceiptTransition(transition: { readonly state: string; readonly cause: string }): void
  /** One run of a background job: `succeeded` or `failed`. */
  countJobRun(run: { readonly name: string; readonly outcome: 'succeeded' | 'failed' }): void
  /** Adds a gauge that is read whenever the page is. Names are registered once. */
  registerGauge(gauge: GaugeDefinition): void
  /** The page of /metrics, of all workers. */
  render(): Promise<string>
  /** What this worker has. */
  collect(): Promise<MetricFamily[]>
  close(): void
}

/** Where several workers share a process. */
export interface MetricsOptions {
  /** The metrics of the other workers, for the page. Default: there are none. */
  readonly collectOthers?: () => Promise<readonly (readonly MetricFamily[])[]>
  /** In a worker that is not the first, gauges that are the same for all are not read. */
  readonly isFirst?: boolean
}

export function makeMetrics(
  clock: Pick<Clock, 'sleep'>,
  gauges: readonly GaugeDefinition[] = [],
  { collectOthers, isFirst = true }: MetricsOptions = {},
): Metrics {
  const requests = makeCounter('tessera_requests_total', 'Requests handled, by method, profile, code (0 for a result) and reason.')
  const durations = makeHistogram('tessera_request_duration_seconds', 'How long requests took.', requestBounds)
  const endpoints = makeCounter('tessera_merchant_endpoint_calls_total', "Calls to merchants' endpoints, by operation and outcome.")
  const limits = makeCounter(
    'tessera_limits_reached_total',
    'Requests that reached a breaker, by reason and mode; in shadow mode none was refused.',
  )
  const peerRefusals = makeCounter(
    'tessera_peer_refusals_total',
    'Calls refused because an outside system does not respond (open), or its places (full) or those of the merchant (share) are taken, by peer and reason.',
  )
  const tampered = makeCounter(
    'tessera_rows_refused_total',
    'Rows refused because they were not written by the service, by table.',
    tamperedTables,
  )
  const checkpoints = makeCounter('tessera_audit_checkpoints_total', 'Checkpoints of the audit, by destination and outcome.')
  const auditFaults = makeCounter(
    'tessera_audit_faults_total',
    'Audit entries that are missing or were changed, found while running, by fault.',
    Object.keys(auditFaultKinds).map((fault) => ({ fault })),
  )
  const aborts = makeCounter(
    'tessera_client_aborts_total',
    'Requests whose client closed the connection before the request had arrived in full (request) or before its reply (reply).',
  )
  const cuts = makeCounter(
    'tessera_connections_cut_total',
    'Connections that were closed, by reason: reply_not_read, memory_full (its client had the most to read), connections_full, memory_near_limit.',
    Object.keys(cutReasons).map((reason) => ({ reason })),
  )
  const signIns = makeCounter('tessera_sign_ins_total', 'Sign-ins to the dashboard, by outcome.')
  const delays = makeHistogram(
    'tessera_webhook_delay_seconds',
    'From an event to its delivery, for attempts that were delivered.',
    delayBounds,
  )
  const commits = makeHistogram(
    'tessera_store_commit_duration_seconds',
    'How long a write to the store took to be durable, waiting for its group included.',
    commitBounds,
  )
  const networkCalls = makeCounter('tessera_network_calls_total', 'Calls to card networks, by network, operation and outcome.')
  const networkDurations = makeHistogram('tessera_network_call_duration_seconds', 'How long calls to card networks took.', requestBounds)
  const smsSends = makeCounter('tessera_sms_sends_total', 'Messages given to SMS gateways, by gateway and outcome.')
  const smsDeliveries = makeCounter('tessera_sms_deliveries_total', 'What SMS gateways reported of messages, by gateway and outcome.')
  const smsDurations = makeHistogram('tessera_sms_send_duration_seconds', 'How long SMS gateways took to take a message.', requestBounds)
  const webhooks = makeCounter('tessera_webhook_attempts_total', "Attempts to deliver events to merchants' webhook endpoints, by outcome.")
  const shed = makeHistogram(
    'tessera_overload_refusal_delay_seconds',
    'Time from the reading of the head of a request to its refusal because of overload; of a call in a batch, from its begin.',
    shedBounds,
  )
  const transitions = makeCounter('tessera_receipt_transitions_total', 'Transitions of receipts by this process, by state and cause.')
  const jobRuns = makeCounter('tessera_job_runs_total', 'Runs of background jobs, by name and outcome: succeeded, failed.')
  const requestSeriesOf = makeRequestSeries(requests, durations)
  const { gauges: processGauges, close } = openProcessGauges()
  const all: Metric[] = []
  const registerGauge = (gauge: GaugeDefinition): void => {
    if (isFirst || (gauge.merge ?? 'first') !== 'first') all.push(makeGauge(gauge, clock))
  }
  for (const gauge of [...gauges, ...processGauges]) registerGauge(gauge)
  const page: Metric[] = [
    requests,
    durations,
    endpoints,
    limits,
    peerRefusals,
    tampered,
    signIns,
    aborts,
    cuts,
    checkpoints,
    auditFaults,
    delays,
    commits,
    shed,
    networkCalls,
    networkDurations,
    smsSends,
    smsDeliveries,
    smsDurations,
    webhooks,
    transitions,
    jobRuns,
  ]
  return Object.freeze({
    countRequest(request: RequestMeasurement) {
      const { count, observe } = requestSeriesOf(request)
      count()
      observe(request.ms / 1000)
    },
    countMerchantEndpoint: ({ operation, outcome }: { operation: string; outcome: string }) => endpoints.add({ operation, outcome }),
    countLimit: ({ reason, mode }: { reason: string; mode: string }) => limits.add({ reason, mode }),
    countPeerRefusal: ({ peer, reason }: { peer: string; reason: string }) => peerRefusals.add({ peer, reason }),
    countSignIn: ({ outcome }: { outcome: string }) => signIns.add({ outcome }),
    countTamperedRow: ({ table }: { table: string }) => tampered.add({ table }),
    countCheckpoint: ({ destination, outcome }: { destination: string; outcome: string }) => checkpoints.add({ destination, outcome }),
    countAuditFault: ({ fault }: { fault: string }) => auditFaults.add({ fault }),
    countClientAbort: ({ stage }: { stage: string }) => aborts.add({ stage }),
    countConnectionCut: ({ reason }: { reason: string }) => cuts.add({ reason }),
    observeNetworkCall({ network, operation, outcome, ms }: { network: string; operation: string; outcome: string; ms: number }) {
      networkCalls.add({ network, operation, outcome })
      networkDurations.observe({ network, operation }, ms / 1000)
    },
    countSmsDelivery: ({ gateway, outcome }: { gateway: string; outcome: string }) => smsDeliveries.add({ gateway, outcome }),
    observeSmsSend({ gateway, outcome, ms }: { gateway: string; outcome: string; ms: number }) {
      smsSends.add({ gateway, outcome })
      smsDurations.observe({ gateway }, ms / 1000)
    },
    countWebhookAttempt: ({ outcome }: { outcome: string }) => webhooks.add({ outcome }),
    observeDeliveryDelay: (ms: number) => delays.observe({}, ms / 1000),
    observeShed: (delayMs: number) => shed.observe({}, delayMs / 1000),
    observeCommit: (ms: number) => commits.observe({}, ms / 1000),
    countReceiptTransition: ({ state, cause }: { state: string; cause: string }) => transitions.add({ state, cause }),
    countJobRun: ({ name, outcome }: { name: string; outcome: string }) => jobRuns.add({ name, outcome }),
    registerGauge,
    async render() {
      const [own, others] = await Promise.all([collect(), collectOthers?.() ?? []])
      return formatMetrics(others.length === 0 ? own : mergeMetrics(own, others))
    },
    collect,
    close,
  })

  async function collect(): Promise<MetricFamily[]> {
    const families = await Promise.all([...page, ...all].map(async (metric) => metric.collect()))
    return families.filter((family) => family !== null)
  }
}

interface RequestSeries {
  readonly count: () => void
  readonly observe: (seconds: number) => void
}

/**
 * The series of requests by their labels. To format these for each request would take a microsecond more than to look them up, and a key of all four half of
 * one: a method has few outcomes.
 */
function makeRequestSeries(requests: Counter, durations: Histogram): (request: RequestMeasurement) => RequestSeries {
  const byMethod = new Map<string, LabelledSeries[]>()
  return ({ method, profile, code, reason }) => {
    const known = byMethod.get(method) ?? []
    const existing = known.find((each) => each.code === code && each.profile === profile && each.reason === reason)
    if (existing !== undefined) return existing
    const count = requests.seriesOf({ method, profile, code: String(code), reason })
    const series = { profile, code, reason, count, observe: durations.seriesOf({ method }) }
    if (known.length < requestSeriesMax) byMethod.set(method, [...known, series])
    return series
  }
}

interface LabelledSeries extends RequestSeries, Pick<RequestMeasurement, 'profile' | 'code' | 'reason'> {}

/** A store whose writes are timed, counted in the backlog while they are under way, noted for their calls, and whose failures are recorded, as those of reads are. */
export function measureCommits(
  store: Store,
  { observeCommit }: Pick<Metrics, 'observeCommit'>,
  { health, reads, backlog, calls, auditHeadsElsewhere = () => [] }: StoreObservers,
): Store {
  return Object.freeze<Store>({
    kind: store.kind,
    file: store.file,
    get durability() {
      return store.durability
    },
    ping: () => store.ping(),
    waitingWrites: () => store.waitingWrites(),
    connectionPools: () => store.connectionPools(),
    commitCount: () => store.commitCount(),
    sizeBytes: () => store.sizeBytes(),
    setAuditKey: (key) => store.setAuditKey(key),
    auditHeads: () => [...store.auditHeads(), ...auditHeadsElsewhere()],
    watchAudit: (listener) => store.watchAudit(listener),
    tryLock: (name) => store.tryLock(name),
    isLocked: (name) => store.isLocked(name),
    close: (deadlineMs) => store.close(deadlineMs),
    read: (query) => {
      reads?.readStarted()
      const result = store.read(query)
      if (reads !== undefined) result.catch(reads.record)
      return result
    },
    readNow: (query) => {
      reads?.readStarted()
      const result = store.readNow(query)
      if (reads !== undefined && result instanceof Promise) result.catch(reads.record)
      return result
    },
    scan: (query) => store.scan(query),
    async write(transaction, input) {
      const startedAt = performance.now()
      const owner = calls.writeStarted(input)
      backlog.writeStarted(owner)
      try {
        const result = await store.write(transaction, input)
        observeCommit(performance.now() - startedAt)
        calls.writeCommitted(input)
        health.record(null)
        return result
      } catch (err) {
        health.record(err)
        throw err
      } finally {
        backlog.writeEnded(owner)
      }
    },
  })
}

interface StoreObservers {
  readonly health: Pick<WriteHealth, 'record'>
  /** Default: reads are not observed. */
  readonly reads?: Pick<ReadHealth, 'readStarted' | 'record'>
  readonly backlog: Pick<CommitBacklog, 'writeStarted' | 'writeEnded'>
  readonly calls: { writeStarted(input: unknown): string | null; writeCommitted(input: unknown): void }
  /** The ends of the audit chains that other workers write. Default: there are none. */
  readonly auditHeadsElsewhere?: () => readonly AuditHead[]
}

// prettier-ignore
const auditFaultKinds: Readonly<Record<ChainFaultKind, true>> = {
  edited: true, gap: true, cut: true, rewritten: true, unkeyed: true, unknown_key: true, unreadable: true, damaged: true,
}
const cutReasons: Readonly<Record<CutReason, true>> = {
  reply_not_read: true,
  memory_full: true,
  connections_full: true,
  memory_near_limit: true,
}
/** Tables whose rows are refused by their MAC, and the two counters that are authenticated by themselves. */
const tamperedTables = [...new Set([...macTables.map(({ table }) => table.name), 'send_limits', 'day_tries'])].map((table) => ({ table }))
/** Of one method: more than our tables can make. */
const requestSeriesMax = 200
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
const shedBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
const commitBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const delayBounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600, 86_400]
