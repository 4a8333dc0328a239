import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { MovementKind } from '../../store/operations.ts'

import type { AuthorizationRequest, FollowUpRequest, Network, NetworkCard, NetworkOutcome, NetworkStatus } from './network.ts'
import { NetworkNotReached } from './network-not-reached.ts'

/** An adapter under test, with cards that its network knows. */
export interface NetworkSetup {
  readonly network: Network
  /** A card that is approved. Returns a new `Pan` at each call, because its user may wipe it. */
  approvedCard(): NetworkCard
  /** A card that is declined. */
  declinedCard(): NetworkCard
  /** What the network has debited from the approved card and not returned, in tiyin. Held money counts. */
  debitedTiyin(): Promise<number>
  /**
   * Passes the time in which the network may still get a request that was sent to it: until then an authorization that it does not know stays unknown. Absent
   * for a network that knows at once what it has not got.
   */
  readonly passQueueTime?: () => void
  /** False for a network without a status inquiry: its `status` returns `noInquiry`. */
  readonly hasInquiry?: boolean
  /** The code that the network sent, or a wrong one; null for networks whose code the service sends, and those without verification. */
  readonly code?: { readonly correct: string; readonly wrong: string } | null
  /** Stops the network: it refuses connections from then on. */
  close(): Promise<void>
}

type SuiteSetup = Required<Omit<NetworkSetup, 'passQueueTime'>> & {
  readonly passQueueTime: (() => void) | null
  readonly calls: SuiteCalls
}

