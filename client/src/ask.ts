import type { LibraryProblem } from './problem.ts'
import { readReply, type Answer } from './reply.ts'

/** One call as it goes out; the same bytes for every try of it. */
export interface Asked {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The `id` of the request, which its reply repeats. */
  readonly id: string
  readonly timeoutMs: number
  readonly signal: AbortSignal | null
  readonly fetch: typeof fetch
}

/** Asks once. Never throws: whatever happens is an answer. */
export async function askOnce(asked: Asked): Promise<Answer> {
  if (isCancelled(asked)) return cancelled
  const ending = new AbortController()
  const end = (): void => ending.abort()
  const timer = setTimeout(end, asked.timeoutMs)
  asked.signal?.addEventListener('abort', end, { once: true })
  try {
    const { url, headers, body } = asked
    // Not followed: X-Auth goes to the address that was configured and to no other.
    const reply = await asked.fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: ending.signal })
    const [retryAfter, requestId] = [reply.headers.get('retry-after'), reply.headers.get('x-request-id')]
    return readReply({ id: asked.id, status: reply.status, retryAfter, requestId, text: await readText(reply) })
  } catch (err) {
    return isCancelled(asked) ? cancelled : noAnswer(asked, ending.signal.aborted ? null : err)
  } finally {
    clearTimeout(timer)
    asked.signal?.removeEventListener('abort', end)
  }
}

function isCancelled({ signal }: Asked): boolean {
  return signal?.aborted === true
}

/** The body as text; null when it is longer than any reply of the service. */
async function readText(reply: Response): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of (reply.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > REPLY_BYTES_MAX) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const cancelled: Answer = {
  ok: false,
  requestId: null,
  problem: { reason: 'cancelled', code: 0, message: 'The call was cancelled by your signal.', isRetryable: false },
}

/** `err` null: the time was up. */
function noAnswer({ url, timeoutMs }: Asked, err: unknown): Answer {
  const why = err === null ? `within ${timeoutMs} ms` : codeOf(err)
  const problem: LibraryProblem = {
    reason: 'no_answer',
    code: 0,
    message: `No answer from ${new URL(url).origin}: ${why}.`,
    isRetryable: true,
  }
  return { ok: false, problem, requestId: null }
}

/** The word of the system (`ECONNREFUSED`), which fetch keeps one level down; no message of others is repeated. */
function codeOf(err: unknown): string {
  const cause = err instanceof Error ? (err.cause ?? err) : null
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : null
  return typeof code === 'string' ? code : 'the connection failed'
}

/** Fifty receipts whose `detail` fills a request each come to about three million bytes. */
const REPLY_BYTES_MAX = 8 * 1024 * 1024
