// time limit: 240 s
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { startCluster, type Cluster } from '../../../../tools/postgres.ts'
import { makeScratch, startTesseraChild, type Started } from '../../testing/child.fixture.ts'

// A payment that the network does not answer, found and resolved by an operator, on both stores.

const scratch = makeScratch()
let cluster: Cluster | null = null
after(() => cluster?.stop())

const stores = {
  sqlite: (): Promise<Started> => startTesseraChild(join(scratch, 'sqlite'), ['--network-timeout-ms=500']),
  async postgres(): Promise<Started> {
    cluster = await startCluster()
    return startTesseraChild(join(scratch, 'postgres'), ['--network-timeout-ms=500'], { TESSERA_DATABASE_URL: cluster.url })
  },
}

interface Facts {
  readonly receipts: readonly { readonly receiptId: string; readonly state: number }[]
  readonly receipt: { readonly state: number; readonly requestId: string }
  readonly operations: readonly { readonly state: string; readonly networkRef: string }[]
  readonly history: readonly { readonly action: string; readonly actor: string; readonly outcome: string }[]
}

for (const [name, start] of Object.entries(stores)) {
  test(`an operator finds a payment whose outcome is unknown and resolves it by the statement of the network, on ${name}`, async () => {
    const service = await start()
    const ask = async (...args: string[]) => {
      const { code, out, err } = await service.ask(...args)
      return { code, out, err, facts: (args.includes('--json') && out !== '' ? JSON.parse(out) : null) as Facts }
    }
    const lost = await unknownPayment(service)

    const listed = await ask('receipts', 'list', '--state', '20', '--json')
    assert.equal(listed.code, 0, listed.err)
    assert.deepEqual(
      listed.facts.receipts.map(({ receiptId, state }) => [receiptId, state]),
      [[lost, 20]],
    )
    for (const name of ['awaiting_merchant', 'closing']) assert.equal((await ask('receipts', 'list', '--state', name)).code, 0, name)
    const flagged = await ask('receipts', 'list', '--flagged')
    assert.equal(flagged.out.trim(), 'No receipts.')
    const everything = await ask('receipts', 'list')
    assert.match(everything.err, /--flagged, --merchant <id>, or --state/)

    const shown = await ask('receipts', 'show', lost)
    assert.equal(shown.code, 0, shown.err)
    for (const text of ['20 unknown', 'queries the network again', 'authorize', 'receipt.unknown'])
      assert.ok(shown.out.includes(text), shown.out)

    const statement = ['--reference', 'RRN-118822', '--reason', 'settlement file, line 118']
    const unsaid = await ask('receipts', 'resolve', lost, ...statement, '--yes')
    assert.match(unsaid.err, /either --paid-at <time> or --not-paid.* or --merchant-informed/)
    const unsure = await ask('receipts', 'resolve', lost, '--not-paid', ...statement)
    assert.match(unsure.err, /cannot be undone\. Nothing was done/)
    const early = await ask('receipts', 'resolve', lost, '--paid-at', '2020-01-31T09:00:00Z', ...statement, '--yes')
    assert.match(early.err, /belongs to another payment/)
    const leaky = await ask('receipts', 'resolve', lost, '--not-paid', '--reference', 'RRN-1', '--reason', 'card 8600069195406311', '--yes')
    assert.notEqual(leaky.code, 0)

    const resolved = await ask('receipts', 'resolve', lost, '--not-paid', ...statement, '--yes')
    assert.equal(resolved.code, 0, resolved.err)
    assert.ok(resolved.out.includes('now in state 0 (created)'), resolved.out)
    const { facts } = await ask('receipts', 'show', lost, '--json')
    assert.equal(facts.receipt.state, 0)
    // The receipt worker may have started a reversal before the operator came.
    assert.ok(
      facts.operations.length > 0 && facts.operations.every((each) => each.state === 'declined' && each.networkRef === 'RRN-118822'),
    )
    assert.deepEqual(facts.history[0] && [facts.history[0].action, facts.history[0].actor, facts.history[0].outcome], [
      'receipt.resolved',
      'operator',
      'not_paid',
    ])
    const uninformed = await ask('receipts', 'resolve', lost, '--merchant-informed', ...statement, '--yes')
    assert.match(uninformed.err, /Only of a refunded receipt \(state 50\) that is flagged/)
    const again = await ask('receipts', 'resolve', lost, '--not-paid', ...statement, '--yes')
    assert.match(again.err, /Only a payment whose outcome is unknown/)

    const taken = await unknownPayment(service)
    const paid = await ask('receipts', 'resolve', taken, '--paid-at', new Date().toISOString(), ...statement, '--yes')
    assert.equal(paid.code, 0, paid.err)
    assert.ok(paid.out.includes('now in state 21 (returning)'), paid.out)

    const { err } = await service.stop()
    const lines = err.split('\n').filter((line) => line.includes('receipt_transition') && line.includes(lost))
    const causes = lines.map((line) => (JSON.parse(line) as { cause: string }).cause)
    assert.deepEqual(causes.slice(0, 3), ['created', 'payment_started', 'no_reply'])
    assert.equal(causes.at(-1), 'resolved_not_paid')
  })
}

async function unknownPayment(service: Started): Promise<string> {
  const call = async (method: string, params: object) =>
    (await service.call(method, params, true)).reply as { result?: Record<string, unknown>; error?: { reason: string } }
  const created = (await call('cards.create', { card: { number: '8600069195406311', expire: '0399' }, save: true })).result
  const { token } = created?.['card'] as { token: string }
  await call('cards.get_verify_code', { token })
  await call('cards.verify', { token, code: '666666' })
  const { result } = await call('receipts.create', { amount: 500_000, account: { order_id: '197' } })
  const id = (result?.['receipt'] as { _id: string })._id
  assert.equal((await service.ask('sandbox', 'step', 'network', 'lose_request')).code, 0)
  const reply = await call('receipts.pay', { id, token })
  assert.equal(reply.error?.reason, 'payment_unknown')
  return id
}
