import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readPan, type Expiry, type Pan } from '@tessera/contract/card'
import { makeFindRoute } from '@tessera/contract/route'

import type { FollowUpRequest, StatusRequest } from '../network/network.ts'
import type { LedgerRow } from '../../store/sandbox-ledger.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'

import { sandboxCode, steps, testCards, testExpiry, type ScenarioStep } from './cards.ts'
import { describeNetwork } from '../network/network.suite.ts'
import { makeSandboxNetwork } from './network.ts'
import type { SimulatedOutcome } from './simulated-outcome.ts'
import { findLedgerEntry, insertLedgerEntry, listLedgerEntries } from '../../store/sandbox-ledger.ts'
import { findScenarioStep, findTwoScenarioSteps } from '../../store/sandbox.ts'
import { replaceRead, replaceWrite, storeOf } from '../../testing/store.fixture.ts'

const merchantId = '65f0c0ffee0000000000cafe'
const signal = new AbortController().signal

function setUp(set: Record<string, ScenarioStep | SimulatedOutcome> = {}) {
  const clock = makeHandClock()
  const ledger: LedgerRow[] = []
  const store = storeOf(
    replaceRead(findScenarioStep('', ''), async ([, scenario]) => set[String(scenario)] ?? null),
    replaceRead(
      findTwoScenarioSteps('', ['', '']),
      async ([, one, other]) => [set[String(one)] ?? null, set[String(other)] ?? null] as const,
    ),
    replaceRead(findLedgerEntry(''), async ([id]) => ledger.find(({ requestId }) => requestId === id) ?? null),
    replaceRead(listLedgerEntries(''), async ([ref]) => ledger.filter(({ networkRef }) => networkRef === ref)),
    replaceWrite(insertLedgerEntry, async (row) => {
      if (ledger.some(({ requestId }) => requestId === row.requestId)) return false
      ledger.push(row)
      return true
    }),
  )
  return { clock, ledger, network: makeSandboxNetwork({ store, clock }) }
}

function cardOf(number: string, expiry: Expiry = testExpiry): { merchantId: string; pan: Pan; expiry: Expiry } {
  const pan = readPan(Buffer.from(number))
  assert.ok(typeof pan !== 'string')
  return { merchantId, pan, expiry }
}

/** The amount debited and not returned, by the sandbox's ledger. */
function debitedIn(ledger: readonly LedgerRow[]): number {
  const approved = ledger.filter(({ outcome }) => outcome === 'approved')
  const sum = (networkRef: string, kinds: readonly string[]): number =>
    approved.filter((row) => row.networkRef === networkRef && kinds.includes(row.kind)).reduce((total, row) => total + row.amountTiyin, 0)
  return approved
    .filter(({ kind }) => kind === 'authorise' || kind === 'hold')
    .map(({ networkRef, kind, amountTiyin }) => {
      if (approved.some((row) => row.networkRef === networkRef && (row.kind === 'reverse' || row.kind === 'cancelHold'))) return 0
      const captured = sum(networkRef, ['capture'])
      return (kind === 'hold' && captured > 0 ? captured : amountTiyin) - sum(networkRef, ['refund'])
    })
    .reduce((total, tiyin) => total + tiyin, 0)
}

describeNetwork('sandbox', async () => {
  const { network, ledger } = setUp()
  return {
    network,
    approvedCard: () => cardOf('8600069195406311'),
    declinedCard: () => cardOf('4444445987459073'),
    debitedTiyin: async () => debitedIn(ledger),
    code: { correct: sandboxCode, wrong: '111111' },
    close: async () => undefined,
  }
})

test('there are seven test cards, each with a valid number and a route', () => {
  const routeOf = makeFindRoute(setUp().network.routes)
  assert.equal(testCards.length, 7)
  for (const { number } of testCards) {
    cardOf(number)
    assert.notEqual(routeOf(Buffer.from(number)), null)
  }
  assert.equal(routeOf(Buffer.from('8600069195406311'))?.type, '22618')
})

