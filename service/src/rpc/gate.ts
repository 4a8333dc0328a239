import type { MethodName } from '@tessera/contract/methods'

import type { Call, NeededRole, Row, Visitor } from '../methods/method.ts'
import type { Claim, Identified } from './caller.ts'

/** Who may come in by a door, and for what. The API's asks for X-Auth, the dashboard's for a session. */
export interface Gate {
  /** Whether a method is answered here; elsewhere it is as unknown as any other word. */
  offers(method: MethodName): boolean
  /** Tells who calls. Throws, or tells as a fault, why this one may not call this row. */
  admit(row: GuardedRow, claim: GateClaim, method: MethodName): Promise<Identified>
}

/** What of a row the gate looks at. */
export interface GuardedRow extends Pick<Row<MethodName>, 'caller'> {
  readonly role?: NeededRole
}

export interface GateClaim extends Claim, Pick<Call, 'address'> {
  readonly visitor: Visitor | undefined
}
