import type { StopSubjectKind } from '../../ops/config/policy-values.ts'

/** The rules of a card in their shortest form; what the app does is compared with it, word for word. */
export interface Rules {
  readonly otpAttemptsMax: number
  /** 0: verification never stops. */
  readonly stopMs: number
  readonly stopPer: readonly StopSubjectKind[]
  readonly isStopEnded: boolean
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
  stopMs: 0,
  stopPer: [],
  isStopEnded: true,
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
  /** Whether the service got to know the phone. */
  isPhoneKnown: boolean
  earlier: ModelClock
  tries: number
  isOpen: boolean
}

export interface ModelCard {
  readonly save: boolean
  /** What the network says to get_verify_code, or null where it sends a code. */
  readonly refusal: string | null
  /** Of whom wrong codes are counted: names that are equal for the cards of one number, phone and customer. */
  readonly subjects: Readonly<Record<StopSubjectKind, string | null>>
  endsAt: number
  isVerified: boolean
  isRemoved: boolean
  code: Code | null
}

export function makeModel(clock: ModelClock, rule: Rules = verificationRules) {
  /** Wrong codes in a row, by subject; forgotten when the last one is as old as a stop. */
  const wrongCodes = new Map<string, { count: number; endsAt: number }>()
  return { create, ask, answer, check, remove }

  function create({ save, refusal, subjects }: Pick<ModelCard, 'save' | 'refusal' | 'subjects'>): ModelCard {
    return { save, refusal, subjects, endsAt: clock.wallMs + rule.unverifiedLifetimeMs, isVerified: false, isRemoved: false, code: null }
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
    if (isStopped(card, false)) return 'verification_stopped'
    if (card.code !== null && age(card.code) < rule.resendWaitMs) return 'resend_too_soon'
    const tries = rule.isCodeReset ? 0 : (card.code?.tries ?? 0)
    card.code = { earlier: { ...clock }, tries, isOpen: true, isPhoneKnown: card.refusal === null }
    if (card.refusal !== null) return card.refusal
    return isStopped(card, true) ? 'verification_stopped' : 'sent'
  }

  /** By the clock that does not jump, while the machine runs. */
  function age({ earlier }: Code): number {
    return earlier.boot === clock.boot ? clock.monotonicMs - earlier.monotonicMs : clock.wallMs - earlier.wallMs
  }

  function subjectsOf(card: ModelCard, isPhoneKnown: boolean): string[] {
    const kinds = rule.stopMs === 0 ? [] : rule.stopPer.filter((kind) => kind !== 'phone' || isPhoneKnown)
    return kinds.flatMap((kind) => card.subjects[kind] ?? [])
  }

  function isStopped(card: ModelCard, isPhoneKnown: boolean): boolean {
    return subjectsOf(card, isPhoneKnown).some((subject) => {
      const { count = 0, endsAt = 0 } = wrongCodes.get(subject) ?? {}
      return count >= rule.otpAttemptsMax && endsAt > clock.wallMs
    })
  }

  /** Whether a stop begins. */
  function countWrong(card: ModelCard, isPhoneKnown: boolean): boolean {
    const counts = subjectsOf(card, isPhoneKnown).map((subject) => {
      const before = wrongCodes.get(subject)
      const count = before === undefined || before.endsAt <= clock.wallMs ? 1 : before.count + 1
      wrongCodes.set(subject, { count, endsAt: clock.wallMs + rule.stopMs })
      return count
    })
    return counts.some((count) => count >= rule.otpAttemptsMax)
  }

  function answer(card: ModelCard, code: 'right' | 'wrong' | 'malformed'): string {
    const why = gone(card)
    if (why !== null || card.isVerified) return why ?? 'verified'
    const isPhoneKnown = card.code?.isPhoneKnown ?? false
    if (isStopped(card, isPhoneKnown)) return 'verification_stopped'
    if (card.code === null) return 'code_not_requested'
    if (code === 'malformed') return 'code_malformed'
    if (card.code.tries >= rule.otpAttemptsMax) return 'tries_used_up'
    card.code.isOpen &&= isFresh(card.code)
    if (!card.code.isOpen) return 'code_expired'
    card.code.tries += 1
    if (code === 'wrong') {
      const isStop = countWrong(card, isPhoneKnown)
      return card.code.tries < rule.otpAttemptsMax && !isStop ? 'wrong_code' : 'tries_used_up'
    }
    if (rule.isStopEnded) for (const subject of subjectsOf(card, isPhoneKnown)) wrongCodes.delete(subject)
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
