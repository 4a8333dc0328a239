import { compareReply } from './compare.ts'
import { exchange } from './exchange.ts'
import { maskSecrets } from './mask.ts'
import { requestBytes } from './request-bytes.ts'
import type { Known } from './template.ts'
import type { Vector, VectorFile } from './vector.ts'

/** A service to be tried, and as whom. */
export interface Target {
  readonly url: URL
  readonly merchant: string
  readonly password: string
  /** A second merchant: its tokens and ours must be strangers. */
  readonly other: { readonly merchant: string; readonly password: string } | null
  /** A merchant whose own endpoint is the one that the runner plays, and refuses every payment. */
  readonly refusing: { readonly merchant: string; readonly password: string } | null
  /** False in production: nothing is sent that makes a card, has an SMS sent or counts in a limit. */
  readonly isTest: boolean
  /** Whether the vectors that wait on purpose are run. */
  readonly slow: boolean
  /** How many times longer than its vector says an answer may take. */
  readonly slowness: number
}

export interface Outcome {
  readonly group: string
  readonly vector: Vector
  readonly state: 'passed' | 'failed' | 'skipped'
  /** What differs, masked for printing; or, skipped, why. */
  readonly told: readonly string[]
}

/** Sends the cases of a file one after another, since later ones use what earlier ones were given. */
export async function* runFile(file: VectorFile, target: Target): AsyncGenerator<Outcome> {
  const known: Known = { given: givenBy(target), tokens: new Map() }
  for (const vector of file.cases) {
    const why = skipReason(vector, target)
    if (why !== null) {
      yield { group: file.group, vector, state: 'skipped', told: [why] }
      continue
    }
    const told = (await differences(vector, target, known)).map(maskSecrets)
    yield { group: file.group, vector, state: told.length === 0 ? 'passed' : 'failed', told }
  }
}

function givenBy({ url, merchant, password, other, refusing }: Target): Record<string, string> {
  return {
    ...{ merchant, password, host: url.host },
    ...(other === null ? {} : { otherMerchant: other.merchant, otherPassword: other.password }),
    ...(refusing === null ? {} : { refusingMerchant: refusing.merchant, refusingPassword: refusing.password }),
  }
}

function skipReason({ needs, slow }: Vector, target: Target): string | null {
  if (needs.includes('test') && !target.isTest) return 'needs the test environment'
  if (needs.includes('other merchant') && target.other === null) return 'needs a second merchant (--other-merchant, --other-password)'
  if (needs.includes('refusing endpoint') && target.refusing === null)
    return 'needs a merchant whose endpoint is played here (--refusing-merchant, --refusing-password, --endpoint-port)'
  return slow && !target.slow ? 'waits on purpose (--slow)' : null
}

async function differences(vector: Vector, target: Target, known: Known): Promise<string[]> {
  try {
    const bytes = requestBytes(vector.request, target.url.pathname.replace(/\/$/, ''), known)
    const reply = await exchange(bytes, {
      url: target.url,
      msMax: vector.limits.msMax * target.slowness + graceMs,
      isHead: vector.request.kind === 'call' && vector.request.line.startsWith('HEAD '),
      awaitClose: vector.reply.closes,
    })
    return compareReply(vector, reply, known, target.slowness)
  } catch (err) {
    return [err instanceof Error ? err.message : String(err)]
  }
}

/** An answer a little too late is told as late, not as none. */
const graceMs = 3000
