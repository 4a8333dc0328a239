import { compareReply } from './compare.ts'
import { exchangeRaw } from './exchange.ts'
import { maskOutput } from './mask.ts'
import { requestBytes } from './request-bytes.ts'
import type { TemplateValues } from './template.ts'
import type { Vector, VectorFile } from './vector.ts'

/** The service under test, and the credentials for it. */
export interface ConformanceTarget {
  readonly url: URL
  readonly merchant: string
  readonly password: string
  /** A second merchant: neither merchant may use the tokens of the other. */
  readonly other: { readonly merchant: string; readonly password: string } | null
  /** A merchant whose endpoint is simulated by the runner and refuses every payment. */
  readonly refusing: { readonly merchant: string; readonly password: string } | null
  /** False in production: no request is sent that creates a card, sends an SMS or counts in a limit. */
  readonly isTest: boolean
  /** Whether to run the vectors that wait on purpose. */
  readonly slow: boolean
  /** How many times longer than its vector says a response may take. */
  readonly slowness: number
}

export interface VectorResult {
  readonly group: string
  readonly vector: Vector
  readonly state: 'passed' | 'failed' | 'skipped'
  /** The differences, masked for printing; of a skipped vector, the reason. */
  readonly messages: readonly string[]
}

/** Sends the cases of a file one after another, because later ones use values from earlier responses. */
export async function* runVectorFile(file: VectorFile, target: ConformanceTarget): AsyncGenerator<VectorResult> {
  const values: TemplateValues = { given: credentialsOf(target), tokens: new Map() }
  for (const vector of file.cases) {
    const reason = skipReason(vector, target)
    if (reason !== null) {
      yield { group: file.group, vector, state: 'skipped', messages: [reason] }
      continue
    }
    const messages = (await differences(vector, target, values)).map(maskOutput)
    yield { group: file.group, vector, state: messages.length === 0 ? 'passed' : 'failed', messages }
  }
}

function credentialsOf({ url, merchant, password, other, refusing }: ConformanceTarget): Record<string, string> {
  return {
    merchant,
    password,
    host: url.host,
    ...(other === null ? {} : { otherMerchant: other.merchant, otherPassword: other.password }),
    ...(refusing === null ? {} : { refusingMerchant: refusing.merchant, refusingPassword: refusing.password }),
  }
}

function skipReason({ needs, slow }: Vector, target: ConformanceTarget): string | null {
  if (needs.includes('test') && !target.isTest) return 'needs the test environment'
  if (needs.includes('other merchant') && target.other === null) return 'needs a second merchant (--other-merchant, --other-password)'
  if (needs.includes('refusing endpoint') && target.refusing === null)
    return 'needs a merchant whose endpoint is simulated here (--refusing-merchant, --refusing-password, --endpoint-port)'
  return slow && !target.slow ? 'waits on purpose (--slow)' : null
}

async function differences(vector: Vector, target: ConformanceTarget, values: TemplateValues): Promise<string[]> {
  try {
    const bytes = requestBytes(vector.request, target.url.pathname.replace(/\/$/, ''), values)
    const reply = await exchangeRaw(bytes, {
      url: target.url,
      msMax: vector.limits.msMax * target.slowness + graceMs,
      isHead: vector.request.kind === 'call' && vector.request.line.startsWith('HEAD '),
      awaitClose: vector.reply.closes,
    })
    return compareReply(vector, reply, values, target.slowness)
  } catch (err) {
    return [err instanceof Error ? err.message : String(err)]
  }
}

/** A response that is a little too late is reported as late, not as missing. */
const graceMs = 3000
