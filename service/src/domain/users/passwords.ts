import { RpcError } from '@tessera/contract/errors'
import { randomSecret } from '@tessera/vault/random'
import { scrypt, timingSafeEqual } from 'node:crypto'

/** Slow hashes for passwords chosen by users. They run one at a time, so that sign-ins cannot occupy the API's thread pool. */
export interface DashboardPasswords {
  /** Returns the verifier of a new password. Throws `overloaded` when the queue is full. */
  hash(password: string): Promise<string>
  /** Null does the same work and never matches. Throws `overloaded`. */
  isRight(password: string, verifier: string | null): Promise<boolean>
}

/** scrypt with r 8 and p 1, as OWASP recommends, in Node's thread pool. */
export function makeDashboardPasswords({ cost, waitingMax = 8, derive = deriveByScrypt }: PasswordHashSettings): DashboardPasswords {
  const enqueue = makeQueue(waitingMax)
  const dummy = { cost, salt: Buffer.from(randomSecret(16)) }
  return Object.freeze({
    async hash(password: string) {
      const salt = Buffer.from(randomSecret(16))
      return writeVerifier({ cost, salt, hash: await enqueue(() => derive(password, { cost, salt })) })
    },
    async isRight(password: string, verifier: string | null) {
      const stored = verifier === null ? null : readVerifier(verifier)
      const given = await enqueue(() => derive(password, stored ?? dummy))
      return timingSafeEqual(given, stored?.hash ?? noHash) && stored !== null
    },
  })
}

export interface PasswordHashSettings {
  /** Base-2 logarithm of scrypt's N. */
  readonly cost: number
  /** How many hashes may wait behind the running one. */
  readonly waitingMax?: number
  /** The key derivation; tests count its calls. */
  readonly derive?: typeof deriveByScrypt
}

interface Verifier {
  /** Base-2 logarithm of N. */
  readonly cost: number
  readonly salt: Buffer
  readonly hash: Buffer
}

function deriveByScrypt(password: string, { cost, salt }: Pick<Verifier, 'cost' | 'salt'>): Promise<Buffer> {
  const options = { N: 2 ** cost, r: 8, p: 1, maxmem: 2 ** (cost + 11) }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hashBytes, options, (err, key) => (err === null ? resolve(key) : reject(err)))
  })
}

function writeVerifier({ cost, salt, hash }: Verifier): string {
  return `scrypt$${cost}$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

/** Null for anything `writeVerifier` would not write. */
function readVerifier(text: string): Verifier | null {
  const [kind, cost = '', salt = '', hash = ''] = text.split('$')
  const read = { cost: Number(cost), salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') }
  return kind === 'scrypt' && read.cost >= 1 && read.cost <= 20 && read.hash.length === hashBytes ? read : null
}

/** A queue that runs one task at a time. Throws `overloaded` when too many are waiting. */
function makeQueue(waitingMax: number): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async (work) => {
    if (waiting > waitingMax) throw new RpcError('overloaded', { retryAfterMs: 2000 })
    waiting++
    const result = last.then(work)
    last = result.catch(() => undefined)
    try {
      return await result
    } finally {
      waiting--
    }
  }
}

const hashBytes = 32
/** No password hashes to 32 zeros. */
const noHash = Buffer.alloc(hashBytes)
