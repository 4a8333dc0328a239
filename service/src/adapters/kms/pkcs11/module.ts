import koffi, { type TypeObject } from 'koffi'

// Runs in the process of the token only (process.ts): a call into the module blocks, and a faulty module crashes, that process alone.

/**
 * The functions of a PKCS#11 module (OASIS PKCS#11 v2.40 §4), called by their place in CK_FUNCTION_LIST: `C_GetFunctionList` is the only symbol that a
 * module must export. Each throws `Pkcs11Error` unless the module returns CKR_OK.
 */
export interface Pkcs11Module {
  call(name: Pkcs11Function, ...args: readonly Pkcs11Argument[]): void
}

/** CK_ULONG by value, a buffer by address, or a null pointer. */
export type Pkcs11Argument = number | bigint | Buffer | null

export type Pkcs11Function = keyof typeof functions

/** A return value other than CKR_OK. */
export class Pkcs11Error extends Error {
  override readonly name = 'Pkcs11Error'
  readonly code: number

  constructor(functionName: string, code: number) {
    super(`${functionName} returned ${resultNames[code] ?? `CKR 0x${code.toString(16)}`}`)
    this.code = code
  }
}

/**
 * Whether a result says that the token does not work now, and nothing about what was passed in: CKR_HOST_MEMORY, CKR_DEVICE_*, CKR_SESSION_*,
 * CKR_TOKEN_* and CKR_USER_NOT_LOGGED_IN.
 */
export function saysUnavailable({ code }: Pkcs11Error): boolean {
  return (
    code === 0x2 || (code >= 0x30 && code <= 0x32) || (code >= 0xb0 && code <= 0xb8) || (code >= 0xe0 && code <= 0xe2) || code === 0x101
  )
}

/** Loads a module and initializes it. Throws when the file is not a PKCS#11 module. */
export function loadModule(path: string): Pkcs11Module {
  const getFunctionList = koffi.load(path).func('unsigned long C_GetFunctionList(_Out_ void **list)')
  const list: [unknown] = [null]
  const code = Number(getFunctionList(list))
  if (code !== 0) throw new Pkcs11Error('C_GetFunctionList', code)
  const module: Pkcs11Module = {
    call(name, ...args) {
      const { index, prototype } = functions[name]
      const pointer: unknown = koffi.decode(list[0], firstFunctionOffset + index * pointerBytes, 'void *')
      const result = Number(koffi.call(pointer, prototype, ...args))
      if (result !== 0) throw new Pkcs11Error(name, result)
    },
  }
  module.call('C_Initialize', null)
  return module
}

/** Bytes of CK_ULONG and of a pointer on the supported systems (64-bit Unix). */
export const pointerBytes = 8

/** CK_ULONG little-endian, as on every supported processor. */
export function encodeULong(value: number | bigint): Buffer {
  const bytes = Buffer.allocUnsafeSlow(pointerBytes)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

/** The address of a buffer's memory, for pointers within that same buffer. */
export function addressOf(buffer: Buffer): bigint {
  return koffi.address(buffer)
}

/** CK_VERSION is two bytes; the first pointer is aligned. */
const firstFunctionOffset = pointerBytes

const ulong = 'unsigned long'
const pointer = 'void *'

/** The place in CK_FUNCTION_LIST (pkcs11f.h) and the C prototype of each function that is used. */
const functions = {
  C_Initialize: define(0, pointer),
  C_GetSlotList: define(4, 'unsigned char', pointer, pointer),
  C_GetTokenInfo: define(6, ulong, pointer),
  C_OpenSession: define(12, ulong, ulong, pointer, pointer, pointer),
  C_CloseSession: define(13, ulong),
  C_Login: define(18, ulong, ulong, pointer, ulong),
  C_GetAttributeValue: define(24, ulong, ulong, pointer, ulong),
  C_FindObjectsInit: define(26, ulong, pointer, ulong),
  C_FindObjects: define(27, ulong, pointer, ulong, pointer),
  C_FindObjectsFinal: define(28, ulong),
  C_EncryptInit: define(29, ulong, pointer, ulong),
  C_Encrypt: define(30, ulong, pointer, ulong, pointer, pointer),
  C_DecryptInit: define(33, ulong, pointer, ulong),
  C_Decrypt: define(34, ulong, pointer, ulong, pointer, pointer),
  C_GenerateKey: define(58, ulong, pointer, pointer, ulong, pointer),
} as const

function define(index: number, ...parameters: readonly string[]): { index: number; prototype: TypeObject } {
  return { index, prototype: koffi.proto(ulong, [...parameters]) }
}

/** The names of the results that an operator may meet (pkcs11t.h). */
const resultNames: Readonly<Record<number, string>> = {
  0x5: 'CKR_GENERAL_ERROR',
  0x6: 'CKR_FUNCTION_FAILED',
  0x30: 'CKR_DEVICE_ERROR',
  0x31: 'CKR_DEVICE_MEMORY',
  0x32: 'CKR_DEVICE_REMOVED',
  0x40: 'CKR_ENCRYPTED_DATA_INVALID',
  0x41: 'CKR_ENCRYPTED_DATA_LEN_RANGE',
  0x68: 'CKR_KEY_FUNCTION_NOT_PERMITTED',
  0x70: 'CKR_MECHANISM_INVALID',
  0x71: 'CKR_MECHANISM_PARAM_INVALID',
  0xa0: 'CKR_PIN_INCORRECT',
  0xa3: 'CKR_PIN_EXPIRED',
  0xa4: 'CKR_PIN_LOCKED',
  0xb3: 'CKR_SESSION_HANDLE_INVALID',
  0xe0: 'CKR_TOKEN_NOT_PRESENT',
  0xe1: 'CKR_TOKEN_NOT_RECOGNIZED',
  0x101: 'CKR_USER_NOT_LOGGED_IN',
  0x102: 'CKR_USER_PIN_NOT_INITIALIZED',
}
