/** The bytes of a secret that an authenticator reads (RFC 4648 §6). */
export function decodeBase32(base32: string): Uint8Array {
  const bits = Array.from(base32, (letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}
