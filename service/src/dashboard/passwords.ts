import { RpcError } from '@tessera/contract/errors'
import { drawSecret } from '@tessera/vault/random'
import { scrypt, timingSafeEqual } from 'node:crypto'

/** Passwords that people choose: slow hashes, a few at a time, so that nobody takes the threads of the API by signing in. */
export interface Passwords {
  /** The verifier of a new password. Throws `overloaded` when too many wait. */
  hash(password: string): Promise<string>
  /** With null as much work is done, and nothing fits. Throws `overloaded`. */
  isRight(password: string, verifier: string | null): Promise<boolean>
}

/** scrypt at OWASP's figures (N 2^17, r 8, p 1: 128 MiB, 0.4 s), in the thread pool of Node; cheaper ones are for tests. */
export function makePasswords({ cost = 17, waitingMax = 8, derive = deriveByScrypt }: PasswordFigures = {}): Passwords {
  const line = makeLine(waitingMax)
  const ours = { cost, salt: Buffer.from(drawSecret(16)) }
  return Object.freeze({
    async hash(password: string) {
      const salt = Buffer.from(drawSecret(16))
      return writeVerifier({ cost, salt, hash: await line(() => derive(password, { cost, salt })) })
    },
    async isRight(password: string, verifier: string | null) {
      const kept = verifier === null ? null : readVerifier(verifier)
      const given = await line(() => derive(password, kept ?? ours))
      return timingSafeEqual(given, kept?.hash ?? noHash) && kept !== null
    },
  })
}

export interface PasswordFigures {
  readonly cost?: number
  /** How many may wait behind the one whose turn it is. */
  readonly waitingMax?: number
  /** The slow part; tests count it. */
  readonly derive?: typeof deriveByScrypt
}

interface Verifier {
  /** Logarithm of N. */
  readonly cost: number
  readonly salt: Buffer
  readonly hash: Buffer
}

function deriveByScrypt(password: string, { cost, salt }: Pick<Verifier, 'cost' | 'salt'>): Promise<Buffer> {
  const figures = { N: 2 ** cost, r: 8, p: 1, maxmem: 2 ** (cost + 11) }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hashBytes, figures, (err, key) => (err === null ? resolve(key) : reject(err)))
  })
}

function writeVerifier({ cost, salt, hash }: Verifier): string {
  return `scrypt$${cost}$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

/** Null for anything that `writeVerifier` did not write. */
function readVerifier(text: string): Verifier | null {
  const [kind, cost = '', salt = '', hash = ''] = text.split('$')
  const read = { cost: Number(cost), salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') }
  return kind === 'scrypt' && read.cost >= 1 && read.cost <= 20 && read.hash.length === hashBytes ? read : null
}

/** One after the other; whoever would wait behind too many is told to come again. */
function makeLine(waitingMax: number): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async (work) => {
    if (waiting > waitingMax) throw new RpcError('overloaded', { retryAfterMs: 2000 })
    waiting++
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    try {
      return await mine
    } finally {
      waiting--
    }
  }
}

const hashBytes = 32
/** No password hashes to 32 zeros. */
const noHash = Buffer.alloc(hashBytes)
