import { RpcError } from '@tessera/contract/errors'
import { isPublicOperation } from '@tessera/contract/operations'
import { randomPublic } from '@tessera/vault/random'

import type { Clock } from '../clock.ts'
import { collectGarbage } from './collect-garbage.ts'
import { systemNow } from '../system-clock.ts'
import type { ComplianceFindings } from '../domain/compliance/findings.ts'
import type { CallCounters } from '../domain/reporting/call-counters.ts'
import { operationRegistry } from '../operations/registry.ts'
import { makeAddressList } from '../ops/config/proxies.ts'
import type { Config } from '../ops/config/config.ts'
import { makeAbortObserver, makeCallObserver, makeCutObserver } from '../ops/logging/observers.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import type { Tracer } from '../ops/tracing/tracing.ts'
import { operatorAuthenticator } from '../server/auth/operator-authenticator.ts'
import { makeSessionAuthenticator } from '../server/auth/session-authenticator.ts'
import type { TrustedProxies } from '../server/http/client-address.ts'
import { createHttpServer, type HttpBounds, type HttpServer } from '../server/http/http-server.ts'
import type { ListenerTls } from '../server/http/listener-tls.ts'
import { makeMemoryGuard } from '../server/http/memory-guard.ts'
import type { PageRoute } from '../server/http/page-routes.ts'
import type { CallObserver } from '../server/call-observer.ts'
import { addressRoutes } from '../server/pages/address-page.ts'
import { dashboardRoutes } from '../server/pages/dashboard-routes.ts'
import { readDashboardAssets } from '../server/pages/dashboard-assets.ts'
import { docsRoutes, readDocsPages } from '../server/pages/docs-pages.ts'
import type { FormAssets } from '../server/pages/form-assets.ts'
import { makeIsApiHost } from '../server/pages/hosts.ts'
import { formRoutes, type FormMerchant } from '../server/pages/form-routes.ts'
import { createApiPipeline, createPipeline, type RequestHandler, type PipelineOptions } from '../server/pipeline.ts'
import type { CommitBacklog } from '../server/rate-limits/commit-backlog.ts'
import { makeRequestIds } from '../server/request-id.ts'
import { KekUnavailableError } from '@tessera/vault/kek'
import { StoreFull, StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable } from '../store/store.ts'

import type { Adapters } from './adapters.ts'
import { dashboardFolder } from './built-files.ts'
import type { CallWrites } from './call-writes.ts'
import { tracedObserver } from './open-traces.ts'
import { readHeldMemory, readMemoryLimit } from './process-memory.ts'
import type { ComposedServices } from './services.ts'

export interface PipelineDependencies {
  readonly commitBacklog: Pick<CommitBacklog, 'isTooLong' | 'isShareTaken' | 'takePlace'>
  readonly callWrites: Pick<CallWrites, 'run'>
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly tracing: Tracer | null
  /** Aborted when a stop takes no new work any more: batches end after the call in progress. */
  readonly stopping: AbortSignal
  /** Aborted when the remaining requests are cut off. */
  readonly signal: AbortSignal
}

/** The request pipelines: of the API, authenticated by X-Auth; of the dashboard, by session; of the operator, by access to the control socket. */
export interface Pipelines {
  readonly api: RequestHandler
  readonly dashboard: RequestHandler
  readonly operator: RequestHandler
}

export function createPipelines(config: Config, adapters: Adapters, app: ComposedServices, deps: PipelineDependencies): Pipelines {
  const { clock, log, metrics, stopping, signal } = deps
  const { limits, merchants, recorder } = app
  const { isTooLong: isWriteShed, isShareTaken: isWriteShareTaken, takePlace: takeWritePlace } = deps.commitBacklog
  const admission = { isWriteShed, isWriteShareTaken, takeWritePlace }
  const shared: PipelineOptions = {
    operations: operationRegistry,
    services: app,
    limits: limits.coarse,
    idempotency: app.idempotency,
    cardRoutes: app.networks.routes,
    observer: tracedObserver(
      inspectedBy(app.findings, timedBy(app.counters, makeCallObserver(log, metrics, config.logSampleEvery))),
      deps.tracing,
    ),
    translateError: storeError,
    callWrites: deps.callWrites,
    issueRequestId: makeRequestIds(randomPublic, clock.now),
    now: () => performance.now(),
    sleep: clock.sleep,
    stopping,
    signal,
  }
  const origins = { isAnyAllowed: adapters.isAnyOriginAllowed, formOrigin: config.formOrigin }
  return {
    api: createApiPipeline({
      ...shared,
      ...admission,
      recordCall: recorder.recordCall,
      credentials: merchants,
      passwords: limits.passwords,
      origins,
    }),
    dashboard: createPipeline({ ...shared, ...admission }, makeSessionAuthenticator(app.dashboard.sessions)),
    operator: createPipeline(shared, operatorAuthenticator),
  }
}

/** The HTTP server with the API and every page. Throws `DashboardMissing` when the dashboard is not built. */
export function createHttp(config: Config, adapters: Adapters, app: ComposedServices, deps: HttpDependencies): HttpServer {
  const { pipelines, tls, log, metrics } = deps
  return createHttpServer({
    ...listenerOptions(config, tls, log),
    handle: pipelines.api,
    pages: listPages(config, adapters, app, deps),
    onAbort: makeAbortObserver(log, metrics),
    onCut: makeCutObserver(log, metrics, () => performance.now()),
  })
}

