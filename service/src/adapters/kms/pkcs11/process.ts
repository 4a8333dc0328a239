import { loadModule, Pkcs11Error, saysUnavailable, type Pkcs11Module } from './module.ts'
import { otherKey, type TokenCall, type TokenRefusal, type TokenReply, type TokenRequest } from './messages.ts'
import { generateTokenKey, openTokenKey, TokenAbsentError, TokenError, TokenKeyMissingError, type TokenKey } from './token.ts'

// The process of the token, started by token-process.ts: a module that blocks or crashes stops this process and not the service.

let token: TokenKey | null = null

function answer({ id, request }: TokenCall): TokenReply {
  try {
    if (request.kind === 'open') return open(id, request)
    if (token === null) return { id, kind: 'unavailable', message: 'the token is not open' }
    if (request.kind === 'wrap') return { id, kind: 'bytes', bytes: wrap(token, request.key, request.associated) }
    return unwrap(id, token, request.wrapped, request.associated)
  } catch (err) {
    return refuse(id, err)
  }
}

function open(id: number, { modulePath, names, pin, mayGenerate, check }: Extract<TokenRequest, { kind: 'open' }>): TokenReply {
  const module = load(modulePath)
  try {
    token = openTokenKey(module, names, pin)
  } catch (err) {
    if (!mayGenerate || !(err instanceof TokenKeyMissingError)) throw err
    generateTokenKey(module, names, pin)
    token = openTokenKey(module, names, pin)
  }
  if (check === null) return { id, kind: 'opened', keyId: token.id, check: token.encrypt(sample, sample) }
  const checked = unwrap(id, token, check, sample)
  if (checked.kind === 'bytes') return { id, kind: 'opened', keyId: token.id, check }
  token = null
  return { id, kind: 'other', message: otherKey }
}

function load(modulePath: string): Pkcs11Module {
  try {
    return loadModule(modulePath)
  } catch (err) {
    if (err instanceof Pkcs11Error) throw err
    throw new TokenError(`the PKCS#11 module ${modulePath} cannot be loaded (${(err as Error).message})`)
  }
}

function wrap(opened: TokenKey, key: Uint8Array, associated: Uint8Array): Uint8Array {
  try {
    return opened.encrypt(key, associated)
  } finally {
    key.fill(0)
  }
}

/** Modules report a wrong tag by different codes, some by CKR_GENERAL_ERROR: the key was altered when the token still works afterwards. */
function unwrap(id: number, opened: TokenKey, wrapped: Uint8Array, associated: Uint8Array): TokenReply {
  try {
    return { id, kind: 'bytes', bytes: opened.decrypt(wrapped, associated) }
  } catch (err) {
    if (err instanceof Pkcs11Error && saysUnavailable(err)) throw err
    opened.checkItWorks()
    return { id, kind: 'refused', message: `the token does not unwrap this key (${(err as Error).message})` }
  }
}

function refuse(id: number, err: unknown): TokenRefusal {
  const message = (err as Error).message
  if (err instanceof TokenKeyMissingError) return { id, kind: 'missing', message }
  if (err instanceof TokenAbsentError) return { id, kind: 'absent', message }
  return { id, kind: err instanceof TokenError ? 'refused' : 'unavailable', message }
}

const sample = new Uint8Array(16)

process.on('message', (call) => {
  const reply = answer(call as TokenCall)
  process.send?.(reply, () => {
    if ('bytes' in reply) reply.bytes.fill(0)
  })
})
// It ends with the service, and not before it: a terminal's Ctrl-C and a service manager signal every process.
process.on('disconnect', () => process.exit())
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
