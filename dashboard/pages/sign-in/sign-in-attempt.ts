import type { ProofChallenge, ProofOfWork } from '@tessera/contract/proof-of-work'
import type { Params, Result } from '@tessera/contract/operations'

/** What is going on while a sign-in takes longer than usual; null: nothing that has to be said. */
export type SignInStage = { readonly kind: 'solving'; readonly share: number } | { readonly kind: 'waiting' } | null

export type SignInReply = Result<'dashboard.session.signIn'>

export interface SignInSteps {
  readonly call: (params: Params<'dashboard.session.signIn'>) => Promise<SignInReply>
  readonly solve: (challenge: ProofChallenge, onProgress: (share: number) => void) => Promise<ProofOfWork>
  /** How long to wait before the next call, where the service was too busy for this one; null for any other error. */
  readonly retryAfterMs: (err: unknown) => number | null
  readonly sleep: (ms: number) => Promise<void>
  readonly onStage: (stage: SignInStage) => void
}

/**
 * Signs in: solves the proofs of work that the service asks for while many sign in, and comes back while it has no room. Returns the first other
 * reply. Throws what `call` throws.
 */
export async function attemptSignIn(credentials: Params<'dashboard.session.signIn'>, steps: SignInSteps): Promise<SignInReply> {
  const { call, solve, retryAfterMs, sleep, onStage } = steps
  let proof: ProofOfWork | null = null
  for (let turn = 1; ; turn++) {
    try {
      const result = await call(proof === null ? credentials : { ...credentials, proof })
      proof = null
      if (result.needs !== 'proof') return result
      if (result.proof === undefined || turn >= maxTurns) throw new Error('no proof was accepted')
      onStage({ kind: 'solving', share: 0 })
      proof = await solve(result.proof, (share) => onStage({ kind: 'solving', share }))
      onStage({ kind: 'waiting' })
    } catch (err) {
      const waitMs = retryAfterMs(err)
      if (waitMs === null || turn >= maxTurns) throw err
      proof = null
      onStage({ kind: 'waiting' })
      await sleep(waitMs)
    }
  }
}

/** Each takes some seconds. */
const maxTurns = 20
