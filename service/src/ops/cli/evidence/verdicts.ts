/**
 * `met` and `not met` are what the machine has seen. `person`: the fact is stated, and a person judges it. `unknown`: it could not be looked at, and the
 * text says why.
 */
export interface EvidenceVerdict {
  readonly state: 'met' | 'not met' | 'person' | 'unknown'
  readonly found: string
}

export const met = (found: string): EvidenceVerdict => ({ state: 'met', found })
export const notMet = (found: string): EvidenceVerdict => ({ state: 'not met', found })
export const person = (found: string): EvidenceVerdict => ({ state: 'person', found })
export const unknown = (found: string): EvidenceVerdict => ({ state: 'unknown', found })

/** Met without faults, otherwise not met; the first ones are named. */
export function judgeFaults(faults: readonly string[], looked: string): EvidenceVerdict {
  if (faults.length === 0) return met(looked)
  const more = faults.length > shownFaults ? ` | and ${String(faults.length - shownFaults)} more` : ''
  return notMet(`${faults.slice(0, shownFaults).join(' | ')}${more}`)
}

const shownFaults = 5
