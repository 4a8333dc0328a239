import type { Cards } from '../cards/cards.ts'
import type { Verification } from '../verification/verification.ts'

import { cardsCheck } from './cards.check.ts'
import { cardsCreate } from './cards.create.ts'
import { cardsGetVerifyCode } from './cards.get_verify_code.ts'
import { cardsRemove } from './cards.remove.ts'
import { cardsVerify } from './cards.verify.ts'
import type { Grid } from './method.ts'
import { rpcDiscover } from './rpc.discover.ts'

export interface GridParts {
  readonly cards: Cards
  readonly verification: Verification
  /** Of the service, for the OpenRPC document. */
  readonly version: string
}

/** Every method with who may call it, whether it changes anything, and what it counts in. */
export function makeGrid({ cards, verification, version }: GridParts): Grid {
  return Object.freeze({
    'cards.create': { caller: 'browser', mutates: true, limits: 'create', run: cardsCreate(cards) },
    'cards.get_verify_code': { caller: 'browser', mutates: true, limits: 'verify', run: cardsGetVerifyCode(verification) },
    'cards.verify': { caller: 'browser', mutates: true, limits: 'verify', run: cardsVerify(verification) },
    'cards.check': { caller: 'serverInSpec', mutates: false, limits: 'read', run: cardsCheck(cards) },
    'cards.remove': { caller: 'serverInSpec', mutates: true, limits: 'write', run: cardsRemove(cards) },
    'rpc.discover': { caller: 'nobody', mutates: false, limits: 'none', run: rpcDiscover(version) },
  })
}
