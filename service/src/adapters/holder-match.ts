/** Whether a phone is the cardholder's, as a card network or an outside service says. `unknown`: it does not say. */
export type HolderMatch = 'match' | 'mismatch' | 'unknown'
