import type { Consents } from '../consents/consents.ts'
import type { MerchantDeeds } from '../merchants/deeds.ts'
import type { Dropped } from '../dashboard/reset.ts'
import type { Users } from '../dashboard/users.ts'
import type { EndpointDeeds } from '../merchants/endpoint.ts'

import type { AuditReport } from '../audit/check.ts'
import type { AnswerQuestion } from './control-server.ts'
import type { Question, Reply } from './control-wire.ts'
import type { ToldKey } from './keys.ts'
import { answerConsents } from './consent-answers.ts'
import { answerEndpoints } from './endpoint-answers.ts'
import { answerMerchants } from './merchant-answers.ts'
import { badMerchant, isId, no, yes } from './replies.ts'
import { answerUsers } from './user-answers.ts'
import { answerWebhooks, type WebhookAnswers } from './webhook-answers.ts'

/** What a running service can be asked over its control socket. */
export interface Answers {
  readonly status: () => Promise<Record<string, unknown>>
  readonly keys: KeyAnswers
  readonly verifyAudit: () => Promise<AuditReport>
  readonly consents: Consents
  readonly webhooks: WebhookAnswers
  readonly merchants: MerchantDeeds
  readonly users: Users
  readonly merchantEndpoints: EndpointDeeds
  /** Null outside the test environment. */
  readonly sandbox: SandboxAnswers | null
}

export interface KeyAnswers {
  readonly kek: string
  list(): Promise<ToldKey[]>
  /** A sentence when it cannot be done. */
  rotate(purpose: string, owner: string): Promise<{ keyId: string; epoch: number } | string>
  destroy(keyId: string): Promise<string | null>
}

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

/** Answers the questions of the command line. */
export function makeAnswerQuestion(answers: Answers): AnswerQuestion {
  const table: Readonly<Record<string, (question: Question) => Promise<Reply>>> = {
    status: async () => yes(await answers.status()),
    'keys.status': async () => yes(await tellKeys(answers.keys)),
    'keys.rotate': (question) => rotate(answers.keys, question),
    'keys.destroy': (question) => destroy(answers.keys, question),
    ...answerConsents(answers.consents, answers.merchants),
    ...answerMerchants(answers.merchants),
    ...answerUsers(answers.users, answers.merchants),
    ...answerEndpoints(answers.merchantEndpoints),
    ...answerWebhooks(answers.webhooks, answers.sandbox?.merchantId ?? null, answers.merchants),
    'audit.verify': async () => yes(await answers.verifyAudit()),
    'sandbox.steps': (question) => inSandbox(answers, async (sandbox) => tellSteps(sandbox, question)),
    'sandbox.step': (question) => inSandbox(answers, async (sandbox) => setStep(sandbox, question)),
    'sandbox.inbox': (question) => inSandbox(answers, async (sandbox) => tellInbox(sandbox, question)),
    'sandbox.limits': (question) => inSandbox(answers, async (sandbox) => setLimits(sandbox, question)),
    'sandbox.clock': (question) => inSandbox(answers, async (sandbox) => moveClock(sandbox, question)),
    'sandbox.restore': (question) => inSandbox(answers, async (sandbox) => restore(sandbox, question)),
    'sandbox.reset': (question) => inSandbox(answers, async (sandbox) => resetOne(sandbox, question)),
  }
  return (question) => {
    const answer = Object.hasOwn(table, question.ask) ? table[question.ask] : undefined
    return answer === undefined
      ? Promise.resolve(no('unknown_question', 'This service does not know that question: it may be of another version.'))
      : answer(question)
  }
}

async function tellKeys(keys: KeyAnswers): Promise<{ kek: string; oldestInUse: ToldKey | null; keys: ToldKey[] }> {
  const list = await keys.list()
  const inUse = list.filter(({ cards }) => (cards ?? 0) > 0)
  const oldest = inUse.reduce<ToldKey | null>((a, b) => (a === null || b.createdAt < a.createdAt ? b : a), null)
  return { kek: keys.kek, oldestInUse: oldest, keys: list }
}

