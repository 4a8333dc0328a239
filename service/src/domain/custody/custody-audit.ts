import type { AuditAction } from '@tessera/contract/audit'

import type { Clock } from '../../clock.ts'
import { insertAuditEntry, type AuditEntry } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'
import type { AuditActor } from '../request-context.ts'

/** What custodians did, and what an operator may do while the service is sealed. */
export interface CustodyEntry {
  readonly action: Extract<
    AuditAction,
    | 'shares.created'
    | 'share.taken'
    | 'share.entered'
    | 'kek.opened'
    | 'kek.handed_over'
    | 'node.enrolled'
    | 'node.revoked'
    | 'database.primary_chosen'
  >
  /** The set, and the share's index: `7K3MQ9TX/2`. Never the share. Of a node its name, of a primary its host. `left out/12` of what found no room. */
  readonly subject: string
  readonly outcome: 'done' | 'refused' | 'cancelled'
}

/**
 * The audit of a ceremony. While the service is sealed the keys of the audit are too: entries wait in memory, with their times, until a store is
 * attached. The log has each at once. Of more than a thousand the oldest refusals are left out, and one entry of `system` says how many.
 */
export interface CustodyAudit {
  record(by: AuditActor, entry: CustodyEntry): Promise<void>
  /** Writes what waits, and every later entry at once. */
  attach(store: Pick<Store, 'write'>): Promise<void>
}

export interface CustodyAuditDependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void
}

export function makeCustodyAudit({ clock, log }: CustodyAuditDependencies): CustodyAudit {
  const waiting: { readonly audit: AuditEntry }[] = []
  const leftOut: { count: number; newest: AuditEntry | null } = { count: 0, newest: null }
  let attached: Pick<Store, 'write'> | null = null
  return Object.freeze<CustodyAudit>({ record, attach })

  async function record({ actor, requestId, address }: AuditActor, entry: CustodyEntry): Promise<void> {
    const audit = { ...entry, merchantId: '', at: clock.now(), actor, requestId, address, version: 0, mac: new Uint8Array(0) }
    writeLine(actor, entry)
    if (attached !== null) await attached.write(insertAuditEntry, { audit })
    else wait(audit)
  }

  function writeLine(actor: string, { action, subject, outcome: cause }: CustodyEntry): void {
    if (action === 'database.primary_chosen') {
      log('primary_chosen', { action, host: subject })
      return
    }
    const [set, share] = subject.split('/')
    // Of a node's or an operator's entry there is no custodian.
    const custodian = actor.startsWith('custodian:') ? actor.slice('custodian:'.length) : undefined
    log(action === 'kek.opened' ? 'kek_opened' : 'custodian_share', { action, set, node: set, number: Number(share), cause, custodian })
  }

  /** What was done matters more than what was refused, and the newest refusal more than the oldest. */
  function wait(audit: AuditEntry): void {
    waiting.push({ audit })
    if (waiting.length <= waitingMax) return
    const oldest = waiting.findIndex((entry) => entry.audit.outcome === 'refused')
    const [removed] = waiting.splice(Math.max(0, oldest), 1)
    leftOut.count += 1
    leftOut.newest = removed?.audit ?? null
  }

  async function attach(store: Pick<Store, 'write'>): Promise<void> {
    attached = store
    const { newest, count } = leftOut
    if (newest !== null) {
      await store.write(insertAuditEntry, {
        audit: { ...newest, actor: 'system', requestId: '', address: '', subject: `left out/${String(count)}` },
      })
      leftOut.newest = null
    }
    for (const entry of [...waiting]) {
      await store.write(insertAuditEntry, entry)
      waiting.shift()
    }
  }
}

/** Somebody who enters wrong shares for days fills no memory. */
const waitingMax = 1000
