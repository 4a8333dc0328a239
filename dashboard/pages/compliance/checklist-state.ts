import type { Result } from '@tessera/contract/operations'

import type { ComplianceData } from './statements.tsx'

/** `unknown`: what it depends on could not be loaded. */
export type CheckState = 'done' | 'todo' | 'unknown'

export interface ComplianceCheck {
  readonly name: ComplianceCheckName
  readonly state: CheckState
  /** Where to do it, or to see it: a path under /dashboard. */
  readonly path: string
}

/** Each with its number in PCI DSS 4.0.1, '' for a rule of the specification or of the law. */
export const complianceChecks = {
  numbersSealed: '3.5.1',
  noSensitiveData: '3.3.1',
  noCardOutOfForm: '',
  originsRegistered: '',
  scriptsAuthorized: '6.4.3',
  pagesWatched: '11.6.1',
  passwordOnServers: '8.6.2',
  secondFactor: '8.4.2',
  consentWithText: '',
  responsibilities: '12.8.5',
} as const

export type ComplianceCheckName = keyof typeof complianceChecks

export interface ChecklistData extends Omit<ComplianceData, 'responsibilities'> {
  readonly settings: Result<'dashboard.settings.get'> | null
  /** Unix milliseconds. */
  readonly now: number
}

/** What a merchant has to do, each with its state by what the service sees now; what is left to do comes first. */
export function listComplianceChecks({ summary, scripts, checks, settings, now }: ChecklistData): ComplianceCheck[] {
  const { tokens, consents, findings } = summary
  const has = (...kinds: readonly string[]): boolean => findings.some(({ kind }) => kinds.includes(kind))
  const open = scripts?.filter(({ decision, isChanged, isGone }) => !isGone && (decision !== 'authorised' || isChanged)).length ?? 0
  const newest = Math.max(0, ...(checks ?? []).map(({ checkedAt }) => checkedAt))
  const rows: readonly (readonly [ComplianceCheckName, boolean | null, string])[] = [
    ['numbersSealed', tokens.changed === 0, 'compliance/card-data'],
    ['noSensitiveData', !has('sad_sent'), 'compliance/findings'],
    ['noCardOutOfForm', !has('card_from_server', 'card_out_of_place', 'card_to_other_method'), 'compliance/findings'],
    ['originsRegistered', summary.settings.origins.length > 0, 'settings/card-form'],
    [
      'scriptsAuthorized',
      scripts === null ? null : scripts.length > 0 && open === 0,
      scripts?.length === 0 ? 'page-check' : 'compliance/scripts',
    ],
    ['pagesWatched', checks === null ? null : newest > now - weekMs, 'page-check'],
    ['passwordOnServers', !has('password_in_browser'), 'settings/api-keys'],
    ['secondFactor', settings === null ? null : settings.requireSecondFactor, 'settings/team'],
    ['consentWithText', consents.merchant === 0, 'compliance/consents'],
    ['responsibilities', true, 'compliance/responsibilities'],
  ]
  const listed = rows.map(
    ([name, isDone, path]) => ({ name, path, state: isDone === null ? 'unknown' : isDone ? 'done' : 'todo' }) as const,
  )
  return [...listed.filter(({ state }) => state !== 'done'), ...listed.filter(({ state }) => state === 'done')]
}

/** PCI DSS 11.6.1 asks for a look at least once in seven days. */
const weekMs = 7 * 24 * 3_600_000