async function rotate(keys: KeyAnswers, { purpose, owner }: Question): Promise<Reply> {
  if (typeof purpose !== 'string' || !PURPOSES.includes(purpose)) return no('bad_purpose', `A purpose is one of: ${PURPOSES.join(', ')}.`)
  if (typeof owner !== 'string' || (purpose === 'card') !== isId(owner)) {
    return no(
      'bad_owner',
      purpose === 'card' ? 'A card key is of a merchant: tessera keys rotate card <merchant id>' : 'Only a card key has a merchant.',
    )
  }
  const rotated = await keys.rotate(purpose, owner)
  return typeof rotated === 'string' ? no('not_rotated', rotated) : yes(rotated)
}

async function destroy(keys: KeyAnswers, { keyId }: Question): Promise<Reply> {
  if (typeof keyId !== 'string' || !/^[0-9a-f]{32}$/.test(keyId))
    return no('bad_key', 'A key is 32 hex digits, as tessera keys status lists them.')
  const refusal = await keys.destroy(keyId)
  return refusal === null ? yes({ keyId, state: 'destroyed' }) : no('not_destroyed', refusal)
}

function inSandbox({ sandbox }: Answers, then: (sandbox: SandboxAnswers) => Promise<Reply>): Promise<Reply> {
  return sandbox === null ? Promise.resolve(no('no_sandbox', 'There is a sandbox in the test environment only.')) : then(sandbox)
}

async function tellSteps(sandbox: SandboxAnswers, { merchantId = sandbox.merchantId }: Question): Promise<Reply> {
  return isId(merchantId) ? yes({ merchantId, steps: await sandbox.stepsOf(merchantId) }) : badMerchant()
}

async function setStep(sandbox: SandboxAnswers, { merchantId = sandbox.merchantId, scenario, step }: Question): Promise<Reply> {
  const scenarios = sandbox.scenarios.map((row) => row.scenario)
  if (!isId(merchantId)) return badMerchant()
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

async function setLimits(sandbox: SandboxAnswers, { merchantId = sandbox.merchantId, on }: Question): Promise<Reply> {
  if (!isId(merchantId)) return badMerchant()
  if (typeof on !== 'boolean') return no('bad_switch', 'Limits are switched on or off.')
  const refusal = await sandbox.setLimits(merchantId, on)
  return refusal === null ? yes({ merchantId, on }) : no('not_switched', refusal)
}

async function moveClock(sandbox: SandboxAnswers, { offsetMs }: Question): Promise<Reply> {
  if (offsetMs === undefined) return yes({ offsetMs: sandbox.offsetMs() })
  const refusal = await sandbox.moveClock(typeof offsetMs === 'number' ? offsetMs : -1)
  return refusal === null ? yes({ offsetMs: sandbox.offsetMs() }) : no('not_moved', refusal)
}

async function restore(sandbox: SandboxAnswers, { merchantId = sandbox.merchantId }: Question): Promise<Reply> {
  if (!isId(merchantId)) return badMerchant()
  await sandbox.restore(merchantId)
  await sandbox.moveClock(0)
  return yes({ merchantId, offsetMs: sandbox.offsetMs() })
}

async function resetOne(sandbox: SandboxAnswers, { merchantId }: Question): Promise<Reply> {
  return isId(merchantId) ? yes({ merchantId, ...(await sandbox.reset(merchantId)) }) : badMerchant()
}

async function tellInbox(sandbox: SandboxAnswers, { count }: Question): Promise<Reply> {
  const wanted = typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= INBOX_MAX ? count : INBOX_MAX
  return yes({ inbox: await sandbox.inbox(wanted) })
}

/** Row MAC keys are kept: a new one would leave old rows without a MAC that can be checked against the active key. */
const PURPOSES = ['card', 'otp', 'limits', 'pepper', 'idempotency', 'webhook', 'dashboard']
const INBOX_MAX = 100
