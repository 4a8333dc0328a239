import { createHmac } from 'node:crypto'

/** The code of an authenticator for a time step (RFC 6238): SHA-1, six digits, 30 s. `secret` is in base32. */
export function codeOfStep(secret: string, step: number): string {
  const bits = Array.from(secret, (letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** The present time step. */
export function totpStep(): number {
  return Math.floor(Date.now() / 30_000)
}
