import type { Reply } from './control-wire.ts'

export function yes(answer: unknown): Reply {
  return { ok: true, answer }
}

/** `reason` is for programs, `message` for people. */
export function no(reason: string, message: string): Reply {
  return { ok: false, reason, message }
}

export function badMerchant(): Reply {
  return no('bad_merchant', 'A merchant id is 24 hex digits.')
}

export function unknownMerchant(merchantId: string): Reply {
  return no('unknown_merchant', `There is no merchant ${merchantId}: see tessera merchants list`)
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{24}$/.test(value)
}
