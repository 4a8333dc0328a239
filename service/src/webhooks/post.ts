import { makeSend, type Letter, type Sent, type SendParts } from '../outbound/send.ts'

/** What became of one attempt, in a word. Only `delivered` is delivered; an endpoint that redirects has refused. */
export interface Posted {
  readonly outcome: 'delivered' | 'refused' | 'late' | 'unreachable' | 'forbidden_address' | 'stopped'
  /** HTTP status; 0 without one. */
  readonly status: number
}

export type PostParts = Omit<SendParts, 'replyBytesMax'>

export type Post = (letter: Letter, signal: AbortSignal) => Promise<Posted>

/** Posts an event to where the guard lets it go; of the reply only the status counts. Never throws. */
export function makePost(parts: PostParts): Post {
  const send = makeSend({ ...parts, replyBytesMax })
  return async (letter, signal) => asPosted(await send(letter, signal))
}

function asPosted(sent: Sent): Posted {
  if (sent.outcome !== 'answered') return { outcome: sent.outcome, status: 0 }
  const { status } = sent
  return { outcome: status >= 200 && status <= 299 ? 'delivered' : 'refused', status }
}

const replyBytesMax = 4096
