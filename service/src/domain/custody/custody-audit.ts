import type { AuditAction } from '@tessera/contract/audit'

import type { Clock } from '../../clock.ts'
import { insertAuditEntry, type AuditEntry } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'
import type { AuditActor } from '../request-context.ts'

/** What custodians did. */
export interface CustodyEntry {
  readonly action: Extract<
    AuditAction,
    'shares.created' | 'share.taken' | 'share.entered' | 'kek.opened' | 'kek.handed_over' | 'node.enrolled' | 'node.revoked'
  >
  /** The set, and the share's index: `7K3MQ9TX/2`. Never the share. Of a node its name. */
  readonly subject: string
  readonly outcome: 'done' | 'refused' | 'cancelled'
}

/**
 * The audit of a ceremony. While the service is sealed the keys of the audit are too: entries wait in memory, with their times, until a store is
 * attached. The log has each at once.
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
  let attached: Pick<Store, 'write'> | null = null
  return Object.freeze<CustodyAudit>({ record, attach })

  async function record({ actor, requestId, address }: AuditActor, entry: CustodyEntry): Promise<void> {
    const audit = { ...entry, merchantId: '', at: clock.now(), actor, requestId, address, version: 0, mac: new Uint8Array(0) }
    const [set, share] = entry.subject.split('/')
    const { action, outcome: cause } = entry
    log(action === 'kek.opened' ? 'kek_opened' : 'custodian_share', { action, set, node: set, number: Number(share), cause })
    if (attached !== null) await attached.write(insertAuditEntry, { audit })
    else if (waiting.length < waitingMax) waiting.push({ audit })
  }

  async function attach(store: Pick<Store, 'write'>): Promise<void> {
    attached = store
    for (const entry of [...waiting]) {
      await store.write(insertAuditEntry, entry)
      waiting.shift()
    }
  }
}

/** Somebody who enters wrong shares for days fills no memory. */
const waitingMax = 1000
