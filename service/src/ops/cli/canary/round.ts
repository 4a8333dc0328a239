import { setTimeout as pause } from 'node:timers/promises'

/** What one round needs. */
export interface CanaryTarget {
  /** The address that merchants use: `https://pay.example.uz`. */
  readonly url: URL
  readonly merchantId: string
  readonly password: string
  readonly card: { readonly number: string; readonly expire: string }
  /** The code of the test environment; null where none is known, and the card is not verified. */
  readonly code: string | null
  readonly timeoutMs: number
}

export type CanaryStep = 'create' | 'get_verify_code' | 'verify' | 'check' | 'remove'

export interface CanaryRound {
  readonly ok: boolean
  /** Milliseconds of each step that was made, in its order. */
  readonly steps: readonly { readonly step: CanaryStep; readonly ms: number }[]
  /** The step that failed and why; null when none did. */
  readonly failure: { readonly step: CanaryStep; readonly reason: string } | null
}

/**
 * Stores a card, looks at it and removes it, as a merchant's page and server do, from outside of the service: names, certificates, proxies and the store have to
 * work for it. A card that was created is removed, also when a step between has failed.
 */
export async function runRound(target: CanaryTarget): Promise<CanaryRound> {
  const steps: { step: CanaryStep; ms: number }[] = []
  const failures: NonNullable<CanaryRound['failure']>[] = []
  const attempt = async <T>(step: CanaryStep, params: object, read: (result: CallResult) => T | null): Promise<T | null> => {
    const startedAt = performance.now()
    const reply = await call(target, step, params)
    steps.push({ step, ms: performance.now() - startedAt })
    const value = 'result' in reply ? read(reply.result) : null
    if (value === null) failures.push({ step, reason: 'result' in reply ? 'reply_unexpected' : reply.reason })
    return value
  }
  const token = await attempt('create', { card: target.card, save: true }, ({ card }) => card?.token ?? null)
  if (token === null) return { ok: false, steps, failure: failures[0] ?? null }
  if (target.code !== null && (await attempt('get_verify_code', { token }, ({ sent }) => (sent === true ? sent : null))) !== null)
    await attempt('verify', { token, code: target.code }, ({ card }) => (card?.verify === true ? true : null))
  const isVerified = target.code !== null
  if (failures.length === 0) await attempt('check', { token }, ({ card }) => (card?.verify === isVerified ? true : null))
  await attempt('remove', { token }, ({ success }) => (success === true ? success : null))
  return { ok: failures.length === 0, steps, failure: failures[0] ?? null }
}

interface CallResult {
  readonly card?: { readonly token?: string; readonly verify?: boolean }
  readonly sent?: boolean
  readonly success?: boolean
}

/** Rounds, one every `everyMs` from the beginning of the one before, until the signal. */
export async function runRounds(
  target: CanaryTarget,
  { everyMs, signal, onRound }: { readonly everyMs: number; readonly signal: AbortSignal; readonly onRound: (round: CanaryRound) => void },
): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now()
    onRound(await runRound(target))
    await pause(Math.max(0, everyMs - (performance.now() - startedAt)), undefined, { signal }).catch(() => undefined)
  }
}

async function call(
  { url, merchantId, password, timeoutMs }: CanaryTarget,
  step: CanaryStep,
  params: object,
): Promise<{ readonly result: CallResult } | { readonly reason: string }> {
  // The steps of a page know the merchant only, those of a server its password.
  const auth = step === 'check' || step === 'remove' ? `${merchantId}:${password}` : merchantId
  try {
    const response = await fetch(new URL('/api', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth': auth },
      body: JSON.stringify({ id: 1, method: `cards.${step}`, params }),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    })
    const reply = (await response.json()) as { result?: CallResult; error?: { data?: unknown; reason?: unknown } }
    if (reply.result !== undefined) return { result: reply.result }
    return { reason: reasonOf(reply.error?.reason) ?? `http_${String(response.status)}` }
  } catch (err) {
    return { reason: describeFailure(err) }
  }
}

/** Words of the service only: a proxy may say anything. */
function reasonOf(reason: unknown): string | null {
  return typeof reason === 'string' && /^[a-z_]{1,40}$/.test(reason) ? reason : null
}

function describeFailure(err: unknown): string {
  if (!(err instanceof Error)) return 'no_reply'
  if (err.name === 'TimeoutError') return 'timeout'
  if (err.name === 'SyntaxError') return 'no_json'
  const code = (err.cause as NodeJS.ErrnoException | undefined)?.code
  return typeof code === 'string' ? code.toLowerCase() : 'no_reply'
}
