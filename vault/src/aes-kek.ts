import { createCipheriv, createDecipheriv, randomFillSync, type KeyObject } from 'node:crypto'

import { KekError, type Kek } from './kek.ts'

/** A KEK whose key is in the memory of this process. `name` is what messages call it: `the development KEK`. */
export function makeAesKek({ id, kind, key, name }: Pick<Kek, 'id' | 'kind'> & { readonly key: KeyObject; readonly name: string }): Kek {
  return Object.freeze<Kek>({
    id,
    kind,
    wrap: async (plain, associated) => wrap(key, plain, associated),
    unwrap: async (wrapped, associated) => unwrap(key, wrapped, { associated, name }),
    failure: () => null,
    close: () => undefined,
  })
}

/** version(1) nonce(12) ciphertext tag(16), AES-256-GCM. */
function wrap(key: KeyObject, plain: Uint8Array, associated: Uint8Array): Uint8Array {
  const nonce = randomFillSync(new Uint8Array(nonceBytes))
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associated)
  return Uint8Array.from(Buffer.concat([Uint8Array.of(version), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]))
}

function unwrap(key: KeyObject, wrapped: Uint8Array, { associated, name }: { associated: Uint8Array; name: string }): Uint8Array {
  if (wrapped.length < 1 + nonceBytes + tagBytes || wrapped[0] !== version) throw new KekError(`this is not a key wrapped by ${name}`)
  const nonce = wrapped.subarray(1, 1 + nonceBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(associated)
  decipher.setAuthTag(wrapped.subarray(wrapped.length - tagBytes))
  const plain = decipher.update(wrapped.subarray(1 + nonceBytes, wrapped.length - tagBytes))
  try {
    decipher.final()
    return plain
  } catch {
    plain.fill(0)
    throw new KekError(`${name} cannot unwrap this key`)
  }
}

const version = 1
const nonceBytes = 12
const tagBytes = 16
