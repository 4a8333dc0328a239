import { makeVerificationPolicies, type VerificationPolicies, type VerificationPolicy } from '../domain/verification/policy.ts'

import { defaultConfig } from './default-config.fixture.ts'

/** The default policy with these members, for the cards of every network. */
export function policiesWith(changes: Partial<VerificationPolicy>): VerificationPolicies {
  const policies = makeVerificationPolicies(defaultConfig)
  return { of: (network) => ({ ...policies.of(network), ...changes }), maxLength: changes.length ?? policies.maxLength }
}
