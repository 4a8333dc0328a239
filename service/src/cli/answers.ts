import type { Consents } from '../consents/consents.ts'
import type { MerchantDeeds } from '../merchants/deeds.ts'
import type { Users } from '../dashboard/users.ts'
import type { EndpointDeeds } from '../merchants/endpoint.ts'

import type { AuditReport } from '../audit/check.ts'
import type { AnswerQuestion } from './control-server.ts'
import type { Question, Reply } from './control-wire.ts'
import type { ToldKey } from './keys.ts'
import { answerConsents } from './consent-answers.ts'
import { answerEndpoints } from './endpoint-answers.ts'
import { answerMerchants } from './merchant-answers.ts'
import { isId, no, yes } from './replies.ts'
import { answerSandbox, type SandboxAnswers } from './sandbox-answers.ts'
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
    ...answerSandbox(answers.sandbox, answers.merchants),
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

/** Row MAC keys are kept: a new one would leave old rows without a MAC that can be checked against the active key. */
const PURPOSES = ['card', 'otp', 'limits', 'pepper', 'idempotency', 'webhook', 'dashboard']
