import { randomBytes } from 'node:crypto'

import { addressOf, encodeULong, pointerBytes, Pkcs11Error, type Pkcs11Module } from './module.ts'

// Runs in the process of the token only (process.ts).

/** Where the key is: the token by its label, the key by its own (CKA_LABEL). */
export interface TokenKeyNames {
  readonly tokenLabel: string
  readonly keyLabel: string
}

/** A session with the token, logged in as its user, and the handle of the AES key in it. */
export interface TokenKey {
  /** The key's CKA_ID, hexadecimal: a key restored from a backup into another token keeps it. */
  readonly id: string
  /** Encrypts in the token: nonce(12) ciphertext tag(16), AES-256-GCM. */
  encrypt(plain: Uint8Array, associated: Uint8Array): Uint8Array
  /** Throws `Pkcs11Error` when anything differs from what was encrypted. */
  decrypt(sealed: Uint8Array, associated: Uint8Array): Uint8Array
  /** Encrypts and decrypts a sample. Throws `Pkcs11Error` when the token does not work. */
  checkItWorks(): void
}

/** The token or the key cannot be used as it is; the message says what to do. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
}

/** The token is not in any slot: it was never there, or the HSM is being restarted. */
export class TokenAbsentError extends Error {
  override readonly name = 'TokenAbsentError'
}

/** There is no key with the label in the token. */
export class TokenKeyMissingError extends Error {
  override readonly name = 'TokenKeyMissingError'
}

/** Logs in and finds the key. Throws `TokenKeyMissingError` when there is none, `TokenAbsentError` without the token, `TokenError` for all else that an operator must fix. */
export function openTokenKey(module: Pkcs11Module, names: TokenKeyNames, pin: string): TokenKey {
  const token = findToken(module, names.tokenLabel)
  const session = openSession(module, token.slot)
  logIn(module, session, token, pin)
  const key = findKey(module, session, names)
  checkAttributes(module, session, key, names.keyLabel)
  const id = readAttribute(module, session, key, attribute.id).toString('hex')
  if (id === '') throw new TokenError(`the key ${names.keyLabel} has no CKA_ID, by which it is known again`)
  return Object.freeze<TokenKey>({
    id,
    encrypt: (plain, associated) => encrypt(module, session, key, plain, associated),
    decrypt: (sealed, associated) => decrypt(module, session, key, sealed, associated),
    checkItWorks: () => void decrypt(module, session, key, encrypt(module, session, key, sample, sample), sample),
  })
}

/**
 * Generates the key in the token: 256-bit AES, sensitive and not extractable, usable for encryption and decryption only. Throws `TokenError` when a key
 * with the label exists.
 */
export function generateTokenKey(module: Pkcs11Module, names: TokenKeyNames, pin: string): void {
  const token = findToken(module, names.tokenLabel)
  const session = openSession(module, token.slot)
  logIn(module, session, token, pin)
  if (findKeys(module, session, names.keyLabel).length > 0) {
    throw new TokenError(`the token ${names.tokenLabel} has a key ${names.keyLabel} already; it was not replaced`)
  }
  const attributes: (readonly [number, Uint8Array])[] = [
    [attribute.class, encodeULong(secretKeyClass)],
    [attribute.keyType, encodeULong(aesKeyType)],
    [attribute.valueLength, encodeULong(keyBytes)],
    [attribute.label, Buffer.from(names.keyLabel)],
    [attribute.id, randomBytes(idBytes)],
    ...requiredAttributes.map(([type, , value]) => [type, encodeBoolean(value)] as const),
    [attribute.token, encodeBoolean(true)],
    [attribute.private, encodeBoolean(true)],
    [attribute.wrap, encodeBoolean(false)],
    [attribute.unwrap, encodeBoolean(false)],
  ]
  const mechanism = encodeBlock([], () => [mechanisms.aesKeyGeneration, 0, 0])
  module.call('C_GenerateKey', session, mechanism, encodeAttributes(attributes), attributes.length, encodeULong(0))
  module.call('C_CloseSession', session)
}

