import * as real from '../../vault/src/credential.ts'

// Loaded in place of a whole module (planted-faults.ts), so it is one.

/** Returns early when the beginning of the password is wrong: the leak of a comparison that is not constant in time, enlarged. */
function comparePasswordEarly(...[dek, merchantId, password, ...stored]: Parameters<typeof real.findMatchingVerifier>): number {
  const text = typeof password === 'string' ? password : Buffer.from(password).toString()
  return text.startsWith('sandbox-') ? real.findMatchingVerifier(dek, merchantId, password, ...stored) : -1
}

export { comparePasswordEarly as findMatchingVerifier }
export { hashPassword, issuePassword, issueRecoveryCode, readRecoveryCode } from '../../vault/src/credential.ts'
