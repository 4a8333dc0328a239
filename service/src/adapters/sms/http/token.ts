import type { Clock } from '../../../clock.ts'
import type { HttpClient } from '../../http/http-post.ts'
import type { SmsTemplateValues } from './placeholders.ts'
import { readTemplateReply, textAt } from './reply.ts'
import { buildTemplateRequest } from './request.ts'
import type { RequestTemplate, SignInTemplate } from './template.ts'

/** The token of a gateway: obtained when it is first needed, renewed before it expires, and replaced when the gateway refuses it. */
export interface GatewayToken {
  /** Null when none could be obtained. Calls at the same time cause one request. */
  get(signal: AbortSignal): Promise<string | null>
  /** Forgets a token that the gateway refused, unless it was replaced meanwhile. */
  discard(refused: string): void
}

export interface GatewayTokenOptions {
  readonly template: SignInTemplate
  readonly baseUrl: string
  /** User name and password. */
  readonly values: SmsTemplateValues
  readonly request: HttpClient
  readonly clock: Pick<Clock, 'moment'>
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void
}

export function makeGatewayToken({ template, baseUrl, values, request, clock, log }: GatewayTokenOptions): GatewayToken {
  let current: { readonly token: string; readonly obtainedAt: number } | null = null
  let pending: Promise<string | null> | null = null

  return Object.freeze({
    async get(signal: AbortSignal) {
      const ageMs = current === null ? 0 : clock.moment().monotonicMs - current.obtainedAt
      if (current !== null && ageMs < template.lifetimeMinutes * 60_000) return current.token
      pending ??= renew(signal).finally(() => (pending = null))
      return Promise.race([pending, untilAborted(signal)])
    },
    discard(refused: string) {
      if (current?.token === refused) current = null
    },
  })

  async function renew(signal: AbortSignal): Promise<string | null> {
    const old = current?.token ?? null
    const refreshed = old === null || template.refresh === null ? null : await obtain(template.refresh, { token: old }, signal)
    const token = refreshed ?? (await obtain(template.request, values, signal))
    current = token === null ? null : { token, obtainedAt: clock.moment().monotonicMs }
    return token
  }

  async function obtain(from: RequestTemplate, given: SmsTemplateValues, signal: AbortSignal): Promise<string | null> {
    const result = await request(buildTemplateRequest(from, baseUrl, given), signal)
    if (result.outcome !== 'responded') return null
    const token = result.status < 300 ? textAt(readTemplateReply(result), template.token) : null
    if (token === null) log('sms_sign_in_refused', { code: result.status })
    return token
  }
}

/** A message that waits for the token of another one must not wait longer than its own time. */
function untilAborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null)
    else signal.addEventListener('abort', () => resolve(null), { once: true })
  })
}
