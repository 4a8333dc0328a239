import { maskPhone, type Pan } from '@tessera/contract/card'
import { cardRoutes, type CardRoute } from '@tessera/contract/route'

import {
  networkAdapter,
  type AuthorizationRequest,
  type CodeCheckRequest,
  type CodeCheckResult,
  type NetworkOutcome,
  type Network,
  type NetworkCard,
  type NetworkRefusal,
  type NetworkRefusalReason,
  type VerificationRequest,
  type VerificationStart,
} from '../network/network.ts'

import { defaultStep, sandboxCode, testCards, testExpiry, testPhone, type ScenarioStep, type TestCard } from './cards.ts'
import { defaultMethodFault, delayMsOf, silenceMs, type FaultyMethod } from './faults.ts'
import { makeSandboxPayments, type SandboxPaymentsDependencies } from './payments.ts'
import { findScenarioStep } from '../../store/sandbox.ts'

export type SandboxNetworkDependencies = SandboxPaymentsDependencies

/** The card network of the test environment. */
export const sandboxNetwork = networkAdapter({ name: 'sandbox', isForTestOnly: true, settings: {}, create: makeSandboxNetwork })

/** A card network that knows the seven test cards and simulates their scenarios. All other cards are unknown. */
export function makeSandboxNetwork({ store, clock }: SandboxNetworkDependencies): Network {
  const { authorize: authorizeAs, ...money } = makeSandboxPayments({ store, clock })
  return Object.freeze({
    ...money,
    authorize,
    isSimulated: true,
    routes: Object.freeze([...cardRoutes, ...testRoutes]),
    admit: (card: NetworkCard, signal: AbortSignal) => failAt('create', testCardOf(card), card.merchantId, signal),
    precheckCard,
    startVerification,
    checkCode,
  })

  async function startVerification(request: VerificationRequest, signal: AbortSignal): Promise<VerificationStart> {
    const { merchantId, isHolderRequired } = request
    const card = testCardOf(request)
    const fault = await findFault('cards.get_verify_code', merchantId)
    const failed = fault === 'lose_answer' ? await withholdReply(signal) : await fail(fault, signal)
    if (failed !== null) return failed
    if (card === null) return { kind: 'refused', reason: 'smsNotConnected' }
    const refusal = await failAt('get_verify_code', card, merchantId, signal)
    if (refusal !== null) return refusal
    const holder = fault === 'holder_unknown' ? 'unknown' : 'match'
    if (card.sentBy === 'us') return { kind: 'sentByService', phone: testPhone, holder }
    if (holder === 'unknown' && isHolderRequired) return { kind: 'refused', reason: 'holderMismatch' }
    return { kind: 'sentByNetwork', phoneMask: maskPhone(testPhone), networkRef: `sandbox-${request.requestId}`, holder }
  }

  /** Simulates a lost reply when the service checks the code; when the network checks it, `checkCode` does. */
  async function precheckCard({ merchantId, pan, expiry }: NetworkCard, signal: AbortSignal): Promise<NetworkRefusal | null> {
    const card = testCardOf({ pan, expiry })
    const fault = await findFault('cards.verify', merchantId)
    if (fault === 'lose_answer' && card?.sentBy !== 'network') return withholdReply(signal)
    return (await fail(fault, signal)) ?? failAt('verify', card, merchantId, signal)
  }

  async function checkCode(request: CodeCheckRequest, signal: AbortSignal): Promise<CodeCheckResult> {
    // Before any wait, so that no card data is held while it lasts.
    const isKnown = testCardOf(request) !== null
    if ((await findFault('cards.verify', request.merchantId)) === 'lose_answer') return withholdReply(signal)
    if (!isKnown) return { kind: 'unknown' }
    return { kind: request.code === sandboxCode ? 'correct' : 'incorrect' }
  }

  async function authorize({ pan, expiry, ...request }: AuthorizationRequest, signal: AbortSignal): Promise<NetworkOutcome> {
    return authorizeAs(request, testCardOf({ pan, expiry }), signal)
  }

  async function findFault(method: FaultyMethod, merchantId: string): Promise<string> {
    return (await store.read(findScenarioStep(merchantId, method))) ?? defaultMethodFault
  }

  /** Applies a fault: waits, then returns a refusal, or null to continue. */
  async function fail(fault: string, signal: AbortSignal): Promise<NetworkRefusal | null> {
    const lateMs = delayMsOf(fault)
    if (lateMs > 0) await clock.sleep(lateMs, signal)
    const reason = Object.hasOwn(refused, fault) ? refused[fault as keyof typeof refused] : null
    return reason === null ? null : { kind: 'refused', reason }
  }

  async function withholdReply(signal: AbortSignal): Promise<NetworkRefusal> {
    await clock.sleep(silenceMs, signal)
    return { kind: 'refused', reason: 'timeout' }
  }

  /** Takes the identified test card, so that no card data is held while it waits. */
  async function failAt(
    step: ScenarioStep,
    card: TestCard | null,
    merchantId: string,
    signal: AbortSignal,
  ): Promise<NetworkRefusal | null> {
    const scenario = card?.scenario ?? null
    if (scenario === null) return null
    const failingStep = (await store.read(findScenarioStep(merchantId, scenario.name))) ?? defaultStep
    if (failingStep !== step) return null
    if (scenario.delayMs > 0) await clock.sleep(scenario.delayMs, signal)
    return { kind: 'refused', reason: scenario.reason }
  }
}

/** Finds the test card, comparing all digits of each candidate. */
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
  holder_mismatch: 'holderMismatch',
} as const satisfies Record<string, NetworkRefusalReason>)

const numbers = testCards.map((card) => ({ digits: Buffer.from(card.number, 'latin1'), card }))

/** Two of the test cards have prefixes that belong to no network. */
const testRoutes: readonly CardRoute[] = Object.freeze([
  { prefix: '333333', network: 'test', type: '22690' },
  { prefix: '444444', network: 'test', type: '22690' },
])