test('a scenario fails at its step, by default at get_verify_code, and at no other', async () => {
  for (const { number, scenario } of testCards) {
    for (const step of [null, ...steps]) {
      const { network, clock } = setUp(scenario === null || step === null ? {} : { [scenario.name]: step })
      const calls: [ScenarioStep, () => Promise<object | null>][] = [
        ['create', () => network.admit(cardOf(number), signal)],
        ['get_verify_code', () => network.startVerification({ ...cardOf(number), requestId: 'r', isHolderRequired: false }, signal)],
        ['verify', () => network.precheckCard(cardOf(number), signal)],
      ]
      for (const [at, call] of calls) {
        const shouldFail = scenario !== null && at === (step ?? 'get_verify_code')
        const pending = call()
        if (shouldFail && scenario.delayMs > 0) {
          await clock.untilSleeping(scenario.delayMs)
          clock.advance(scenario.delayMs)
        }
        const result = await pending
        if (shouldFail) assert.deepEqual(result, { kind: 'refused', reason: scenario.reason })
        else assert.ok(result === null || ('kind' in result && result.kind !== 'refused'), `${number} ${String(step)} ${at}`)
      }
    }
  }
})

test('the ten-second card does not need the PAN while it waits', async () => {
  const { network, clock } = setUp()
  const card = cardOf('8600134301849596')
  const pending = network.startVerification({ ...card, requestId: 'r', isHolderRequired: false }, signal)
  await clock.untilSleeping(10_000)
  card.pan.wipe()
  clock.advance(10_000)
  assert.deepEqual(await pending, { kind: 'refused', reason: 'timeout' })
})

test('the code of one card is sent by us, those of the others by the network', async () => {
  const { network } = setUp({ sms_not_connected: 'pay' })
  const start = (number: string) => network.startVerification({ ...cardOf(number), requestId: 'r1', isHolderRequired: false }, signal)
  const sentByNetwork = { kind: 'sentByNetwork', phoneMask: '99890*****66', networkRef: 'sandbox-r1', holder: 'match' }
  assert.deepEqual(await start('8600069195406311'), sentByNetwork)
  assert.deepEqual(await start('8600060921090842'), sentByNetwork)
  assert.deepEqual(await start('8600495473316478'), { kind: 'sentByService', phone: '998901234566', holder: 'match' })
})

test('a test card with another expiry, and every other card, is unknown', async () => {
  const { network } = setUp()
  // Consists of one digit, so that it is no issued card: pan-ok
  const unknownCards = [cardOf('8600069195406311', '0499' as Expiry), cardOf('4444444444444448')]
  for (const card of unknownCards) {
    assert.equal(await network.admit(card, signal), null)
    assert.deepEqual(await network.startVerification({ ...card, requestId: 'r', isHolderRequired: false }, signal), {
      kind: 'refused',
      reason: 'smsNotConnected',
    })
    const request = { ...card, requestId: 'r', networkRef: null, code: '666666' }
    assert.deepEqual(await network.checkCode(request, signal), { kind: 'unknown' })
  }
})

const receiptId = '6b015d9002e0bb7c691c8af8'

/** Authorizes a payment and lets the network's delay pass. */
async function authorize(
  { network, clock }: ReturnType<typeof setUp>,
  number: string,
  options: { hold?: boolean; requestId?: string } = {},
) {
  const request = {
    ...cardOf(number),
    requestId: options.requestId ?? 'a1',
    trace: '',
    receiptId,
    amountTiyin: 500,
    hold: options.hold ?? false,
  }
  const pending = network.authorize(request, signal)
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(10_000)
  clock.advance(50_000)
  return pending
}

function followUp(requestId: string, amountTiyin = 500): FollowUpRequest {
  const authorization = { ofRequestId: 'a1', networkRef: 'sandbox-a1', ofTrace: '', ofAmountTiyin: 500, ofHold: false }
  return { ...authorization, requestId, merchantId, amountTiyin, trace: '', isRepeat: false }
}

function statusOf(requestId: string): StatusRequest {
  return { requestId, merchantId, kind: 'authorise', amountTiyin: 500, trace: '', ofRequestId: requestId, networkRef: '' }
}

test('the success cards pay, and a scenario card never does, whatever its step', async () => {
  for (const { number, scenario } of testCards) {
    for (const step of steps) {
      const set = scenario === null ? {} : { [scenario.name]: step }
      const outcome = await authorize(setUp(set), number)
      if (scenario === null) assert.deepEqual(outcome, { kind: 'approved', networkRef: 'sandbox-a1' })
      else assert.equal(outcome.kind === 'declined' && outcome.reason, scenario.reason === 'timeout' ? 'networkTimeout' : scenario.reason)
    }
  }
})

