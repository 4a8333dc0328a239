import { isOperatorOperation } from '@tessera/contract/operations'

import type { Authenticator, CallerAuthentication } from './authenticator.ts'

/** Authenticates at the control socket. Only the service's own system user can open it, so every caller there is the operator. */
export const operatorAuthenticator: Authenticator = Object.freeze<Authenticator>({
  serves: isOperatorOperation,
  authenticate: () => Promise.resolve(operator),
})

/** Belongs to no merchant: operations that concern one name it in their params. */
const operator: CallerAuthentication = Object.freeze({
  identity: Object.freeze({ merchantId: '', bucket: 0, kind: 'operator' }),
  merchantId: null,
  fault: null,
})
