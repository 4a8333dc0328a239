import { maskPhone } from '@tessera/contract/card'
import type { Result } from '@tessera/contract/operations'
import { dashboardAuditListContract } from '@tessera/contract/operations/dashboard-audit'

import { toReasonCode } from '../domain/reporting/reason-code.ts'
import type { AuditListItem } from '../domain/users/merchant-audit-log.ts'

import { formatCursor, readCursor } from './dashboard-values.ts'
import { operation } from './operation.ts'

/** Lists the audit entries of the caller's merchant. */
export const dashboardAuditList = operation(dashboardAuditListContract, {
  async run({ after, count = 25, subject = null }, { merchantId }, { dashboard }) {
    const page = await dashboard.auditLog.list(merchantId, subject, { after: readCursor(after), count })
    return { entries: page.entries.map(toAuditEntry), next: formatCursor(page.next) }
  },
})

type DashboardAuditEntry = Result<'dashboard.audit.list'>['entries'][number]

function toAuditEntry({ entry, changes, userId, phone }: AuditListItem): DashboardAuditEntry {
  const { at, action, subject, outcome, address, requestId, hash } = entry
  return {
    at,
    actor: actorKindOf(entry.actor),
    userId,
    phone: phone === null ? null : maskPhone(phone),
    action,
    subject,
    outcome: toReasonCode(outcome),
    changes: [...changes],
    address,
    requestId,
    proof: Buffer.from(hash).toString('hex'),
  }
}

function actorKindOf(actor: string): DashboardAuditEntry['actor'] {
  const [kind] = actor.split(':')
  return kind === 'user' || kind === 'operator' || kind === 'visitor' || kind === 'merchant' ? kind : 'system'
}