/** What the listener of the API is, whatever replies there: also while the service is sealed. */
export function listenerOptions(config: Config, tls: ListenerTls | null, log: Log) {
  const { formOrigin, apiOrigin } = config
  return {
    now: () => performance.now(),
    wallNow: systemNow,
    bounds: httpBounds(config),
    proxies: trustedProxies(config),
    tls,
    isHttpsOnly: tls !== null || formOrigin?.startsWith('https:') === true,
    isApiHost: makeIsApiHost(apiOrigin, formOrigin),
    memoryGuard: makeMemoryGuard({
      limitBytes: readMemoryLimit(),
      readHeldBytes: readHeldMemory,
      collect: collectGarbage,
      now: () => performance.now(),
    }),
    onError: (cause: unknown) => log.error('page_failed', { err: cause }),
  }
}

/** Every page and file of the service, and the dashboard's endpoint. */
export function listPages(
  config: Config,
  adapters: Adapters,
  app: ComposedServices,
  { pipelines, formAssets }: Pick<HttpDependencies, 'formAssets'> & { readonly pipelines: Pick<Pipelines, 'dashboard'> },
): readonly PageRoute[] {
  const { dashboardOrigin, formOrigin } = config
  const dashboard = { handle: pipelines.dashboard, assets: readDashboardAssets(dashboardFolder), dashboardOrigin, formOrigin }
  const docs = docsRoutes(readDocsPages(dashboardFolder), dashboardOrigin)
  return [...formPages(config, adapters, app, formAssets), ...dashboardRoutes(dashboard), ...docs, ...addressRoutes(config)]
}

export interface HttpDependencies {
  readonly pipelines: Pipelines
  readonly formAssets: FormAssets
  /** Null: plain http. */
  readonly tls: ListenerTls | null
  readonly log: Log
  readonly metrics: Metrics
}

/** None without a disclosure text; production refuses to start without the provider's own. */
function formPages(config: Config, adapters: Adapters, app: ComposedServices, assets: FormAssets): readonly PageRoute[] {
  const { environment, formOrigin, dashboardOrigin, providerUrl, termsUrl, privacyUrl } = config
  const { isAnyOriginAllowed, texts } = adapters
  const disclosure = config.disclosure ?? texts?.disclosure ?? null
  if (disclosure === null) return []
  return formRoutes({
    assets,
    isAnyOriginAllowed: isAnyOriginAllowed,
    environment,
    formOrigin,
    dashboardOrigin,
    providerUrl,
    termsUrl,
    privacyUrl,
    disclosure,
    cardRoutes: app.networks.routes,
    code: app.codeFormat,
    issueForm: app.formDocuments.issue,
    providerName: config.providerName ?? 'Tessera',
    legal: texts?.legal ?? null,
    async findMerchant(id): Promise<FormMerchant | null> {
      const merchant = await app.merchants.find(id)
      if (merchant === null) return null
      const { row, settings } = merchant
      const { origins, brandColor, logo } = settings
      return { id, name: row.name, blocked: row.state === 'blocked', origins, brandColor, logo }
    },
    findLogo: app.merchants.administration.findLogo,
  })
}

function httpBounds(config: Config): Partial<HttpBounds> {
  return {
    inFlightMax: config.inFlightMax,
    inFlightPerConnectionMax: config.connectionInFlightMax,
    inFlightPerAddressMax: config.addressInFlightMax,
    socketsMax: config.connectionsMax,
    socketsPerAddressMax: config.addressConnectionsMax,
    bufferedBytesMax: config.bufferedMegabytesMax * mebibyte,
    bufferedBytesPerAddressMax: config.addressBufferedMegabytesMax * mebibyte,
    bufferedBytesPerConnectionMax: config.connectionBufferedKilobytesMax * 1024,
    replyStallMs: config.replyStallSeconds * 1000,
  }
}

/** The proxies that are trusted to name the client's address. */
function trustedProxies({ trustedProxies: addresses, proxyHeader }: Config): TrustedProxies {
  return Object.freeze({ header: proxyHeader, has: makeAddressList(addresses ?? []) })
}

/** An observer that also derives compliance findings from each call. */
function inspectedBy(findings: ComplianceFindings, observer: CallObserver): CallObserver {
  return Object.freeze<CallObserver>({
    ...observer,
    completed(entry) {
      findings.record(entry)
      observer.completed(entry)
    },
  })
}

/** An observer that also records durations and errors of merchants' calls, but not of the dashboard's. */
function timedBy(counters: CallCounters, observer: CallObserver): CallObserver {
  return Object.freeze<CallObserver>({
    ...observer,
    completed(entry) {
      const { merchantId, method, ms, error } = entry
      if (merchantId !== null && method !== null && isPublicOperation(method)) {
        counters.timed(merchantId, ms)
        if (error !== null) counters.failed(merchantId, { method, error })
      }
      observer.completed(entry)
    },
  })
}

const mebibyte = 1024 * 1024

/** The API error for a failure of the store, or of the provider of its keys; null for any other. */
function storeError(err: unknown): RpcError | null {
  if (err instanceof KekUnavailableError) return new RpcError('storeUnavailable', { cause: err })
  if (err instanceof StoreFull) return new RpcError('storeFull', { cause: err })
  if (err instanceof StoreOverloaded) return new RpcError('overloaded', { cause: err })
  if (err instanceof StoreUnavailable) return new RpcError('storeUnavailable', { cause: err })
  return err instanceof StoreOutcomeUnknown ? new RpcError('outcomeUnknown', { cause: err }) : null
}
