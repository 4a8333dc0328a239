import { generateKeyPairSync, sign } from 'node:crypto'

import { merchantPackType } from '@tessera/contract/merchant-pack'

/** A pack of a merchant, signed by a key of its own. `over` replaces members before it is signed. */
export function signedPack(merchantId: string, over: Readonly<Record<string, unknown>> = {}): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const content = { type: merchantPackType, merchant: { merchantId, name: 'A shop' }, confirmation: 'We confirm.', publicKey: pem, ...over }
  const text = JSON.stringify(content)
  return `${text.slice(0, -1)},"signature":"${sign(null, Buffer.from(text), privateKey).toString('base64')}"}`
}
