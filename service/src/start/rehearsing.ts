import type { FailureBreaker } from '../limits/failures.ts'
import type { CardPlace, FineLimits } from '../limits/fine.ts'
import type { GuardedMessage, SmsGuard } from '../limits/sms-guard.ts'
import type { CoarseLimits, LimitedCall } from '../rpc/limits.ts'
import { noLimits } from '../rpc/limits.ts'
import type { Credentials } from '../rpc/credentials.ts'
import { noThrottle, type PasswordThrottle, type ShownCredential } from '../rpc/password-throttle.ts'

/** The limits of a service, or of one merchant that rehearses them. */
export interface LimitSet {
  readonly coarse: CoarseLimits
  readonly passwords: PasswordThrottle
  readonly fine: FineLimits
  readonly failures: FailureBreaker
  readonly sms: SmsGuard
}

/** Who rehearses limits. A merchant of the sandbox that does counts in a set of its own: what it meets, no other merchant meets. */
export interface LimitRehearsal {
  /** Since when, unix ms; null: not now. */
  sinceOf(merchantId: string): number | null
  /** False: so many rehearse already that nobody else can. Begun again, all counts are at nought. */
  begin(merchantId: string, since: number): boolean
  end(merchantId: string): void
}

export interface RehearsedLimits {
  readonly limits: LimitSet
  readonly rehearsal: LimitRehearsal
}

/** Limits that hold for merchants that rehearse them, and for nobody else. */
export function makeRehearsedLimits(makeSet: () => LimitSet, none: LimitSet): RehearsedLimits {
  const sets = new Map<string, { readonly since: number; readonly set: LimitSet }>()
  const of = (merchantId: string | null): LimitSet => (merchantId === null ? none : (sets.get(merchantId)?.set ?? none))
  return {
    limits: {
      // Whoever switches them off again is never kept from doing so.
      coarse: { take: (call: LimitedCall) => (call.as === 'dashboard' ? noLimits : of(call.merchantId).coarse).take(call) },
      passwords: {
        authenticate: (credentials: Credentials, shown: ShownCredential) =>
          (sets.size === 0 ? noThrottle : of(merchantIn(shown)).passwords).authenticate(credentials, shown),
      },
      fine: {
        takePan: (pan, place: CardPlace) => of(place.merchantId).fine.takePan(pan, place),
        takeToken: (token, merchantId) => of(merchantId).fine.takeToken(token, merchantId),
      },
      failures: { watch: (merchantId, run) => of(merchantId).failures.watch(merchantId, run) },
      sms: {
        admit: (message: GuardedMessage) => of(message.merchantId).sms.admit(message),
        converted: (phone, agoMs, merchantId) => of(merchantId).sms.converted(phone, agoMs, merchantId),
      },
    },
    rehearsal: Object.freeze({
      sinceOf: (merchantId: string) => sets.get(merchantId)?.since ?? null,
      begin(merchantId: string, since: number) {
        if (sets.size >= rehearsingMax && !sets.has(merchantId)) return false
        sets.set(merchantId, { since, set: makeSet() })
        return true
      },
      end: (merchantId: string) => void sets.delete(merchantId),
    }),
  }
}

function merchantIn({ xAuth }: ShownCredential): string | null {
  return xAuth?.split(':', 1)[0]?.trim() ?? null
}

/** Each has counts of its own, so that this many bound what they keep. */
export const rehearsingMax = 100
