import type { Params, Result } from '@tessera/contract/operations'

import { DashboardCallError } from './api.ts'

type PasskeyRequest = Result<'dashboard.session.passkeyChallenge'>['passkey']
type PasskeyAssertion = Params<'dashboard.session.signInByPasskey'>['passkey']
type NewPasskey = Omit<Params<'dashboard.passkeys.add'>, 'name'>

/** Whether the browser has passkeys: only on https and on localhost. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function'
}

/** Asks the user for a passkey (WebAuthn). Throws `DashboardCallError` with reason `passkey_cancelled` when none was given. */
export async function getPasskey({ challenge, rpId, credentialIds }: PasskeyRequest): Promise<PasskeyAssertion> {
  const allowCredentials = credentialIds.map((id) => ({ type: 'public-key' as const, id: decode(id) }))
  const publicKey = { challenge: decode(challenge), rpId, allowCredentials, userVerification: 'required' as const, timeout: timeoutMs }
  const credential = await orCancelled(navigator.credentials.get({ publicKey }))
  const { clientDataJSON, authenticatorData, signature } = credential.response as AuthenticatorAssertionResponse
  return {
    id: encode(credential.rawId),
    clientDataJSON: encode(clientDataJSON),
    authenticatorData: encode(authenticatorData),
    signature: encode(signature),
  }
}

/** Creates a passkey that can sign in without a phone number. Throws as `getPasskey`, and `passkey_exists`. */
export async function createPasskey(options: Result<'dashboard.passkeys.begin'>): Promise<NewPasskey> {
  const { challenge, rpId, userHandle, userName, algorithms, registeredIds } = options
  const publicKey: PublicKeyCredentialCreationOptions = {
    challenge: decode(challenge),
    rp: { id: rpId, name: 'Tessera' },
    user: { id: decode(userHandle), name: userName, displayName: userName },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: registeredIds.map((id) => ({ type: 'public-key', id: decode(id) })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    timeout: timeoutMs,
  }
  const credential = await orCancelled(navigator.credentials.create({ publicKey }))
  const response = credential.response as AuthenticatorAttestationResponse
  return {
    id: encode(credential.rawId),
    clientDataJSON: encode(response.clientDataJSON),
    attestationObject: encode(response.attestationObject),
    transports: response.getTransports().slice(0, 8),
  }
}

async function orCancelled(request: Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await request
    if (credential instanceof PublicKeyCredential) return credential
  } catch (err) {
    if (err instanceof DOMException && err.name === 'InvalidStateError') throw localError('passkey_known')
  }
  throw localError('passkey_cancelled')
}

function localError(reason: string): DashboardCallError {
  return new DashboardCallError({ code: 0, message: '', reason })
}

function encode(bytes: ArrayBuffer): string {
  const text = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function decode(base64url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
}

/** As long as the service accepts the challenge. */
const timeoutMs = 5 * 60_000
