/** How far a deed came, as the caller knows it: not asked for, asked for and never answered, or acknowledged. */
export type Far = 'no' | 'asked' | 'acknowledged'

/** What may be done with a card after its creation; `code` is get_verify_code. */
export type Deed = 'code' | 'verify' | 'remove'

/** All that one caller was told of a card. Its creation was acknowledged: of a token that was never told nobody knows. */
export interface Fate extends Record<Deed, Far> {
  readonly token: string
}

/** What is found of a card afterwards. */
export type Seen =
  | { readonly kind: 'card'; readonly verified: boolean }
  | { readonly kind: 'removed' }
  /** Neither a card nor a removed one: the reason of the refusal. */
  | { readonly kind: 'absent'; readonly reason: string }

/** Every acknowledgement of a run, to be held against the service afterwards. */
export interface Ledger {
  /** Throws when the token was given before: two cards under one token. */
  created(token: string): Fate
  readonly fates: readonly Fate[]
  /** Acknowledged deeds: creations, codes, verifications, removals. */
  countAcknowledged(): number
}

export function makeLedger(): Ledger {
  const fates: Fate[] = []
  const tokens = new Set<string>()
  return {
    fates,
    created(token) {
      if (tokens.has(token)) throw new Error('a token was given twice')
      tokens.add(token)
      const fate: Fate = { token, code: 'no', verify: 'no', remove: 'no' }
      fates.push(fate)
      return fate
    },
    countAcknowledged: () => fates.reduce((sum, fate) => sum + 1 + deeds.filter((deed) => fate[deed] === 'acknowledged').length, 0),
  }
}

/** What is wrong with what is seen of a card, or null. What was asked for and never answered may have happened or not. */
export function judge(fate: Fate, seen: Seen): string | null {
  if (seen.kind === 'removed') return fate.remove === 'no' ? 'is removed, and nobody asked for it' : null
  if (fate.remove === 'acknowledged') return `its removal was acknowledged, and it is ${seen.kind === 'card' ? 'still there' : 'absent'}`
  if (seen.kind === 'absent') return `was acknowledged, and is answered ${seen.reason}`
  if (fate.verify === 'acknowledged' && !seen.verified) return 'its verification was acknowledged, and it is not verified'
  if (fate.verify === 'no' && seen.verified) return 'is verified, and nobody submitted a code'
  return null
}

const deeds: readonly Deed[] = ['code', 'verify', 'remove']
