import { maskPhone } from '@tessera/contract/card'
import type { Result } from '@tessera/contract/operations'
import { dashboardAuditExportContract, dashboardAuditListContract } from '@tessera/contract/operations/dashboard-audit'

import { toReasonCode } from '../domain/reporting/reason-code.ts'
import type { AuditListItem } from '../domain/users/merchant-audit-log.ts'

import { formatCursor, readCursor } from './dashboard-values.ts'
import { operation } from './operation.ts'

/** Lists the audit entries of the caller's merchant. */
export const dashboardAuditList = operation(dashboardAuditListContract, {
  async run({ after, count = 25, subject, ...filter }, { merchantId }, { dashboard: { auditLog } }) {
    const page =
      subject === undefined
        ? await auditLog.list(merchantId, filter, { after: readCursor(after), count })
        : await auditLog.listOfSubject(merchantId, subject)
    const people = subject === undefined && (after ?? null) === null ? await auditLog.people(merchantId) : []
    return {
      entries: page.entries.map(toAuditEntry),
      next: formatCursor(page.next),
      people: people.map(({ userId, phone, name }) => ({ userId, phone: maskPhone(phone), name })),
    }
  },
})

/** Returns a signed page of the same list. */
export const dashboardAuditExport = operation(dashboardAuditExportContract, {
  async run({ after = null, count = 100, ...conditions }, { merchantId }, { dashboard: { auditLog }, auditArchive }) {
    const { subject, ...filter } = conditions
    const { entries: found, next } =
      subject === undefined
        ? await auditLog.list(merchantId, filter, { after: readCursor(after), count })
        : await auditLog.listOfSubject(merchantId, subject)
    const cursor = formatCursor(next)
    const entries = found.map(({ entry: { chain, seq } }) => ({ chain, seq }))
    const text = await auditArchive.merchantPage({ merchantId, conditions, after, next: cursor, entries })
    return { text, entries: entries.length, next: cursor }
  },
})

type DashboardAuditEntry = Result<'dashboard.audit.list'>['entries'][number]

function toAuditEntry({ entry, changes, userId, phone, name, subjectUser }: AuditListItem): DashboardAuditEntry {
  const { at, action, subject, outcome, address, requestId, hash } = entry
  return {
    at,
    actor: actorKindOf(entry.actor),
    userId,
    phone: phone === null ? null : maskPhone(phone),
    name,
    action,
    subject,
    subjectUser: subjectUser === null ? null : { phone: maskPhone(subjectUser.phone), name: subjectUser.name },
    outcome: toReasonCode(outcome),
    changes: [...changes],
    address,
    requestId,
    proof: Buffer.from(hash).toString('hex'),
  }
}

function actorKindOf(actor: string): DashboardAuditEntry['actor'] {
  const [kind = ''] = actor.split(':')
  return shownKinds.find((each) => each === kind) ?? 'system'
}

const shownKinds = ['user', 'operator', 'visitor', 'merchant', 'cardholder'] as const
