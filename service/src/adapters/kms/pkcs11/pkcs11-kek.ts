import { KekError, KekMissingError, KekUnavailableError, type Kek } from '@tessera/vault/kek'

import type { Clock } from '../../../clock.ts'
import { integerSetting, pathSetting, secretFileSetting, textSetting, type Adapter } from '../../adapter.ts'
import type { KekAdapterDependencies } from '../kek.ts'
import { otherKey, type TokenReply, type TokenRequest } from './messages.ts'
import { startTokenProcess, type TokenProcess } from './token-process.ts'

const settings = {
  module: pathSetting('The PKCS#11 module (a shared library) of the HSM’s maker, e.g. /usr/lib/softhsm/libsofthsm2.so.'),
  token: textSetting('The label of the token.'),
  key: textSetting('The label of the AES key in the token.', 'tessera-kek'),
  pinFile: secretFileSetting('The file whose only line is the PIN of the token’s user.'),
  timeoutMs: integerSetting('How long a call of the token may take. Its process is replaced afterwards.', {
    from: 100,
    to: 60_000,
    default: 5000,
  }),
}

/**
 * A key encryption key in a hardware security module (OASIS PKCS#11 v2.40). The key is generated in the token, cannot leave it, and encrypts there
 * (AES-256-GCM with associated data). Calls run in a process of their own.
 */
export const pkcs11Kek: Adapter<Promise<Kek>, KekAdapterDependencies, typeof settings> = {
  name: 'pkcs11',
  isForTestOnly: false,
  settings,
  create: ({ settings: { module, token, key, pinFile, timeoutMs }, clock, warn, mayCreate }) =>
    openPkcs11Kek({
      clock,
      warn,
      timeoutMs,
      opening: {
        kind: 'open',
        modulePath: module,
        names: { tokenLabel: token, keyLabel: key },
        pin: pinFile,
        mayGenerate: mayCreate,
      },
    }),
}

export interface Pkcs11KekOptions {
  readonly clock: Clock
  readonly warn: KekAdapterDependencies['warn']
  readonly opening: TokenOpening
  /** Milliseconds. */
  readonly timeoutMs: number
  /** The program of the token's process; a double in tests. */
  readonly program?: string
}

/**
 * Opens the token and finds its key, or generates it when `mayGenerate` is true. Throws `KekMissingError` when there is none, `KekError` when an operator
 * must fix something, `KekUnavailableError` when the token does not work.
 */
export async function openPkcs11Kek(options: Pkcs11KekOptions): Promise<Kek> {
  const connection = new TokenConnection(options)
  const id = `pkcs11-${await connection.open(options.opening)}`
  return Object.freeze<Kek>({
    id,
    kind: 'pkcs11',
    wrap: (key, associated) => connection.call({ kind: 'wrap', key, associated }),
    unwrap: (wrapped, associated) => connection.call({ kind: 'unwrap', wrapped, associated }),
    failure: () => connection.failure(),
    close: () => connection.close(),
  })
}

type TokenOpening = Omit<Extract<TokenRequest, { kind: 'open' }>, 'check'>

/** Keeps one process of the token, and starts another when a call finds that it ended. */
class TokenConnection {
  readonly #options: Pkcs11KekOptions
  #process: TokenProcess | null = null
  #keyId: string | null = null
  /** By which a key of another value is recognized, although it has the same id. */
  #check: Uint8Array | null = null
  #opening: Promise<TokenProcess> | null = null
  #restartedAtMs = -Infinity
  /** Why no other process is started. */
  #refusal: string | null = null
  #failure: string | null = null

  constructor(options: Pkcs11KekOptions) {
    this.#options = options
  }

  /** The id of the key. */
  async open(request: TokenOpening): Promise<string> {
    this.#process = await this.#start(request)
    return this.#keyId ?? ''
  }

  close(): void {
    this.#refusal = 'the service closed it'
    this.#process?.end()
  }

  /** Why the last call found the token away; null when it did not. */
  failure(): string | null {
    return this.#failure
  }

  async call(request: TokenRequest): Promise<Uint8Array> {
    try {
      const process = await this.#current()
      const reply = await process.call(request)
      this.#failure = null
      if (reply.kind !== 'bytes') throw toError(reply)
      const bytes = Uint8Array.from(reply.bytes)
      reply.bytes.fill(0)
      return bytes
    } catch (err) {
      if (err instanceof KekUnavailableError) this.#noteFailure(err)
      throw err
    }
  }

  #noteFailure(err: KekUnavailableError): void {
    if (this.#failure === null) this.#options.warn('kek_unavailable', { err })
    this.#failure = err.message
  }

  /** Concurrent calls start one process. */
  async #current(): Promise<TokenProcess> {
    if (this.#process !== null && !this.#process.hasEnded()) return this.#process
    this.#opening ??= this.#restart().finally(() => (this.#opening = null))
    return this.#opening
  }

  /**
   * Not more often than once in five seconds. Never again after a refusal, such as a wrong PIN: a token locks itself after a few. Another key refuses no PIN,
   * so it is looked whether the right one is back.
   */
  async #restart(): Promise<TokenProcess> {
    const { clock, opening } = this.#options
    const { monotonicMs } = clock.moment()
    if (this.#refusal !== null) throw new KekUnavailableError(`the token is not called again: ${this.#refusal}`)
    if (monotonicMs - this.#restartedAtMs < restartPauseMs) {
      throw new KekUnavailableError(`the token is not called again yet: ${this.#failure ?? 'its process ended'}`)
    }
    this.#restartedAtMs = monotonicMs
    try {
      const process = await this.#start({ ...opening, mayGenerate: false })
      if (this.#isClosed()) process.end()
      this.#process = process
      return process
    } catch (err) {
      throw this.#toRestartError(err)
    }
  }

  /** A token or a key that was there before is away: an HSM that restarts shows neither for a while, or another one. A refusal is final. */
  #toRestartError(err: unknown): KekUnavailableError {
    const { message } = err as Error
    const isAway =
      err instanceof KekUnavailableError || err instanceof KekMissingError || err instanceof TokenAway || err instanceof OtherKey
    if (!isAway) this.#refusal ??= message
    return new KekUnavailableError(message, { cause: err })
  }

  #isClosed(): boolean {
    return this.#refusal !== null
  }

  async #start(request: TokenOpening): Promise<TokenProcess> {
    const process = startTokenProcess(this.#options)
    try {
      const reply = await process.call({ ...request, check: this.#check })
      if (reply.kind !== 'opened') throw toError(reply)
      if (this.#keyId !== null && this.#keyId !== reply.keyId) throw new OtherKey(otherKey)
      this.#keyId = reply.keyId
      this.#check = reply.check
      return process
    } catch (err) {
      process.end()
      throw err
    }
  }
}

/** No slot has the token. */
class TokenAway extends KekError {}

/** The token was exchanged for one whose key has the same label. */
class OtherKey extends KekError {}

function toError(reply: TokenReply): KekError {
  if (reply.kind === 'missing') return new KekMissingError(`${reply.message}: "tessera keys init" generates it`)
  if (reply.kind === 'absent') return new TokenAway(reply.message)
  if (reply.kind === 'other') return new OtherKey(reply.message)
  if (reply.kind === 'refused') return new KekError(reply.message)
  return new KekError('the process of the token sent a reply of another kind')
}

const restartPauseMs = 5000
