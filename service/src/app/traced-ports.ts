import type { Kek } from '@tessera/vault/kek'

import type { HolderService } from '../adapters/holder/holder.ts'
import type { MerchantApi } from '../adapters/merchant-api/merchant-api.ts'
import type { Network } from '../adapters/network/network.ts'
import type { Sms } from '../adapters/sms/sms.ts'
import type { WebhookPost } from '../domain/webhooks/webhook-post.ts'
import type { SpanAttributes, Tracer } from '../ops/tracing/tracing.ts'
import type { Statement } from '../store/statement.ts'
import type { Store } from '../store/store.ts'

import type { Adapters } from './adapters.ts'

// Each port with its calls traced; the port itself where nothing is traced. A span has the name of the call and of the adapter, and the kind of its result.

/** Reads, and writes with what they waited for. */
export function traceStore(store: Store, tracing: Tracer | null): Store {
  if (tracing === null) return store
  const system = store.kind === 'sqlite' ? 'sqlite' : 'postgresql'
  const read: Store['read'] = (query) => {
    const attributes = { 'db.system.name': system, 'db.query.summary': summaryOf(query.statement) } as const
    return tracing.step({ name: `store read ${attributes['db.query.summary']}`, kind: 'read', attributes }, () => store.read(query))
  }
  const traced: Pick<Store, 'read' | 'readNow' | 'scan' | 'write'> = {
    read,
    readNow: read,
    scan: (query) => {
      const attributes = { 'db.system.name': system, 'db.query.summary': summaryOf(query.statement) } as const
      return tracing.step({ name: `store scan ${attributes['db.query.summary']}`, kind: 'read', attributes }, () => store.scan(query))
    },
    write: (transaction, input) => {
      const commits = store.commitCount()
      const attributes: SpanAttributes = {
        'db.system.name': system,
        'db.query.summary': transaction.name,
        'tessera.store.waiting_writes': store.waitingWrites(),
      }
      const describe = (): SpanAttributes => ({ 'tessera.store.commits': store.commitCount() - commits })
      return tracing.step({ name: `store write ${transaction.name}`, kind: 'write', attributes, describe }, () =>
        store.write(transaction, input),
      )
    },
  }
  // Everything else is the store's own.
  return Object.create(
    store,
    Object.fromEntries(Object.entries(traced).map(([name, value]) => [name, { value, enumerable: true }])),
  ) as Store
}

/** `SELECT cards`: our own SQL, without values. */
function summaryOf(statement: Statement): string {
  const known = summaries.get(statement.name)
  if (known !== undefined) return known
  const [verb = ''] = /^\w+/.exec(statement.text) ?? []
  const [, table = ''] = /\b(?:from|into|update)\s+(\w+)/i.exec(statement.text) ?? []
  const summary = `${verb.toUpperCase()} ${table}`.trim()
  summaries.set(statement.name, summary)
  return summary
}

/** By the name of the statement; there are as many as the program has. */
const summaries = new Map<string, string>()

export function traceNetwork(name: string, network: Network, tracing: Tracer | null): Network {
  if (tracing === null) return network
  const call = <T extends { readonly kind: string } | null>(operation: string, run: () => Promise<T>): Promise<T> =>
    tracing.step(
      {
        name: `network ${operation}`,
        kind: 'outside',
        attributes: { 'tessera.peer': name },
        describe: (result) => (result === null ? {} : { 'tessera.outcome': result.kind }),
      },
      run,
    )
  return Object.freeze<Network>({
    ...network,
    startVerification: (request, signal) => call('start_verification', () => network.startVerification(request, signal)),
    checkCode: (request, signal) => call('check_code', () => network.checkCode(request, signal)),
    precheckCard: (card, signal) => call('precheck_card', () => network.precheckCard(card, signal)),
    authorize: (request, signal) => call('authorize', () => network.authorize(request, signal)),
    capture: (request, signal) => call('capture', () => network.capture(request, signal)),
    cancelHold: (request, signal) => call('cancel_hold', () => network.cancelHold(request, signal)),
    refund: (request, signal) => call('refund', () => network.refund(request, signal)),
    reverse: (request, signal) => call('reverse', () => network.reverse(request, signal)),
    status: (request, signal) => call('status', () => network.status(request, signal)),
  })
}

