import { letterAlphabet } from '@tessera/contract/verification-code'

import { makeSeeded } from '../../testing/seeded.fixture.ts'
import { stopSubjectKinds } from '../../ops/config/policy-values.ts'

import { verificationRules, type Rules } from './model.fixture.ts'
import { countCodes, type VerificationPolicy } from './policy.ts'

/** A policy, the rules of the model that belong to it, and a code of its format that is wrong in the test environment. */
export interface RandomPolicy {
  readonly policy: Partial<VerificationPolicy>
  readonly rule: Rules
  readonly wrongCode: string
}

const alphabets = ['0123456789', letterAlphabet, 'ABCDEFGHJKMNPQRSTUVWXYZ'] as const

/** A policy that a service would start with; most of them stop after wrong codes. */
export function drawPolicy(seed: number): RandomPolicy {
  const { below } = makeSeeded(seed)
  const alphabet = alphabets[below(alphabets.length)] ?? alphabets[0]
  const length = 6 + below(5)
  const lifetimeMs = (10 + below(590)) * 1000
  const maxAttempts = 1 + below(5)
  const resendWaitMs = (1 + below(120)) * 1000
  const stopMs = below(4) === 0 ? 0 : lifetimeMs + below(30) * 60_000
  const chosen = stopSubjectKinds.filter(() => below(2) === 0)
  const stopPer = chosen.length === 0 ? (['card'] as const) : chosen
  if (countCodes({ length, alphabet }) < 1_000_000) throw new Error('a policy that no service would start with')
  return {
    policy: { length, alphabet, lifetimeMs, maxAttempts, resendWaitMs, stop: stopMs === 0 ? null : { durationMs: stopMs, per: stopPer } },
    rule: { ...verificationRules, otpAttemptsMax: maxAttempts, otpLifetimeMs: lifetimeMs, resendWaitMs, stopMs, stopPer },
    wrongCode: (alphabet.at(-1) ?? '').repeat(length),
  }
}
