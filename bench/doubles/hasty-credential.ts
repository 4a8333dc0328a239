import * as real from '../../vault/src/credential.ts'

/** Returns as soon as the beginning of a password is wrong: what a comparison that is not constant in time tells, made large. */
export function samePassword(...[dek, merchantId, password, ...kept]: Parameters<typeof real.samePassword>): boolean {
  const text = typeof password === 'string' ? password : Buffer.from(password).toString()
  return text.startsWith('sandbox-') && real.samePassword(dek, merchantId, password, ...kept)
}

export { hashPassword, issuePassword } from '../../vault/src/credential.ts'