// The token and its session.

interface Token {
  readonly slot: bigint
  readonly label: string
  /** CKF_ bits of CK_TOKEN_INFO. */
  readonly flags: number
}

function findToken(module: Pkcs11Module, label: string): Token {
  const count = encodeULong(0)
  module.call('C_GetSlotList', 1, null, count)
  const slots = Buffer.allocUnsafeSlow(Number(count.readBigUInt64LE()) * pointerBytes)
  module.call('C_GetSlotList', 1, slots.length === 0 ? null : slots, count)
  const tokens = Array.from({ length: Number(count.readBigUInt64LE()) }, (_, i) =>
    readToken(module, slots.readBigUInt64LE(i * pointerBytes)),
  ).filter((token) => token !== null)
  const [token, ...others] = tokens.filter((each) => each.label === label)
  const labels = tokens.map((each) => each.label || '(no label)').join(', ')
  if (token === undefined) throw new TokenAbsentError(`there is no token ${label}; the module has ${labels === '' ? 'none' : labels}`)
  if (others.length > 0) throw new TokenError(`${others.length + 1} tokens have the label ${label}: give each its own`)
  return token
}

/**
 * CK_TOKEN_INFO: label(32) manufacturer(32) model(16) serialNumber(16), padded with blanks, flags(8), and numbers that are not read. Null for a slot
 * without information, such as a partition that is not initialized: the token may be in another.
 */
function readToken(module: Pkcs11Module, slot: bigint): Token | null {
  const info = Buffer.alloc(tokenInfoBytes)
  try {
    module.call('C_GetTokenInfo', slot, info)
  } catch (err) {
    if (err instanceof Pkcs11Error) return null
    throw err
  }
  return { slot, label: info.toString('utf8', 0, 32).trim(), flags: Number(info.readBigUInt64LE(96)) }
}

function openSession(module: Pkcs11Module, slot: bigint): bigint {
  const session = encodeULong(0)
  module.call('C_OpenSession', slot, serialSession | readWriteSession, null, null, session)
  return session.readBigUInt64LE()
}

/** Not when one more wrong PIN would lock the token: several services and commands may each have tried one. */
function logIn(module: Pkcs11Module, session: bigint, { label, flags }: Token, pin: string): void {
  if ((flags & pinLocked) !== 0) throw new TokenError(`the token ${label} refused the PIN: ${loginAdvice[0xa4] ?? ''}`)
  if ((flags & pinFinalTry) !== 0) {
    throw new TokenError(`the token ${label} locks itself at one more wrong PIN: log in once with the tool of its maker, then start again`)
  }
  const bytes = Buffer.from(pin)
  try {
    module.call('C_Login', session, userType, bytes, bytes.length)
  } catch (err) {
    if (!(err instanceof Pkcs11Error) || !(err.code in loginAdvice)) throw err
    if (err.code === alreadyLoggedIn) return
    throw new TokenError(`the token ${label} refused the PIN: ${loginAdvice[err.code] ?? ''}`)
  } finally {
    bytes.fill(0)
  }
}

// The key.

function findKey(module: Pkcs11Module, session: bigint, { tokenLabel, keyLabel }: TokenKeyNames): bigint {
  const [key, ...others] = findKeys(module, session, keyLabel)
  if (key === undefined) throw new TokenKeyMissingError(`the token ${tokenLabel} has no AES key ${keyLabel}`)
  if (others.length > 0)
    throw new TokenError(`the token ${tokenLabel} has ${others.length + 1} keys ${keyLabel}: give them labels of their own`)
  return key
}

