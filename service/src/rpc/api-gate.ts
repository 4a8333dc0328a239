import { isDashboardMethod } from '@tessera/contract/methods'

import { identify, type OriginRule } from './caller.ts'
import type { Credentials } from './credentials.ts'
import type { Gate } from './gate.ts'
import type { PasswordThrottle } from './password-throttle.ts'

export interface ApiGateParts {
  readonly credentials: Credentials
  readonly passwords: PasswordThrottle
  readonly origins: OriginRule
}

/** The API's gate: X-Auth (wire §4). It knows no cookies, and the dashboard's methods are not there. */
export function makeApiGate({ credentials, passwords, origins }: ApiGateParts): Gate {
  return Object.freeze<Gate>({
    offers: (method) => !isDashboardMethod(method),
    async admit({ caller }, claim) {
      const shown = caller === 'nobody' ? null : await passwords.authenticate(credentials, claim)
      return identify(caller, claim, shown, origins)
    },
  })
}
