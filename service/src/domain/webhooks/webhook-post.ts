import { makeHttpPost, type HttpPostRequest, type HttpPostResult, type HttpPostOptions } from '../../adapters/http/http-post.ts'

import { toReplyExcerpt, type ReplyExcerpt } from './reply-excerpt.ts'

/** The outcome of one POST. Only a 2xx status is `delivered`; a redirect is `refused`. */
export interface WebhookPostResult {
  readonly outcome: 'delivered' | 'refused' | 'late' | 'unreachable' | 'forbidden_address' | 'stopped'
  /** HTTP status; 0 without one. */
  readonly status: number
  /** What is stored of the reply; absent without one, and for a private address. */
  readonly reply?: ReplyExcerpt
}

export type WebhookPostDependencies = Omit<HttpPostOptions, 'replyBytesMax'>

export type WebhookPost = (request: HttpPostRequest, signal: AbortSignal) => Promise<WebhookPostResult>

/** Posts an event to an address that the guard allows. Only the status of the reply decides anything. Never throws. */
export function makeWebhookPost(deps: WebhookPostDependencies): WebhookPost {
  const send = makeHttpPost({ ...deps, replyBytesMax })
  return async (request, signal) => toPostResult(await send(request, signal))
}

function toPostResult(sent: HttpPostResult): WebhookPostResult {
  if (sent.outcome !== 'responded') return { outcome: sent.outcome, status: 0 }
  const { status } = sent
  const outcome = status >= 200 && status <= 299 ? 'delivered' : 'refused'
  return sent.isPublic ? { outcome, status, reply: toReplyExcerpt(sent) } : { outcome, status }
}

const replyBytesMax = 4096
