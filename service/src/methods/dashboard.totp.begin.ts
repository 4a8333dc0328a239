import type { Dashboard } from '../dashboard/dashboard.ts'

import type { Row } from './method.ts'
import { ownOf } from './signed-in.ts'

/** Makes a secret for an authenticator. */
export function dashboardTotpBegin({ users, environment }: Dashboard): Row<'dashboard.totp.begin'>['run'] {
  return async ({ password }, call) => {
    const own = ownOf(call)
    const secret = await users.beginTotp(own, password)
    const label = encodeURIComponent(`Tessera ${environment}:${own.userId.slice(-6)}`)
    return { secret, uri: `otpauth://totp/${label}?secret=${secret}&issuer=Tessera` }
  }
}
