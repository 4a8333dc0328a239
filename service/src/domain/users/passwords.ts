import { randomSecret } from '@tessera/vault/random'
import { timingSafeEqual } from 'node:crypto'

import type { QueuePlace, SignInQueue } from './sign-in-queue.ts'
import type { SlowHash } from './slow-hash.ts'

/** Slow hashes for passwords chosen by users. They run one at a time, in the order of the queue. */
export interface DashboardPasswords {
  /** Returns the verifier of a new password. Throws `overloaded`. */
  hash(password: string, place: QueuePlace): Promise<string>
  /**
   * A null verifier does the same work and never matches. `begin` is called when its turn has come: with false the password is not evaluated. Throws
   * `overloaded`.
   */
  isRight(password: string, verifier: string | null, place: QueuePlace, begin?: () => Promise<boolean>): Promise<boolean | 'notEvaluated'>
}

/** scrypt with r 8 and p 1, as OWASP recommends. */
export function makeDashboardPasswords({ cost, queue, derive }: PasswordHashDependencies): DashboardPasswords {
  const dummy = { cost, salt: Buffer.from(randomSecret(16)) }
  const deriveKey = (password: string, of: Pick<Verifier, 'cost' | 'salt'>): Promise<Buffer> =>
    derive({ password: password.normalize('NFKC'), salt: of.salt, cost: of.cost, length: hashBytes })
  return Object.freeze<DashboardPasswords>({
    async hash(password, place) {
      const salt = Buffer.from(randomSecret(16))
      return writeVerifier({ cost, salt, hash: await queue.run(place, () => deriveKey(password, { cost, salt })) })
    },
    async isRight(password, verifier, place, begin) {
      const stored = verifier === null ? null : readVerifier(verifier)
      const given = await queue.run(place, async () => {
        if (begin !== undefined && !(await begin())) return null
        return deriveKey(password, stored ?? dummy)
      })
      return given === null ? 'notEvaluated' : timingSafeEqual(given, stored?.hash ?? noHash) && stored !== null
    },
  })
}

export interface PasswordHashDependencies {
  /** Base-2 logarithm of scrypt's N. */
  readonly cost: number
  readonly queue: SignInQueue
  /** Tests count its calls. */
  readonly derive: SlowHash
}

interface Verifier {
  /** Base-2 logarithm of N. */
  readonly cost: number
  readonly salt: Buffer
  readonly hash: Buffer
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

const hashBytes = 32
/** No password hashes to 32 zeros. */
const noHash = Buffer.alloc(hashBytes)