function findKeys(module: Pkcs11Module, session: bigint, label: string): bigint[] {
  const template = encodeAttributes([
    [attribute.class, encodeULong(secretKeyClass)],
    [attribute.keyType, encodeULong(aesKeyType)],
    [attribute.token, encodeBoolean(true)],
    [attribute.label, Buffer.from(label)],
  ])
  module.call('C_FindObjectsInit', session, template, 4)
  try {
    const found = Buffer.alloc(findMax * pointerBytes)
    const count = encodeULong(0)
    module.call('C_FindObjects', session, found, findMax, count)
    return Array.from({ length: Number(count.readBigUInt64LE()) }, (_, i) => found.readBigUInt64LE(i * pointerBytes))
  } finally {
    module.call('C_FindObjectsFinal', session)
  }
}

/** A key that could leave the token, or that was outside it once, is refused (PCI DSS 3.6.1.2, 3.7.1). */
function checkAttributes(module: Pkcs11Module, session: bigint, key: bigint, label: string): void {
  const bits = Number(readAttribute(module, session, key, attribute.valueLength).readBigUInt64LE()) * 8
  if (bits !== keyBytes * 8) throw new TokenError(`the key ${label} has ${bits} bits; ${keyBytes * 8} are needed`)
  const isAsRequired = ([type, , value]: RequiredAttribute): boolean => (readAttribute(module, session, key, type)[0] === 1) === value
  const wrong = [...requiredAttributes, ...historyAttributes].filter((required) => !isAsRequired(required))
  if (wrong.length === 0) return
  const texts = wrong.map(([, name, value]) => `${name} must be ${value ? 'true' : 'false'}`)
  throw new TokenError(`the key ${label} is refused (${texts.join(', ')}): let "tessera keys init" generate one in the token`)
}

function readAttribute(module: Pkcs11Module, session: bigint, key: bigint, type: number): Buffer {
  const template = encodeAttributes([[type, Buffer.alloc(attributeMaxBytes)]])
  module.call('C_GetAttributeValue', session, key, template, 1)
  const length = Number(template.readBigUInt64LE(2 * pointerBytes))
  return template.subarray(attributeBytes, attributeBytes + length)
}

// Encryption.

function encrypt(module: Pkcs11Module, session: bigint, key: bigint, plain: Uint8Array, associated: Uint8Array): Uint8Array {
  const input = Buffer.from(plain)
  const nonce = randomBytes(nonceBytes)
  const output = Buffer.alloc(input.length + tagBytes)
  const length = encodeULong(output.length)
  const mechanism = encodeGcm(nonce, associated)
  try {
    module.call('C_EncryptInit', session, mechanism, key)
    module.call('C_Encrypt', session, input, input.length, output, length)
  } finally {
    input.fill(0)
  }
  return Uint8Array.from(Buffer.concat([nonce, output.subarray(0, Number(length.readBigUInt64LE()))]))
}

function decrypt(module: Pkcs11Module, session: bigint, key: bigint, sealed: Uint8Array, associated: Uint8Array): Uint8Array {
  const nonce = Buffer.from(sealed.subarray(0, nonceBytes))
  const input = Buffer.from(sealed.subarray(nonceBytes))
  const output = Buffer.alloc(input.length)
  const length = encodeULong(output.length)
  const mechanism = encodeGcm(nonce, associated)
  try {
    module.call('C_DecryptInit', session, mechanism, key)
    module.call('C_Decrypt', session, input, input.length, output, length)
    return Uint8Array.from(output.subarray(0, Number(length.readBigUInt64LE())))
  } finally {
    output.fill(0)
  }
}

// Structures. What a structure points to is in the same block of memory, so it lives exactly as long as the structure.

/** CK_MECHANISM (mechanism, pParameter, ulParameterLen) with CK_GCM_PARAMS (pIv, ulIvLen, ulIvBits, pAAD, ulAADLen, ulTagBits). */
function encodeGcm(nonce: Uint8Array, associated: Uint8Array): Buffer {
  return encodeBlock([nonce, associated], (start, [iv = 0n, data = 0n]) => {
    const parameter = [iv, nonce.length, nonce.length * 8, data, associated.length, tagBytes * 8]
    return [mechanisms.aesGcm, start + BigInt(mechanismBytes), parameter.length * pointerBytes].concat(parameter)
  })
}

