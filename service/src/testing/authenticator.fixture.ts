import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { Params, Result } from '@tessera/contract/operations'

type Assertion = Params<'dashboard.session.signInByPasskey'>['passkey']

/** A WebAuthn authenticator in software: one passkey, whose flags, counter and origin a test can set. */
export interface TestAuthenticator {
  readonly id: string
  counter: number
  origin: string
  rpId: string
  isUserVerified: boolean
  create(options: Result<'dashboard.passkeys.begin'>, name?: string): Params<'dashboard.passkeys.add'>
  get(request: Result<'dashboard.session.passkeyChallenge'>['passkey']): Assertion
}

export function makeTestAuthenticator({ isSynced = false }: { readonly isSynced?: boolean } = {}): TestAuthenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(16)
  const id = credentialId.toString('base64url')
  const authenticator: TestAuthenticator = {
    id,
    counter: 0,
    origin: 'http://localhost:8080',
    rpId: 'localhost',
    isUserVerified: true,
    create({ challenge }, name = 'My device') {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      // {1: 2, 3: -7, -1: 1, -2: x, -3: y}: an EC2 key for ES256 (RFC 9053 §7.1).
      const cose = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ])
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, credentialId.length]), credentialId, cose])
      const data = Buffer.concat([authenticatorData(flags.attested), attested])
      // {"fmt": "none", "attStmt": {}, "authData": …}
      const head = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex')
      const attestationObject = Buffer.concat([head, Buffer.from([data.length]), data]).toString('base64url')
      return { name, id, clientDataJSON: clientData('webauthn.create', challenge), attestationObject, transports: ['internal'] }
    },
    get({ challenge }) {
      if (!isSynced) authenticator.counter++
      const data = authenticatorData(0)
      const clientDataJSON = clientData('webauthn.get', challenge)
      const signed = Buffer.concat([data, createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()])
      const signature = sign('sha256', signed, privateKey).toString('base64url')
      return { id, clientDataJSON, authenticatorData: data.toString('base64url'), signature }
    },
  }
  return authenticator

  function authenticatorData(more: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(authenticator.counter)
    const set =
      flags.present | (authenticator.isUserVerified ? flags.verified : 0) | (isSynced ? flags.backupEligible | flags.backedUp : 0) | more
    return Buffer.concat([createHash('sha256').update(authenticator.rpId).digest(), Buffer.from([set]), counter])
  }

  function clientData(type: string, challenge: string): string {
    return Buffer.from(JSON.stringify({ type, challenge, origin: authenticator.origin, crossOrigin: false })).toString('base64url')
  }
}

/** WebAuthn §6.1. */
const flags = { present: 0x01, verified: 0x04, backupEligible: 0x08, backedUp: 0x10, attested: 0x40 }