test('the ten-second card is declined after a wait only when its step is pay', async () => {
  const atPay = setUp({ network_timeout: 'pay' })
  const pending = atPay.network.authorize(
    { ...cardOf('8600134301849596'), requestId: 'a1', trace: '', receiptId, amountTiyin: 500, hold: false },
    signal,
  )
  await atPay.clock.untilSleeping(10_000)
  assert.equal(atPay.ledger.length, 0)
  atPay.clock.advance(10_000)
  assert.equal((await pending).kind, 'declined')
  const elsewhere = setUp({ network_timeout: 'verify' })
  const request = { ...cardOf('8600134301849596'), requestId: 'a1', trace: '', receiptId, amountTiyin: 500, hold: false }
  assert.equal((await elsewhere.network.authorize(request, signal)).kind, 'declined')
})

test('a requestId moves money once, and a repeated request gets the same response', async () => {
  const sandbox = setUp({ network: 'answer_twice' })
  const first = await authorize(sandbox, '8600069195406311')
  assert.deepEqual(await authorize(sandbox, '8600069195406311'), first)
  assert.deepEqual(await sandbox.network.status(statusOf('a1'), signal), first)
  assert.deepEqual(await sandbox.network.refund(followUp('r1', 200), signal), first)
  assert.deepEqual(await sandbox.network.refund(followUp('r1', 200), signal), first)
  assert.equal(sandbox.ledger.length, 2)
})

test('refunds never exceed the debit, and captures never exceed the hold', async () => {
  const debited = setUp()
  await authorize(debited, '8600069195406311')
  const kindOf = async (outcome: Promise<{ kind: string }>) => (await outcome).kind
  assert.equal(await kindOf(debited.network.capture(followUp('c1'), signal)), 'declined')
  assert.equal(await kindOf(debited.network.refund(followUp('r1', 501), signal)), 'declined')
  assert.equal(await kindOf(debited.network.refund(followUp('r2', 300), signal)), 'approved')
  assert.equal(await kindOf(debited.network.refund(followUp('r3', 201), signal)), 'declined')
  assert.equal(await kindOf(debited.network.refund(followUp('r4', 200), signal)), 'approved')

  const held = setUp()
  await authorize(held, '8600069195406311', { hold: true })
  assert.equal(await kindOf(held.network.refund(followUp('r1'), signal)), 'declined')
  assert.equal(await kindOf(held.network.capture(followUp('c1', 501), signal)), 'declined')
  assert.equal(await kindOf(held.network.capture(followUp('c2', 1), signal)), 'approved')
  assert.equal(await kindOf(held.network.capture(followUp('c3', 1), signal)), 'declined')
  assert.equal(await kindOf(held.network.cancelHold(followUp('h1'), signal)), 'declined')
  assert.equal(await kindOf(held.network.refund(followUp('r2', 1), signal)), 'approved')
})

test('an authorization that arrives after its reversal is declined', async () => {
  const sandbox = setUp()
  assert.equal((await sandbox.network.reverse(followUp('v1'), signal)).kind, 'approved')
  assert.equal((await authorize(sandbox, '8600069195406311')).kind, 'declined')
})

test('each simulated outcome of the network leaves the matching rows in the ledger', async () => {
  const cases: [SimulatedOutcome, outcome: string, status: string, rows: number][] = [
    ['none', 'approved', 'approved', 1],
    ['insufficient_funds', 'declined', 'declined', 1],
    ['declined', 'declined', 'declined', 1],
    ['debit_failed', 'declined', 'declined', 1],
    ['lose_request', 'unknown', 'neverSeen', 0],
    ['lose_answer', 'unknown', 'approved', 1],
    ['answer_twice', 'approved', 'approved', 1],
  ]
  for (const [simulated, outcome, status, rows] of cases) {
    const sandbox = setUp({ network: simulated })
    assert.equal((await authorize(sandbox, '8600069195406311')).kind, outcome, simulated)
    assert.equal((await sandbox.network.status(statusOf('a1'), signal)).kind, status, simulated)
    assert.equal(sandbox.ledger.length, rows, simulated)
  }
})

test('a late approval is unknown until it arrives', async () => {
  const sandbox = setUp({ network: 'approve_late' })
  const request = { ...cardOf('8600069195406311'), requestId: 'a1', trace: '', receiptId, amountTiyin: 500, hold: false }
  const pending = sandbox.network.authorize(request, signal)
  await sandbox.clock.untilSleeping(60_000)
  sandbox.clock.advance(14_999)
  assert.equal((await sandbox.network.status(statusOf('a1'), signal)).kind, 'unknown')
  sandbox.clock.advance(1)
  assert.equal((await sandbox.network.status(statusOf('a1'), signal)).kind, 'approved')
  sandbox.clock.advance(60_000)
  assert.equal((await pending).kind, 'unknown')
})