/** What every card network adapter must do. Run by each adapter's test against its network, or a documented test double of it. */
export function describeNetwork(name: string, setUp: () => Promise<NetworkSetup>): void {
  describe(`network adapter ${name}`, () => {
    it('debits an approved card once, and status reports the same outcome by our request id', () =>
      withSetup(async ({ calls, approvedCard, debitedTiyin }) => {
        const outcome = await calls.authorize('r1', approvedCard())
        assert.equal(outcome.kind, 'approved')
        calls.assertStatus(await calls.status('r1'), outcome)
        assert.equal(await debitedTiyin(), amountTiyin)
      }))

    it('does not debit twice for one request id', () =>
      withSetup(async ({ calls, approvedCard, debitedTiyin }) => {
        const first = await calls.authorize('r1', approvedCard())
        assert.deepEqual(await calls.authorize('r1', approvedCard()), first)
        assert.equal(await debitedTiyin(), amountTiyin)
      }))

    it('declines with a normalized reason and debits nothing', () =>
      withSetup(async ({ calls, declinedCard, debitedTiyin }) => {
        const outcome = await calls.authorize('r1', declinedCard())
        assert.equal(outcome.kind, 'declined')
        assert.equal(await debitedTiyin(), 0)
      }))

    it('captures a part of a hold and releases the rest, once, also when the capture is repeated', () =>
      withSetup(async ({ calls, approvedCard, debitedTiyin }) => {
        await calls.authorize('r1', approvedCard(), true)
        assert.equal((await calls.followUp('capture', 'r2', 'r1', { tiyin: 40_00 })).kind, 'approved')
        assert.equal(await debitedTiyin(), 40_00)
        assert.equal((await calls.repeat('capture', 'r2', 'r1', { tiyin: 40_00 })).kind, 'approved')
        assert.equal(await debitedTiyin(), 40_00)
      }))

    it('releases a hold, and refunds a debit, once each, also when the call is repeated', () =>
      withSetup(async ({ calls, approvedCard, debitedTiyin }) => {
        await calls.authorize('r1', approvedCard(), true)
        await calls.authorize('r3', approvedCard())
        for (const send of [calls.followUp, calls.repeat]) {
          assert.equal((await send('cancelHold', 'r2', 'r1')).kind, 'approved')
          assert.equal(await debitedTiyin(), amountTiyin)
        }
        for (const send of [calls.followUp, calls.repeat]) {
          assert.equal((await send('refund', 'r4', 'r3')).kind, 'approved')
          assert.equal(await debitedTiyin(), 0)
        }
      }))

    it('refunds a captured hold', () =>
      withSetup(async ({ calls, approvedCard, debitedTiyin }) => {
        await calls.authorize('r1', approvedCard(), true)
        await calls.followUp('capture', 'r2', 'r1', { tiyin: 40_00 })
        assert.equal((await calls.followUp('refund', 'r3', 'r1', { tiyin: 40_00 })).kind, 'approved')
        assert.equal(await debitedTiyin(), 0)
      }))

    it('reverses an authorization whose reply was lost, even one that the network never saw', () =>
      withSetup(async ({ calls, approvedCard, debitedTiyin, passQueueTime }) => {
        await calls.authorize('r1', approvedCard())
        assert.equal((await calls.followUp('reverse', 'r2', 'r1', { networkRef: '' })).kind, 'approved')
        assert.equal(await debitedTiyin(), 0)
        const lost = await calls.followUp('reverse', 'r3', 'lost')
        assert.equal(lost.kind, passQueueTime === null ? 'approved' : 'unknown')
        passQueueTime?.()
        assert.equal((await calls.repeat('reverse', 'r3', 'lost')).kind, 'approved')
        assert.equal(await debitedTiyin(), 0)
      }))

    it('reports an unknown request id as never seen', () =>
      withSetup(async ({ calls }) => {
        calls.assertStatus(await calls.status('never sent'), { kind: 'neverSeen' })
      }))

    it('says who sends the code of a card, and accepts only the right code when the network sent it', () =>
      withSetup(async ({ network, approvedCard, code }) => {
        const started = await network.startVerification({ ...approvedCard(), requestId: requestIdOf('v1'), isHolderRequired: false }, never)
        assert.equal(started.kind === 'sentByNetwork', code !== null)
        if (started.kind !== 'sentByNetwork' || code === null) return
        const check = (typed: string) =>
          network.checkCode({ ...approvedCard(), requestId: requestIdOf('v1'), networkRef: started.networkRef, code: typed }, never)
        assert.equal((await check(code.wrong)).kind, 'incorrect')
        assert.equal((await check(code.correct)).kind, 'correct')
      }))

    it('calls no network when its caller has stopped waiting', () =>
      withSetup(async ({ network, approvedCard, debitedTiyin }) => {
        const given = AbortSignal.abort(new Error('the caller has gone'))
        const request = {
          ...approvedCard(),
          requestId: requestIdOf('r1'),
          trace: (await network.issueTrace?.('authorise')) ?? '',
          receiptId,
          amountTiyin,
          hold: false,
        }
        await network.authorize(request, given).catch(() => undefined)
        if (network.isSimulated !== true) assert.equal(await debitedTiyin(), 0)
      }))

    it('tells that its network was not reached where nothing was sent, and knows nothing of earlier calls then', async () => {
      const hostSetup = await setUp()
      if (hostSetup.network.isSimulated === true) return hostSetup.close()
      const { network, approvedCard, debitedTiyin, code = null } = hostSetup
      const verification = () =>
        network.startVerification({ ...approvedCard(), requestId: requestIdOf('v1'), isHolderRequired: false }, never)
      await hostSetup.close()
      const calls = makeSuiteCalls({ network, hasInquiry: hostSetup.hasInquiry ?? true })
      for (const hold of [false, true]) await assert.rejects(calls.authorize(`r${String(hold)}`, approvedCard(), hold), NetworkNotReached)
      await assert.rejects(calls.followUp('capture', 'r2', 'r1'), NetworkNotReached)
      for (const kind of ['cancelHold', 'refund', 'reverse'] as const) {
        const outcome = await calls.followUp(kind, 'r3', 'r1').catch(toKind)
        assert.ok(outcome.kind === 'unknown' || outcome.kind === 'notReached', kind)
      }
      const { kind } = await calls.status('r1')
      assert.ok(kind === 'unknown' || kind === 'noInquiry', kind)
      const started = await verification().catch(toKind)
      assert.ok(started.kind === 'notReached' || (started.kind === 'refused' && started.reason === 'smsNotConnected'))
      if (code !== null) {
        const check = { ...approvedCard(), requestId: requestIdOf('v1'), networkRef: '1', code: code.correct }
        await assert.rejects(network.checkCode(check, never), NetworkNotReached)
      }
      assert.equal(await debitedTiyin(), 0)
      await network.close?.()
    })
  })

  function toKind(err: unknown): { readonly kind: 'notReached' } {
    assert.ok(err instanceof NetworkNotReached, String(err))
    return { kind: 'notReached' }
  }

  async function withSetup(run: (setup: SuiteSetup) => Promise<void>): Promise<void> {
    const setup = { hasInquiry: true, code: null, passQueueTime: null, ...(await setUp()) }
    try {
      await run({ ...setup, calls: makeSuiteCalls(setup) })
    } finally {
      await setup.network.close?.()
      await setup.close()
    }
  }
}

