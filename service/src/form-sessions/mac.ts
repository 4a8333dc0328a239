import type { Keyring } from '@tessera/vault/keyring'
import { makeRowMacs, type MacField, type RowMacs } from '@tessera/vault/rowmac'

import type { FormSessionRow } from '../store/store.ts'

/** Nobody who merely writes the database makes a card somebody else's, or gives tries back. */
export type FormSessionMac = RowMacs<FormSessionRow>

export function makeFormSessionMac(keyring: Keyring, environment: string): FormSessionMac {
  return makeRowMacs(keyring, { table: 'form_sessions', environment, fieldsOf })
}

/** Everything that the row says, in a fixed order; the attempts as well, of which each makes the MAC anew. */
function fieldsOf(session: FormSessionRow): readonly MacField[] {
  const { bucket, sessionId, merchantId, hash, origin, customer, save, locale } = session
  const { attemptsLeft, createdAt, endsAt, returnTo, cancelledAt } = session
  return [bucket, sessionId, merchantId, hash, origin, customer, save, locale, attemptsLeft, createdAt, endsAt, returnTo, cancelledAt]
}
