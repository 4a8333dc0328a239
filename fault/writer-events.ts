// Cases of database-writer: idempotency, events, deliveries, endpoints and the audit.
import type { CallOutcome } from './api-client.ts'
import { drawIdBeside, poll, resultOf, type WriterTarget } from './database-writer-target.ts'
import { type CaseTarget, type UseResult, type WriterCase, newCard, newVerifiedCard, idOf, judge, nameOfKey } from './writer-rows.ts'
import { selectOne, type StoredColumns } from './second-connection.ts'

let keys = 0

async function createUnderKey(target: WriterTarget): Promise<{ key: StoredColumns; again(): Promise<CallOutcome>; reply: string }> {
  const idempotencyKey = `database-writer-${++keys}`
  const before = new Set((await target.db.select('idempotency', {})).map(nameOfKey))
  const create = () => target.api.call('receipts.create', { amount: 500_000 + keys }, idempotencyKey)
  const again = create
  const reply = JSON.stringify(resultOf(await create()))
  const row = (await target.db.select('idempotency', {})).find((each) => !before.has(nameOfKey(each)))
  if (row === undefined) throw new Error('no idempotency row was written')
  return { key: { key_hash: row['key_hash'] ?? '' }, again, reply }
}

export async function exchangeOutcomesCase(target: WriterTarget): Promise<CaseTarget> {
  const other = await createUnderKey(target)
  const own = await createUnderKey(target)
  const { sealed = null, method: _method, ...rest } = await selectOne(target.db, 'idempotency', other.key)
  return {
    write: () => target.db.update('idempotency', own.key, { sealed, request_id: rest['request_id'] ?? '', mac: rest['mac'] ?? '' }),
    use: async () => judge(await own.again()),
  }
}

/** The request runs again. */
export async function deleteOutcomeCase(target: WriterTarget): Promise<CaseTarget> {
  const { key, again } = await createUnderKey(target)
  return { write: () => target.db.remove('idempotency', key), use: async () => judge(await again()) }
}

interface WaitingEvent {
  readonly event: StoredColumns
  readonly delivery: StoredColumns
  readonly eventKey: StoredColumns
}

/** An event whose first delivery failed. It waits for the next one. */
async function createWaitingEvent(target: WriterTarget): Promise<WaitingEvent> {
  const { db, receiver, tessera } = target
  const endpoints = await db.count('webhook_endpoints', {})
  if (endpoints === 0) await tessera(['webhooks', 'add', `--url=${receiver.url}`])
  receiver.isFailing = true
  const { key } = await newVerifiedCard(target)
  const objectId = idOf(key)
  const delivery = await poll(
    async () =>
      (await db.select('deliveries', { object_id: objectId })).find((row) => Number(row['tries']) === 1 && row['claim_id'] === '') ?? null,
  )
  if (delivery === null) throw new Error('no delivery was attempted')
  const eventKey = { event_id: String(delivery['event_id']) }
  return { event: await selectOne(db, 'outbox', eventKey), delivery, eventKey }
}

/** Whether the event arrives when it is due again. */
async function deliver({ db, receiver }: WriterTarget, eventId: string): Promise<UseResult> {
  receiver.isFailing = false
  const countBefore = receiver.deliveredIds.filter((id) => id === eventId).length
  const result = await poll(async (): Promise<UseResult | null> => {
    if (receiver.deliveredIds.filter((id) => id === eventId).length > countBefore) return { isAccepted: true, reply: 'delivered' }
    const attempts = await db.select('delivery_attempts', { event_id: eventId })
    const refused = attempts.find(({ outcome }) => outcome === 'tampered')
    return refused === undefined ? null : { isAccepted: false, reply: 'tampered' }
  }, 2500)
  return result ?? { isAccepted: false, isMissing: true, reply: 'not delivered' }
}

const due: StoredColumns = { due_at: 1 }

export function changeEventCase(values: StoredColumns): WriterCase['arrange'] {
  return async (target) => {
    const { eventKey } = await createWaitingEvent(target)
    return {
      async write() {
        await target.db.update('outbox', eventKey, values)
        await target.db.update('deliveries', eventKey, due)
      },
      use: () => deliver(target, idOf(eventKey)),
    }
  }
}

export async function insertEventCase(target: WriterTarget): Promise<CaseTarget> {
  const { event, delivery } = await createWaitingEvent(target)
  const eventId = drawIdBeside(String(event['event_id']))
  const forged = { event_id: eventId, object_id: drawIdBeside(eventId) }
  return {
    async write() {
      await target.db.insert('outbox', { ...event, ...forged, type: 'receipt.paid', body: '{"type":"receipt.paid"}' })
      await target.db.insert('deliveries', { ...delivery, ...forged, ...due })
    },
    use: () => deliver(target, eventId),
  }
}

export async function deleteEventCase(target: WriterTarget): Promise<CaseTarget> {
  const { eventKey } = await createWaitingEvent(target)
  return {
    async write() {
      await target.db.remove('outbox', eventKey)
      await target.db.update('deliveries', eventKey, due)
    },
    use: () => deliver(target, idOf(eventKey)),
  }
}

export async function repeatDeliveryCase(target: WriterTarget): Promise<CaseTarget> {
  const { eventKey, delivery } = await createWaitingEvent(target)
  await target.db.update('deliveries', eventKey, due)
  const first = await deliver(target, idOf(eventKey))
  if (!first.isAccepted) throw new Error(`the event was not delivered: ${first.reply}`)
  await poll(async () => ((await target.db.count('deliveries', { ...eventKey, state: 'delivered' })) === 1 ? true : null))
  return { write: () => target.db.putBack('deliveries', eventKey, [{ ...delivery, ...due }]), use: () => deliver(target, idOf(eventKey)) }
}

export async function changeEndpointCase(target: WriterTarget): Promise<CaseTarget> {
  const { eventKey, delivery } = await createWaitingEvent(target)
  const key = { endpoint_id: delivery['endpoint_id'] ?? '' }
  const { url = '' } = await selectOne(target.db, 'webhook_endpoints', key)
  return {
    async write() {
      await target.db.update('webhook_endpoints', key, { url: `${String(url)}?to=thief` })
      await target.db.update('deliveries', eventKey, due)
    },
    use: () => deliver(target, idOf(eventKey)),
    undo: () => target.db.update('webhook_endpoints', key, { url }),
  }
}

export async function changeAuditCase(target: WriterTarget): Promise<CaseTarget> {
  const { key } = await newCard(target)
  const entry = await selectOne(target.db, 'audit', { subject: idOf(key) })
  const { chain = '', seq = 0 } = entry
  return {
    id: `"seq":${String(seq)}`,
    write: () => target.db.update('audit', { chain, seq }, { outcome: 'nothing' }),
    use: () => Promise.resolve({ isAccepted: true, reply: 'nothing reads it' }),
  }
}
