import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

import type { Kek } from '@tessera/vault/kek'

/** A KEK for the duration of a test. */
export function makeTestKek(): Kek {
  const key = randomBytes(32)
  return {
    id: 'test',
    kind: 'development-file',
    async wrap(plain, associated) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associated)
      return Uint8Array.from(Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]))
    },
    failure: () => null,
    close: () => undefined,
    async unwrap(wrapped, associated) {
      const decipher = createDecipheriv('aes-256-gcm', key, wrapped.subarray(0, 12)).setAAD(associated)
      decipher.setAuthTag(wrapped.subarray(-16))
      return Uint8Array.from(Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()]))
    },
  }
}
