import { maxOffsetMs } from './adjustable-clock.ts'
import { defaultStep, sandboxCode, steps, testCards, testExpiry, type TestCard } from './cards.ts'
import { defaultMethodFault, methodFaults } from './faults.ts'
import { defaultSimulatedOutcome, simulatedOutcomes, simulatedOutcomeScenario } from './simulated-outcome.ts'

export interface SandboxScenario {
  readonly scenario: string
  /** Of the card that has it, or a word for all of them. */
  readonly number: string
  /** Its own, where it has not those of a card. */
  readonly steps?: readonly string[]
  readonly defaultStep?: string
}

/** What the test environment can simulate. */
export interface Sandbox {
  readonly merchant: { readonly id: string; readonly name: string; readonly password: string }
  readonly merchantId: string
  readonly demo: Demo
  readonly scenarios: readonly SandboxScenario[]
  readonly steps: readonly string[]
  readonly defaultStep: string
  /** As the dashboard shows them, and the code that every one of them takes. */
  readonly cards: readonly TestCard[]
  readonly code: string
  /** What can be made to go wrong beside the scenarios of cards. */
  readonly faults: readonly { readonly scenario: string; readonly steps: readonly string[]; readonly defaultStep: string }[]
  readonly maxOffsetMs: number
}

/** The public login and card of the test environment. */
export interface Demo {
  readonly merchantId: string
  readonly password: string
  readonly dashboardPhone: string
  readonly dashboardPassword: string
  readonly cardNumber: string
  readonly expiry: string
}

/** The demo merchant of every test environment. Intentionally public; refused in production. */
export const demoMerchant = Object.freeze({
  id: '65f0c0ffee0000000000cafe',
  name: 'Demo merchant',
  password: 'sandbox-only-password-not-for-live-0',
})

/** The dashboard login of the demo merchant. */
export const demoLogin = Object.freeze({ phone: '998900000000', password: 'sandbox' })

const faults = [
  { scenario: simulatedOutcomeScenario, steps: simulatedOutcomes, defaultStep: defaultSimulatedOutcome },
  ...Object.entries(methodFaults).map(([scenario, steps]) => ({ scenario, steps, defaultStep: defaultMethodFault })),
]

/** The test environment. */
export const sandbox: Sandbox = Object.freeze({
  merchant: demoMerchant,
  merchantId: demoMerchant.id,
  demo: {
    merchantId: demoMerchant.id,
    password: demoMerchant.password,
    dashboardPhone: demoLogin.phone,
    dashboardPassword: demoLogin.password,
    cardNumber: testCards[0]?.number ?? '',
    expiry: testExpiry,
  },
  scenarios: [
    ...testCards.flatMap(({ number, scenario }) => (scenario === null ? [] : [{ scenario: scenario.name, number }])),
    ...faults.map((row) => ({ ...row, number: 'every card' })),
  ],
  steps,
  defaultStep,
  cards: testCards,
  code: sandboxCode,
  faults,
  maxOffsetMs,
})
