import { maskPhone, type Pan } from '@tessera/contract/card'
import { cardRoutes, type CardRoute } from '@tessera/contract/route'

import type {
  Authorisation,
  CodeAnswer,
  FinishedVerification,
  Moved,
  Network,
  NetworkCard,
  Refusal,
  RefusalReason,
  StartedVerification,
} from '../network/network.ts'

import { stepByDefault, testCards, testExpiry, testPhone, type Step, type TestCard } from './cards.ts'
import { sandboxCode } from './codes.ts'
import { faultByDefault, lateMsOf, silenceMs, type FaultyMethod } from './faults.ts'
import { makeSandboxMoney, type SandboxMoneyParts } from './money.ts'

export type SandboxParts = SandboxMoneyParts

/** A card network that knows the seven test cards and rehearses their scenarios; every other card is unknown to it. */
export function makeSandboxNetwork({ store, clock }: SandboxParts): Network {
  const { authorise: authoriseAs, ...money } = makeSandboxMoney({ store, clock })
  return Object.freeze({
    ...money,
    authorise,
    routes: Object.freeze([...cardRoutes, ...testRoutes]),
    admit: (card: NetworkCard, signal: AbortSignal) => strikeAt('create', testCardOf(card), card.merchantId, signal),
    admitVerification,
    startVerification,
    finishVerification,
  })

  async function startVerification(ask: NetworkCard & { readonly requestId: string }, signal: AbortSignal): Promise<StartedVerification> {
    const { merchantId } = ask
    const card = testCardOf(ask)
    const fault = await faultOf('cards.get_verify_code', merchantId)
    const failed = fault === 'lose_answer' ? await silence(signal) : await fail(fault, signal)
    if (failed !== null) return failed
    if (card === null) return { kind: 'refused', reason: 'smsNotConnected' }
    const refusal = await strikeAt('get_verify_code', card, merchantId, signal)
    if (refusal !== null) return refusal
    if (card.sentBy === 'us') return { kind: 'weSend', phone: testPhone }
    return { kind: 'networkSent', phoneMask: maskPhone(testPhone), networkRef: `sandbox-${ask.requestId}` }
  }

  /** An answer that is lost is lost where the network looks at the code; where we do, here. */
  async function admitVerification({ merchantId, pan, expiry }: NetworkCard, signal: AbortSignal): Promise<Refusal | null> {
    const card = testCardOf({ pan, expiry })
    const fault = await faultOf('cards.verify', merchantId)
    if (fault === 'lose_answer' && card?.sentBy !== 'network') return silence(signal)
    return (await fail(fault, signal)) ?? strikeAt('verify', card, merchantId, signal)
  }

  async function finishVerification(answer: CodeAnswer, signal: AbortSignal): Promise<FinishedVerification> {
    const isKnown = testCardOf(answer) !== null
    if ((await faultOf('cards.verify', answer.merchantId)) === 'lose_answer') return silence(signal)
    if (!isKnown) return { kind: 'unknown' }
    return { kind: answer.code === sandboxCode ? 'right' : 'wrong' }
  }

  async function authorise({ pan, expiry, ...ask }: Authorisation, signal: AbortSignal): Promise<Moved> {
    return authoriseAs(ask, testCardOf({ pan, expiry }), signal)
  }

  async function faultOf(method: FaultyMethod, merchantId: string): Promise<string> {
    return (await store.findScenarioStep(merchantId, method)) ?? faultByDefault
  }

  /** Late, or a refusal; null where it goes on. */
  async function fail(fault: string, signal: AbortSignal): Promise<Refusal | null> {
    const lateMs = lateMsOf(fault)
    if (lateMs > 0) await clock.sleep(lateMs, signal)
    const reason = Object.hasOwn(refused, fault) ? refused[fault as keyof typeof refused] : null
    return reason === null ? null : { kind: 'refused', reason }
  }

  async function silence(signal: AbortSignal): Promise<Refusal> {
    await clock.sleep(silenceMs, signal)
    return { kind: 'refused', reason: 'timeout' }
  }

  /** Holds nothing of the card while it waits: which test card it is has been seen before. */
  async function strikeAt(step: Step, card: TestCard | null, merchantId: string, signal: AbortSignal): Promise<Refusal | null> {
    const scenario = card?.scenario ?? null
    if (scenario === null) return null
    const strikesAt = (await store.findScenarioStep(merchantId, scenario.name)) ?? stepByDefault
    if (strikesAt !== step) return null
    if (scenario.delayMs > 0) await clock.sleep(scenario.delayMs, signal)
    return { kind: 'refused', reason: scenario.reason }
  }
}

/** The test card that this is, if any; each of them is compared to the last digit. */
function testCardOf({ pan, expiry }: Pick<NetworkCard, 'pan' | 'expiry'>): TestCard | null {
  if (expiry !== testExpiry) return null
  return numbers.find(({ digits }) => isSame(digits, pan))?.card ?? null
}

function isSame(digits: Uint8Array, pan: Pan): boolean {
  const revealed = pan.reveal()
  let difference = digits.length ^ revealed.length
  for (let i = 0; i < digits.length; i++) difference |= (digits[i] ?? 0) ^ (revealed[i] ?? 0)
  return difference === 0
}

const refused = Object.freeze({
  sms_not_connected: 'smsNotConnected',
  card_expired: 'cardExpired',
  card_blocked: 'cardBlocked',
  system_error: 'systemError',
} as const satisfies Record<string, RefusalReason>)

const numbers = testCards.map((card) => ({ digits: Buffer.from(card.number, 'latin1'), card }))

/** Two of the test cards have prefixes that no network issues. */
const testRoutes: readonly CardRoute[] = Object.freeze([
  { prefix: '333333', network: 'test', type: '22690' },
  { prefix: '444444', network: 'test', type: '22690' },
])