type SuiteCalls = ReturnType<typeof makeSuiteCalls>

/** Makes calls as the service does: a trace number is issued before the call, and a repeat has the same. */
function makeSuiteCalls({ network, hasInquiry }: Pick<SuiteSetup, 'network' | 'hasInquiry'>) {
  const made = new Map<string, MadeCall>()
  return { authorize, followUp, repeat, status, assertStatus }

  async function authorize(name: string, card: NetworkCard, hold = false): Promise<NetworkOutcome> {
    const { trace } = made.get(name) ?? (await begin(name, hold ? 'hold' : 'authorise', name))
    const request: AuthorizationRequest = { ...card, requestId: requestIdOf(name), trace, receiptId, amountTiyin, hold }
    const outcome = await network.authorize(request, never)
    if (outcome.kind === 'approved') made.set(name, { ...requireCall(name), networkRef: outcome.networkRef })
    return outcome
  }

  async function followUp(kind: SuiteFollowUp, name: string, of: string, options: SuiteFollowUpOptions = {}): Promise<NetworkOutcome> {
    if (!made.has(of)) await begin(of, 'authorise', of)
    await begin(name, kind, of, options.tiyin)
    return network[kind](toRequest(name, of, options, false), never)
  }

  /** What the service does after a lost reply: it asks, and sends the call again only when the network cannot be asked. */
  async function repeat(kind: SuiteFollowUp, name: string, of: string, options: SuiteFollowUpOptions = {}): Promise<NetworkOutcome> {
    const known = await status(name)
    if (known.kind === 'noInquiry') return network[kind](toRequest(name, of, options, true), never)
    if (known.kind === 'neverSeen') throw new Error(`the network does not know ${name}`)
    return known
  }

  async function begin(name: string, kind: MovementKind, of: string, tiyin = amountTiyin): Promise<MadeCall> {
    const call = { kind, of, tiyin, trace: (await network.issueTrace?.(kind)) ?? '', networkRef: '' }
    made.set(name, call)
    return call
  }

  function requireCall(name: string): MadeCall {
    const call = made.get(name)
    if (call === undefined) throw new Error(`${name} was not called`)
    return call
  }

  function toRequest(
    name: string,
    of: string,
    { tiyin = amountTiyin, networkRef }: SuiteFollowUpOptions,
    isRepeat: boolean,
  ): FollowUpRequest {
    const authorization = requireCall(of)
    return {
      requestId: requestIdOf(name),
      merchantId,
      ofRequestId: requestIdOf(of),
      networkRef: networkRef ?? authorization.networkRef,
      amountTiyin: tiyin,
      trace: requireCall(name).trace,
      ofTrace: authorization.trace,
      ofAmountTiyin: amountTiyin,
      ofHold: authorization.kind === 'hold',
      isRepeat,
    }
  }

  async function status(name: string): Promise<NetworkStatus> {
    const { kind, of, tiyin, trace } = made.get(name) ?? (await begin(name, 'authorise', name))
    const { networkRef } = requireCall(of)
    return network.status(
      { requestId: requestIdOf(name), merchantId, kind, amountTiyin: tiyin, trace, ofRequestId: requestIdOf(of), networkRef },
      never,
    )
  }

  function assertStatus(actual: NetworkStatus, expected: NetworkStatus): void {
    assert.deepEqual(actual, hasInquiry ? expected : { kind: 'noInquiry' })
  }
}

interface MadeCall {
  readonly kind: MovementKind
  readonly of: string
  readonly tiyin: number
  readonly trace: string
  readonly networkRef: string
}

type SuiteFollowUp = 'capture' | 'cancelHold' | 'refund' | 'reverse'

interface SuiteFollowUpOptions {
  readonly tiyin?: number
  readonly networkRef?: string
}

/** A request id of 24 hexadecimal digits, as the service issues them. */
function requestIdOf(name: string): string {
  return `6745a1f0000a${Buffer.from(name.padEnd(6).slice(0, 6)).toString('hex')}`
}

const receiptId = '6745a1f0000a3f5c0d2e4b61'
const merchantId = '65f0c0ffee0000000000cafe'
const amountTiyin = 100_00
const never = new AbortController().signal
