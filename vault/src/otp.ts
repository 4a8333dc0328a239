import { expectDek, type Dek } from './dek.ts'
import { keyedHash } from './fields.ts'

/** An SMS code and what it is good for. */
export interface OtpClaim {
  readonly attemptId: string
  readonly cardId: string
  readonly merchantId: string
  readonly code: string
}

/** All that is kept of an SMS code: 32 bytes that fit this code, attempt, card and merchant, under the key of the day. */
export function hashOtp(dek: Dek, { attemptId, cardId, merchantId, code }: OtpClaim): Uint8Array {
  expectDek(dek, 'otp')
  return keyedHash(dek.key, 'tessera otp', [attemptId, cardId, merchantId, code])
}
