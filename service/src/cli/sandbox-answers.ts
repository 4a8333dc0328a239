import type { Dropped } from '../dashboard/reset.ts'

import type { Question, Reply } from './control-wire.ts'
import { ofKnown, type KnownMerchants } from './known-merchants.ts'
import { badMerchant, no, yes, type Answer, type Answers } from './replies.ts'

export interface SandboxScenario {
  readonly scenario: string
  /** Of the card that has it, or a word for all of them. */
  readonly number: string
  /** Its own, where it has not those of a card. */
  readonly steps?: readonly string[]
  readonly byDefault?: string
}

export interface SandboxAnswers {
  readonly merchantId: string
  /** The scenarios with the number of the card that has each. */
  readonly scenarios: readonly SandboxScenario[]
  readonly steps: readonly string[]
  stepsOf(merchantId: string): Promise<{ scenario: string; number: string; step: string }[]>
  setStep(merchantId: string, scenario: string, step: string): Promise<void>
  /** Each tells in a sentence why it was not done, or null. */
  setLimits(merchantId: string, on: boolean): Promise<string | null>
  moveClock(offsetMs: number): Promise<string | null>
  offsetMs(): number
  restore(merchantId: string): Promise<void>
  reset(merchantId: string): Promise<Dropped>
  inbox(count: number): Promise<{ at: string; merchantId: string; phone: string; text: string }[]>
}

/** Answers about what can be made to go wrong in the test environment: of the demo merchant, unless one is named. */
export function answerSandbox(sandbox: SandboxAnswers | null, merchants: KnownMerchants): Answers {
  const inSandbox = (then: (sandbox: SandboxAnswers, question: Question) => Promise<Reply>): Answer =>
    sandbox === null
      ? async () => no('no_sandbox', 'There is a sandbox in the test environment only.')
      : (question) => then(sandbox, question)
  const ofOne = (then: (sandbox: SandboxAnswers, merchantId: string, question: Question) => Promise<Reply>): Answer =>
    inSandbox((there, question) => {
      const { merchantId = there.merchantId } = question
      return ofKnown(merchants, merchantId, (id) => then(there, id, question))
    })
  const reset = ofOne(async (there, merchantId) => yes({ merchantId, ...(await there.reset(merchantId)) }))
  return {
    'sandbox.steps': ofOne(async (there, merchantId) => yes({ merchantId, steps: await there.stepsOf(merchantId) })),
    'sandbox.step': ofOne(setStep),
    'sandbox.inbox': inSandbox(tellInbox),
    'sandbox.limits': ofOne(setLimits),
    'sandbox.clock': inSandbox(moveClock),
    'sandbox.restore': ofOne(restore),
    // Whom it empties is said, always.
    'sandbox.reset': (question) => (question.merchantId === undefined ? Promise.resolve(badMerchant()) : reset(question)),
  }
}

async function setStep(sandbox: SandboxAnswers, merchantId: string, { scenario, step }: Question): Promise<Reply> {
  const scenarios = sandbox.scenarios.map((row) => row.scenario)
  if (typeof scenario !== 'string' || !scenarios.includes(scenario))
    return no('bad_scenario', `A scenario is one of: ${scenarios.join(', ')}.`)
  const steps = sandbox.scenarios.find((row) => row.scenario === scenario)?.steps ?? sandbox.steps
  if (typeof step !== 'string' || !steps.includes(step)) return no('bad_step', `A step is one of: ${listed(steps)}.`)
  await sandbox.setStep(merchantId, scenario, step)
  return yes({ merchantId, scenario, step })
}

/** The thirty steps that are late by seconds are told as a span. */
function listed(steps: readonly string[]): string {
  return steps.join(', ').replace(/late_1(?:, late_\d+)*, (late_\d+)/, 'late_1 … $1')
}

async function setLimits(sandbox: SandboxAnswers, merchantId: string, { on }: Question): Promise<Reply> {
  if (typeof on !== 'boolean') return no('bad_switch', 'Limits are switched on or off.')
  const refusal = await sandbox.setLimits(merchantId, on)
  return refusal === null ? yes({ merchantId, on }) : no('not_switched', refusal)
}

async function moveClock(sandbox: SandboxAnswers, { offsetMs }: Question): Promise<Reply> {
  if (offsetMs === undefined) return yes({ offsetMs: sandbox.offsetMs() })
  const refusal = await sandbox.moveClock(typeof offsetMs === 'number' ? offsetMs : -1)
  return refusal === null ? yes({ offsetMs: sandbox.offsetMs() }) : no('not_moved', refusal)
}

async function restore(sandbox: SandboxAnswers, merchantId: string): Promise<Reply> {
  await sandbox.restore(merchantId)
  await sandbox.moveClock(0)
  return yes({ merchantId, offsetMs: sandbox.offsetMs() })
}

async function tellInbox(sandbox: SandboxAnswers, { count }: Question): Promise<Reply> {
  const wanted = typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= INBOX_MAX ? count : INBOX_MAX
  return yes({ inbox: await sandbox.inbox(wanted) })
}

const INBOX_MAX = 100
