/** The rules of a card in their shortest form; what the app does is compared with it, word for word. */
export interface Rules {
  readonly otpAttemptsMax: number
  readonly otpLifetimeMs: number
  readonly resendWaitMs: number
  readonly unverifiedLifetimeMs: number
  readonly oneTimeLifetimeMs: number
  readonly driftMaxMs: number
  readonly isCodeReset: boolean
  readonly isRemovalFinal: boolean
}

export const verificationRules: Rules = Object.freeze({
  otpAttemptsMax: 5,
  otpLifetimeMs: 180_000,
  resendWaitMs: 60_000,
  unverifiedLifetimeMs: 1_800_000,
  oneTimeLifetimeMs: 86_400_000,
  driftMaxMs: 5000,
  isCodeReset: true,
  isRemovalFinal: true,
})

export interface ModelClock {
  wallMs: number
  monotonicMs: number
  boot: number
}

interface Code {
  earlier: ModelClock
  tries: number
  isOpen: boolean
}

export interface ModelCard {
  readonly save: boolean
  /** What the network says to get_verify_code, or null where it sends a code. */
  readonly refusal: string | null
  endsAt: number
  isVerified: boolean
  isRemoved: boolean
  code: Code | null
}

export function makeModel(clock: ModelClock, rule: Rules = verificationRules) {
  return { create, ask, answer, check, remove }

  function create(save: boolean, refusal: string | null): ModelCard {
    return { save, refusal, endsAt: clock.wallMs + rule.unverifiedLifetimeMs, isVerified: false, isRemoved: false, code: null }
  }

  function gone(card: ModelCard): string | null {
    if (card.isRemoved && rule.isRemovalFinal) return 'card_deleted'
    return clock.wallMs >= card.endsAt ? 'card_ended' : null
  }

  function check(card: ModelCard): string {
    return gone(card) ?? (card.isVerified ? 'verified' : 'unverified')
  }

  function remove(card: ModelCard): string {
    const why = gone(card)
    if (why === null) card.isRemoved = true
    return why ?? 'removed'
  }

  function ask(card: ModelCard): string {
    const why = gone(card)
    if (why !== null) return why
    if (card.code !== null && age(card.code) < rule.resendWaitMs) return 'resend_too_soon'
    const tries = rule.isCodeReset ? 0 : (card.code?.tries ?? 0)
    card.code = { earlier: { ...clock }, tries, isOpen: true }
    return card.refusal ?? 'sent'
  }

  /** By the clock that does not jump, while the machine runs. */
  function age({ earlier }: Code): number {
    return earlier.boot === clock.boot ? clock.monotonicMs - earlier.monotonicMs : clock.wallMs - earlier.wallMs
  }

  function answer(card: ModelCard, isRight: boolean): string {
    const why = gone(card)
    if (why !== null || card.isVerified) return why ?? 'verified'
    if (card.code === null) return 'code_not_requested'
    if (card.code.tries >= rule.otpAttemptsMax) return 'tries_used_up'
    card.code.isOpen &&= isFresh(card.code)
    if (!card.code.isOpen) return 'code_expired'
    card.code.tries += 1
    if (!isRight) return card.code.tries < rule.otpAttemptsMax ? 'wrong_code' : 'tries_used_up'
    card.isVerified = true
    card.endsAt = card.save ? Infinity : clock.wallMs + rule.oneTimeLifetimeMs
    return 'verified'
  }

  function isFresh(code: Code): boolean {
    const wallAge = clock.wallMs - code.earlier.wallMs
    const agrees = code.earlier.boot !== clock.boot || Math.abs(wallAge - age(code)) <= rule.driftMaxMs
    return wallAge >= -rule.driftMaxMs && wallAge < rule.otpLifetimeMs && age(code) < rule.otpLifetimeMs && agrees
  }
}

export type Model = ReturnType<typeof makeModel>
