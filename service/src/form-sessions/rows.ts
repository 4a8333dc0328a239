import { RpcError } from '@tessera/contract/errors'
import type { Keyring } from '@tessera/vault/keyring'
import { readToken } from '@tessera/vault/token'

import type { Asker } from '../cards/asker.ts'
import { RowTampered } from '../cards/find.ts'
import type { AuditNote, FormSessionRow, Store } from '../store/store.ts'

import { makeFormSessionMac } from './mac.ts'

/** The rows of form sessions, each as we wrote it. */
export interface FormSessionRows {
  /** The session that a text stands for. Throws `sessionUnknown`, also for a text of another merchant's, and `RowTampered`. */
  find(session: string, of: Whose): Promise<FormSessionRow>
  /** The same row with its MAC, as it is to be kept first. */
  seal(row: FormSessionRow): Promise<FormSessionRow>
  /** Reads what is there and puts the change in its place, if nobody was faster; then once more. Throws as `find`, and what `decide` throws. */
  change(session: string, of: Whose, decide: (row: FormSessionRow) => Change | null): Promise<FormSessionRow>
}

/** What may change of a session; null changes nothing. The note is given the MAC. */
export interface Change {
  readonly to: Partial<Pick<FormSessionRow, 'attemptsLeft' | 'cancelledAt'>>
  readonly audit: Omit<AuditNote, 'mac'> | null
}

export type Whose = Pick<Asker, 'merchantId' | 'bucket'>

export interface RowParts {
  readonly store: Pick<Store, 'findFormSession' | 'changeFormSession'>
  readonly keyring: Keyring
  readonly environment: string
  /** Told when a row is not as we wrote it. Ids only. */
  readonly alarm: (event: 'row_tampered', fields: { merchantId: string; cardId: string; requestId: string }) => void
}

export function makeFormSessionRows({ store, keyring, environment, alarm }: RowParts): FormSessionRows {
  const mac = makeFormSessionMac(keyring, environment)
  return Object.freeze({ find, seal: mac.seal, change })

  async function find(session: string, { bucket, merchantId }: Whose): Promise<FormSessionRow> {
    const read = readToken(session)
    read?.secret?.fill(0)
    const row = read === null ? null : await store.findFormSession({ bucket, merchantId, sessionId: read.cardId, hash: read.hash })
    // From before there were MACs: nobody changed it, and its fifteen minutes are over.
    if (row === null || row.mac.length === 0) throw new RpcError('sessionUnknown', { data: 'session' })
    if (await mac.isTrue(row)) return row
    alarm('row_tampered', { merchantId, cardId: '', requestId: '' })
    throw new RowTampered(`form session ${row.sessionId} has a wrong MAC`)
  }

  async function change(session: string, of: Whose, decide: (row: FormSessionRow) => Change | null): Promise<FormSessionRow> {
    for (let turn = 0; turn < turnsMax; turn++) {
      const row = await find(session, of)
      const wanted = decide(row)
      if (wanted === null) return row
      const next = await mac.seal({ ...row, ...wanted.to })
      const audit = wanted.audit === null ? null : { ...wanted.audit, mac: next.mac }
      if (await store.changeFormSession(next, row.mac, audit)) return next
    }
    throw new Error('a form session was changed more often than it has attempts')
  }
}

/** Whoever is slower lost to one of at most ten attempts (wire §5), or to the cardholder who turned back. */
const turnsMax = 12
