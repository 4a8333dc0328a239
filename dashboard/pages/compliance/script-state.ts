import type { Tone } from '../../components/values.tsx'
import type { CompliancePageMessages } from './compliance-messages.ts'
import type { ScriptEntry } from './script-review.tsx'

type ReviewState = Pick<ScriptEntry, 'decision' | 'isChanged' | 'isGone'>

/** The state of a script as the key of its label, with its color. */
export function scriptState({ decision, isChanged, isGone }: ReviewState): {
  tone: Tone
  name: keyof CompliancePageMessages['reviewStates']
} {
  if (isGone) return { tone: 'grey', name: 'gone' }
  if (decision === 'open') return { tone: 'amber', name: 'open' }
  if (isChanged) return { tone: 'red', name: 'changed' }
  return { tone: decision === 'authorised' ? 'green' : 'red', name: decision }
}

/** Sorts scripts that need attention first: not allowed, then to be reviewed or changed, then authorized, then gone. */
export function compareByUrgency(a: ReviewState, b: ReviewState): number {
  return urgencyOf(a) - urgencyOf(b)
}

function urgencyOf({ decision, isChanged, isGone }: ReviewState): number {
  if (isGone) return 3
  if (decision === 'refused') return 0
  return decision === 'authorised' && !isChanged ? 2 : 1
}
