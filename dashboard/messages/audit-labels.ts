import type { Language } from '@tessera/contract/profile'

import { auditLabelsEn, type AuditLabels } from './audit-labels-en.ts'
import { auditLabelsRu } from './audit-labels-ru.ts'
import { auditLabelsUz } from './audit-labels-uz.ts'
import { formatMessage, knownLabel } from './lookup.ts'

/** The outcome of an audit entry: a label, the labels of the changed settings, or as it is where it is an id or unknown to this page. */
export function outcomeLabel(outcome: string, { outcomes, clockAhead, endpointError }: AuditLabels): string {
  const [, aheadMs] = /^ahead (\d+) ms$/.exec(outcome) ?? []
  if (aheadMs !== undefined) return formatMessage(clockAhead, Number(aheadMs) / 1000)
  const [, status] = /^http_(\d+)$/.exec(outcome) ?? []
  if (status !== undefined) return `HTTP ${status}`
  const [, code] = /^error_(-?\d+)$/.exec(outcome) ?? []
  if (code !== undefined) return formatMessage(endpointError, code)
  const labels = outcome.split(' ').map((name) => knownLabel(outcomes, name))
  return labels.every((label) => label !== undefined) ? labels.join(', ') : outcome
}

export const auditLabels: Readonly<Record<Language, AuditLabels>> = { en: auditLabelsEn, ru: auditLabelsRu, uz: auditLabelsUz }
