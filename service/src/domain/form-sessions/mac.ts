import type { Keyring } from '@tessera/vault/keyring'
import { makeRowAuthenticator, type MacField, type RowAuthenticator } from '@tessera/vault/rowmac'

import type { FormSessionRow } from '../../store/form-sessions.ts'

/** Authenticates session rows: write access to the database is not enough to change a session's owner or its attempts. */
export type FormSessionMac = RowAuthenticator<FormSessionRow>

export function makeFormSessionMac(keyring: Keyring, environment: string): FormSessionMac {
  return makeRowAuthenticator(keyring, { table: 'form_sessions', environment, fieldsOf })
}

/** All columns in a fixed order. The attempts are included, so every attempt rewrites the MAC. */
function fieldsOf(session: FormSessionRow): readonly MacField[] {
  const { bucket, sessionId, merchantId, hash, origin, customer, save, locale } = session
  const { attemptsLeft, createdAt, endsAt, returnTo, cancelledAt } = session
  return [bucket, sessionId, merchantId, hash, origin, customer, save, locale, attemptsLeft, createdAt, endsAt, returnTo, cancelledAt]
}
