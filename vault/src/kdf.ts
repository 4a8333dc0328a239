import { createSecretKey, type KeyObject } from 'node:crypto'

import { hmacSha256Key, hmacSha256Once } from './hmac.ts'

/**
 * Derives a 256-bit key: NIST SP 800-108r1 §4.1, counter mode, HMAC-SHA256 as the PRF, one iteration:
 * HMAC(kdk, counter(4) ‖ label ‖ 0x00 ‖ context ‖ length in bits(4)). The caller wipes a `kdk` of bytes.
 */
export function deriveKey(kdk: KeyObject | Uint8Array, label: string, context: string): KeyObject {
  const derived = deriveKeyBytes(kdk, label, context)
  const key = createSecretKey(derived)
  derived.fill(0)
  return key
}

/** The same as bytes, which the caller wipes: a key that is used once needs no object, which has a copy until it is collected (1 µs less). */
export function deriveKeyBytes(kdk: KeyObject | Uint8Array, label: string, context: string): Uint8Array {
  const fixed = Buffer.allocUnsafeSlow(label.length + 1 + context.length + 4)
  fixed.write(label, 0, 'latin1')
  fixed[label.length] = 0
  fixed.write(context, label.length + 1, 'latin1')
  fixed.writeUInt32BE(256, fixed.length - 4)
  return counterBlock(kdk, fixed)
}

/** The first block of counter mode with a 32-bit counter before the fixed input: 32 bytes, which the caller wipes. */
export function counterBlock(kdk: KeyObject | Uint8Array, fixedInput: Uint8Array): Uint8Array {
  const input = Buffer.concat([firstCounter, fixedInput])
  return kdk instanceof Uint8Array ? hmacSha256Once(kdk, input) : hmacSha256Key(kdk, input)
}

const firstCounter = Uint8Array.of(0, 0, 0, 1)
