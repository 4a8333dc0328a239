import type { CodeEvent } from '../../store/audit.ts'

/** What an entry of the audit says of a code. `wrong`: another code was entered; `refused`: it was not evaluated, or the network refused it. */
export type CodeOutcome = 'sent' | 'not_sent' | 'wrong' | 'refused' | 'verified'

export function codeOutcomeOf(event: Pick<CodeEvent, 'action' | 'outcome'>): CodeOutcome {
  if (event.action === 'card.verified') return 'verified'
  if (event.action === 'code.attempted') return event.outcome === 'wrong_code' ? 'wrong' : 'refused'
  return isFailure(event) ? 'not_sent' : 'sent'
}

/** Whether the code was not sent or was wrong. */
export function isFailure({ action, outcome }: Pick<CodeEvent, 'action' | 'outcome'>): boolean {
  if (action === 'card.verified') return false
  return action === 'code.attempted' || (outcome !== 'sent' && outcome !== 'unknown')
}
