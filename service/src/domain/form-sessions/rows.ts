import { RpcError } from '@tessera/contract/errors'
import { parseToken } from '@tessera/vault/token'

import type { RequestContext } from '../request-context.ts'
import { makeVerifiedRows, TamperedRowError, type VerifiedRowDependencies } from '../verified-rows.ts'
import { retryOnConflict } from '../concurrency.ts'
import type { AuditEntry } from '../../store/audit.ts'
import { findFormSession, type FormSessionRow, updateFormSession, formSessionsTable } from '../../store/form-sessions.ts'
import type { Store } from '../../store/store.ts'

/** Form session rows with verified MACs. */
export interface FormSessionRows {
  /** Finds a session by its text. Throws `sessionUnknown`, also for a session of another merchant, and `TamperedRowError`. */
  find(session: string, of: FormSessionOwner): Promise<FormSessionRow>
  /** Returns the row with its MAC, ready to insert. */
  seal(row: FormSessionRow): Promise<FormSessionRow>
  /** Reads the row and writes the change; on a concurrent change it retries. Throws like `find`, and what `decide` throws. */
  change(session: string, of: FormSessionOwner, decide: (row: FormSessionRow) => FormSessionChange | null): Promise<FormSessionRow>
}

/** A change to a session, and its audit entry without what the row says itself. */
export interface FormSessionChange {
  readonly to: Partial<Pick<FormSessionRow, 'attemptsLeft' | 'cancelledAt' | 'picked' | 'removals'>>
  readonly audit: Pick<AuditEntry, 'at' | 'actor' | 'action' | 'outcome' | 'requestId' | 'address'>
}

export type FormSessionOwner = Pick<RequestContext, 'merchantId' | 'bucket'>

export interface FormSessionRowDependencies extends VerifiedRowDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
}

export function makeFormSessionRows({ store, ...deps }: FormSessionRowDependencies): FormSessionRows {
  const rows = makeVerifiedRows(deps, formSessionsTable)
  return Object.freeze({ find, seal: async (row: FormSessionRow) => rows.seal(row), change })

  async function find(session: string, { bucket, merchantId }: FormSessionOwner): Promise<FormSessionRow> {
    const read = parseToken(session)
    read?.secret?.fill(0)
    const row = read === null ? null : await store.read(findFormSession({ bucket, merchantId, sessionId: read.cardId, hash: read.hash }))
    if (row === null) throw new RpcError('sessionUnknown', { data: 'session' })
    if (await rows.isValid(row)) return row
    throw new TamperedRowError(`form session ${row.sessionId} has a wrong MAC`)
  }

  function change(
    session: string,
    of: FormSessionOwner,
    decide: (row: FormSessionRow) => FormSessionChange | null,
  ): Promise<FormSessionRow> {
    const update = async (): Promise<FormSessionRow | null> => {
      const row = await find(session, of)
      const decided = decide(row)
      if (decided === null) return row
      const next = await rows.seal({ ...row, ...decided.to, version: row.version + 1 })
      const { merchantId, sessionId: subject, version } = next
      const audit = { ...decided.audit, merchantId, subject, version, mac: next.mac }
      return (await store.write(updateFormSession, { session: next, previousMac: row.mac, audit })) ? next : null
    }
    return retryOnConflict(update, { maxAttempts, giveUp: throwTooManyChanges })
  }
}

function throwTooManyChanges(): never {
  throw new Error('a form session was changed more often than it can be')
}

/** A session has at most ten attempts, twenty removals, one pick (docs/reference/wire.md#form-sessions) and one cancellation, so more conflicts cannot occur. */
const maxAttempts = 33