/** Sending only: the other members of a gateway are not used through it. */
export function traceSms(name: string, sms: Sms, tracing: Tracer | null): Sms {
  if (tracing === null) return sms
  return Object.freeze<Sms>({
    ...sms,
    send: (message, signal) =>
      tracing.step(
        {
          name: 'sms send',
          kind: 'outside',
          attributes: { 'tessera.peer': name },
          describe: (result) => (result === null ? {} : { 'tessera.outcome': result.outcome }),
        },
        () => sms.send(message, signal),
      ),
  })
}

export function traceHolder(holder: HolderService | null, tracing: Tracer | null): HolderService | null {
  if (holder === null || tracing === null) return holder
  return Object.freeze<HolderService>({
    ...holder,
    check: (request, signal) =>
      tracing.step({ name: 'holder check', kind: 'outside', attributes: {} }, () => holder.check(request, signal)),
  })
}

export function traceMerchantApi(endpoint: MerchantApi, tracing: Tracer | null): MerchantApi {
  if (tracing === null) return endpoint
  const call = <T extends { readonly kind: string }>(operation: string, merchantId: string, run: () => Promise<T>): Promise<T> =>
    tracing.step(
      {
        name: `merchant endpoint ${operation}`,
        kind: 'outside',
        attributes: { 'tessera.merchant_id': merchantId },
        describe: (result) => (result === null ? {} : { 'tessera.outcome': result.kind }),
      },
      run,
    )
  return Object.freeze<MerchantApi>({
    hasEndpoint: (merchantId) => endpoint.hasEndpoint(merchantId),
    check: (request, signal) => call('check', request.merchantId, () => endpoint.check(request, signal)),
    perform: (request, signal) => call('perform', request.merchantId, () => endpoint.perform(request, signal)),
    cancel: (request, signal) => call('cancel', request.merchantId, () => endpoint.cancel(request, signal)),
  })
}

/** The address and the event are the merchant's: only what came of it is in the span. */
export function traceWebhookPost(post: WebhookPost, tracing: Tracer | null): WebhookPost {
  if (tracing === null) return post
  return (request, signal) =>
    tracing.step(
      {
        name: 'webhook post',
        kind: 'outside',
        attributes: {},
        describe: (result) =>
          result === null
            ? {}
            : { 'tessera.outcome': result.outcome, ...(result.status > 0 && { 'http.response.status_code': result.status }) },
      },
      () => post(request, signal),
    )
}

/** The adapters, with the providers of the KEK traced. */
export function traceKeks(adapters: Adapters, tracing: Tracer | null): Adapters {
  if (tracing === null) return adapters
  return {
    ...adapters,
    openKek: async (deps) => traceKek(await adapters.openKek(deps), tracing),
    async openNextKek(deps) {
      const next = await adapters.openNextKek(deps)
      return next === null ? null : traceKek(next, tracing)
    },
  }
}

function traceKek(kek: Kek, tracing: Tracer): Kek {
  const call = <T>(operation: string, run: () => Promise<T>): Promise<T> =>
    tracing.step({ name: `kek ${operation}`, kind: 'outside', attributes: { 'tessera.peer': kek.kind } }, run)
  return Object.freeze<Kek>({
    id: kek.id,
    kind: kek.kind,
    wrap: (key, associated) => call('wrap', () => kek.wrap(key, associated)),
    unwrap: (wrapped, associated) => call('unwrap', () => kek.unwrap(wrapped, associated)),
    ...(kek.versionOf !== undefined && { versionOf: (wrapped: Uint8Array) => kek.versionOf?.(wrapped) ?? 0 }),
    failure: () => kek.failure(),
    close: () => kek.close(),
  })
}
