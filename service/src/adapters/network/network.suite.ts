import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { AuthorizationRequest, FollowUpRequest, Network, NetworkCard, NetworkOutcome } from './network.ts'

/** An adapter under test, with cards that its network knows. */
export interface NetworkSetup {
  readonly network: Network
  /** A card that is approved. Returns a new `Pan` at each call, because its user may wipe it. */
  approvedCard(): NetworkCard
  /** A card that is declined. */
  declinedCard(): NetworkCard
  /** What the network has debited from the approved card and not returned, in tiyin. Held money counts. */
  debitedTiyin(): Promise<number>
  close(): Promise<void>
}

/** What every card network adapter must do. Run by each adapter's test against its network, or a documented test double of it. */
export function describeNetwork(name: string, setUp: () => Promise<NetworkSetup>): void {
  describe(`network adapter ${name}`, () => {
    it('debits an approved card once, and status reports the same outcome by our request id', () =>
      withSetup(async ({ network, approvedCard, debitedTiyin }) => {
        const outcome = await network.authorize(authorization('r1', approvedCard()), never)
        assert.equal(outcome.kind, 'approved')
        assert.deepEqual(await network.status('r1', never), outcome)
        assert.equal(await debitedTiyin(), amountTiyin)
      }))

    it('does not debit twice for one request id', () =>
      withSetup(async ({ network, approvedCard, debitedTiyin }) => {
        const first = await network.authorize(authorization('r1', approvedCard()), never)
        assert.deepEqual(await network.authorize(authorization('r1', approvedCard()), never), first)
        assert.equal(await debitedTiyin(), amountTiyin)
      }))

    it('declines with a normalized reason and debits nothing', () =>
      withSetup(async ({ network, declinedCard, debitedTiyin }) => {
        const outcome = await network.authorize(authorization('r1', declinedCard()), never)
        assert.equal(outcome.kind, 'declined')
        assert.equal(await debitedTiyin(), 0)
      }))

    it('captures a part of a hold and releases the rest', () =>
      withSetup(async ({ network, approvedCard, debitedTiyin }) => {
        const held = await network.authorize({ ...authorization('r1', approvedCard()), hold: true }, never)
        assert.equal((await network.capture(followUp('r2', held, 40_00), never)).kind, 'approved')
        assert.equal(await debitedTiyin(), 40_00)
      }))

    it('releases a hold, and refunds a debit', () =>
      withSetup(async ({ network, approvedCard, debitedTiyin }) => {
        const held = await network.authorize({ ...authorization('r1', approvedCard()), hold: true }, never)
        assert.equal((await network.cancelHold(followUp('r2', held), never)).kind, 'approved')
        const debited = await network.authorize(authorization('r3', approvedCard()), never)
        assert.equal((await network.refund({ ...followUp('r4', debited), ofRequestId: 'r3' }, never)).kind, 'approved')
        assert.equal(await debitedTiyin(), 0)
      }))

    it('reverses an authorization, even one that the network never saw', () =>
      withSetup(async ({ network, approvedCard, debitedTiyin }) => {
        const debited = await network.authorize(authorization('r1', approvedCard()), never)
        assert.equal((await network.reverse(followUp('r2', debited), never)).kind, 'approved')
        assert.equal((await network.reverse({ ...followUp('r3', debited), ofRequestId: 'lost', networkRef: '' }, never)).kind, 'approved')
        assert.equal(await debitedTiyin(), 0)
      }))

    it('reports an unknown request id as never seen', () =>
      withSetup(async ({ network }) => {
        assert.deepEqual(await network.status('never sent', never), { kind: 'neverSeen' })
      }))
  })

  async function withSetup(run: (setup: NetworkSetup) => Promise<void>): Promise<void> {
    const setup = await setUp()
    try {
      await run(setup)
    } finally {
      await setup.close()
    }
  }
}

const amountTiyin = 100_00
const never = new AbortController().signal

function authorization(requestId: string, card: NetworkCard): AuthorizationRequest {
  return { ...card, requestId, receiptId: '6745a1f0000a3f5c0d2e4b61', amountTiyin, hold: false }
}

function followUp(requestId: string, outcome: NetworkOutcome, tiyin = amountTiyin): FollowUpRequest {
  const networkRef = outcome.kind === 'approved' ? outcome.networkRef : ''
  return { requestId, merchantId: '65f0c0ffee0000000000cafe', ofRequestId: 'r1', networkRef, amountTiyin: tiyin }
}
