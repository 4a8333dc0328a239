import { bucketOf, issueId } from '@tessera/vault/id'

import type { Clock } from '../../clock.ts'
import { type AuditChange, insertAuditEntry, listAuditOfSubject } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'

import type { OwnAccount } from './dependencies.ts'

export interface BegunExport {
  readonly list: string
  readonly format: string
  /** An empty value stands for what a person typed, such as the name of a customer. */
  readonly conditions: readonly { readonly name: string; readonly value: string }[]
}

export interface EndedExport {
  readonly outcome: 'done' | 'cancelled' | 'broken'
  readonly rows: number
}

/** What users take out of the dashboard, as entries of the audit. A file is written by the browser, page by page: docs/decisions/0109-exports.md. */
export interface ExportLog {
  /** Returns the id of the export, the subject of its entries. */
  start(user: OwnAccount, begun: BegunExport): Promise<string>
  /** False, and nothing is recorded, unless the same user began it and it has no end yet. */
  finish(user: OwnAccount, exportId: string, end: EndedExport): Promise<boolean>
}

export function makeExportLog({ store, clock }: { readonly store: Store; readonly clock: Clock }): ExportLog {
  return Object.freeze<ExportLog>({
    async start(user, { list, format, conditions }) {
      const exportId = issueId(bucketOf(user.merchantId), clock.now())
      const filter = conditions.map(({ name, value }) => `${name}: ${value === '' ? '…' : value}`).join('; ')
      const facts = [['list', list] as const, ['format', format] as const, ...(filter === '' ? [] : [['filter', filter] as const])]
      await record(user, { action: actionOfStart, subject: exportId, outcome: 'requested', facts })
      return exportId
    },
    async finish(user, exportId, { outcome, rows }) {
      const entries = await store.read(listAuditOfSubject(user.merchantId, exportId, entriesOfExport))
      const isOpen = entries.some(({ action, actor }) => action === actionOfStart && actor === user.actor)
      if (!isOpen || entries.some(({ action }) => action === actionOfEnd)) return false
      await record(user, { action: actionOfEnd, subject: exportId, outcome, facts: [['rows', String(rows)]] })
      return true
    },
  })

  async function record(
    { merchantId, requestId, actor, address }: OwnAccount,
    { facts, ...action }: { action: string; subject: string; outcome: string; facts: readonly (readonly [string, string])[] },
  ): Promise<void> {
    const changes: AuditChange[] = facts.map(([name, to]) => ({ name, from: null, to }))
    const audit = { ...action, at: clock.now(), actor, merchantId, requestId, address, version: 0, mac: new Uint8Array(0), changes }
    await store.write(insertAuditEntry, { audit })
  }
}

const actionOfStart = 'data.export_started'
const actionOfEnd = 'data.exported'
const entriesOfExport = 3