/** An array of CK_ATTRIBUTE: type, pValue, ulValueLen. */
function encodeAttributes(attributes: readonly (readonly [type: number, value: Uint8Array])[]): Buffer {
  return encodeBlock(
    attributes.map(([, value]) => value),
    (_, addresses) => attributes.flatMap(([type, value], i) => [type, addresses[i] ?? 0n, value.length]),
  )
}

/** One block: words of CK_ULONG, which may be addresses in the block, and behind them the contents. `wordsOf` is called twice, for their number first. */
function encodeBlock(
  contents: readonly Uint8Array[],
  wordsOf: (start: bigint, addresses: readonly bigint[]) => readonly (number | bigint)[],
): Buffer {
  const wordsBytes = wordsOf(0n, []).length * pointerBytes
  const block = Buffer.allocUnsafeSlow(wordsBytes + contents.reduce((sum, content) => sum + content.length, 0))
  const start = addressOf(block)
  const addresses: bigint[] = []
  let at = wordsBytes
  for (const content of contents) {
    block.set(content, at)
    addresses.push(start + BigInt(at))
    at += content.length
  }
  wordsOf(start, addresses).forEach((word, i) => block.writeBigUInt64LE(BigInt(word), i * pointerBytes))
  return block
}

function encodeBoolean(value: boolean): Buffer {
  return Buffer.of(value ? 1 : 0)
}

// Constants of pkcs11t.h.

const attribute = {
  class: 0x0,
  token: 0x1,
  private: 0x2,
  label: 0x3,
  keyType: 0x100,
  id: 0x102,
  sensitive: 0x103,
  encrypt: 0x104,
  decrypt: 0x105,
  wrap: 0x106,
  unwrap: 0x107,
  valueLength: 0x161,
  extractable: 0x162,
  neverExtractable: 0x164,
  alwaysSensitive: 0x165,
} as const

type RequiredAttribute = readonly [type: number, name: string, value: boolean]

const requiredAttributes: readonly RequiredAttribute[] = [
  [attribute.sensitive, 'CKA_SENSITIVE', true],
  [attribute.extractable, 'CKA_EXTRACTABLE', false],
  [attribute.encrypt, 'CKA_ENCRYPT', true],
  [attribute.decrypt, 'CKA_DECRYPT', true],
]

/** Set by the token itself; false for a key that was imported. */
const historyAttributes: readonly RequiredAttribute[] = [
  [attribute.neverExtractable, 'CKA_NEVER_EXTRACTABLE', true],
  [attribute.alwaysSensitive, 'CKA_ALWAYS_SENSITIVE', true],
]

const mechanisms = { aesKeyGeneration: 0x1080, aesGcm: 0x1087 } as const
const secretKeyClass = 4
const aesKeyType = 0x1f
const userType = 1
const readWriteSession = 2
const serialSession = 4

/** CKF_USER_PIN_FINAL_TRY and CKF_USER_PIN_LOCKED. */
const pinFinalTry = 0x20000
const pinLocked = 0x40000

const alreadyLoggedIn = 0x100
const loginAdvice: Readonly<Record<number, string>> = {
  [alreadyLoggedIn]: '',
  0xa0: 'it is wrong. Do not try again before it is corrected: the token locks itself after a few wrong ones',
  0xa2: 'its length is wrong',
  0xa3: 'it has expired; set a new one with the tool of the HSM',
  0xa4: 'it is locked; unlock it with the security officer’s PIN',
  0x102: 'it was never set; set it with the tool of the HSM',
}

const sample = new Uint8Array(16)
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const idBytes = 8
const findMax = 16
/** CK_MECHANISM and CK_ATTRIBUTE: three words each. */
const mechanismBytes = 3 * pointerBytes
const attributeBytes = 3 * pointerBytes
const attributeMaxBytes = 256
/** CK_TOKEN_INFO has 208 bytes on 64-bit systems. */
const tokenInfoBytes = 256
