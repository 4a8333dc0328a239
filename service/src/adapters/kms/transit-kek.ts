import { KekError, KekMissingError, KekUnavailableError, type Kek } from '@tessera/vault/kek'

import { AdapterConfigError, httpsUrlSetting, pathSetting, readSecretFile, textSetting, type Adapter } from '../adapter.ts'
import type { KekAdapterDependencies } from './kek.ts'

const settings = {
  url: httpsUrlSetting('The address of HashiCorp Vault or OpenBao, without a path.'),
  mount: textSetting('The path at which the transit engine is mounted.', 'transit'),
  key: textSetting('The name of the transit key (type aes256-gcm96).', 'tessera-kek'),
  tokenFile: pathSetting('The file whose only line is the token. It is read again when the token is refused, so an agent may replace it.'),
}

/**
 * A key encryption key in the transit engine of HashiCorp Vault or OpenBao (HTTP API, `/v1/<mount>/encrypt|decrypt/<key>`), which encrypts with
 * AES-256-GCM and associated data. The key does not leave the engine.
 */
export const transitKek: Adapter<Promise<Kek>, KekAdapterDependencies, typeof settings> = {
  name: 'transit',
  isForTestOnly: false,
  settings,
  checkSettings({ url, mount, key, tokenFile }) {
    const fault = findNameFault(mount, key)
    if (fault !== null) throw new AdapterConfigError(fault)
    if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
      throw new AdapterConfigError('the address of the transit engine has more than scheme, host and port.')
    readSecretFile(tokenFile)
  },
  create: ({ settings: values, http, clock, warn, mayCreate }) => openTransitKek({ ...values, http, clock, warn, mayCreate }),
}

export interface TransitKekOptions extends Pick<KekAdapterDependencies, 'http' | 'clock' | 'warn' | 'mayCreate'> {
  readonly url: URL
  readonly mount: string
  readonly key: string
  readonly tokenFile: string
}

/**
 * Finds the key, or creates it when `mayCreate` is true, and renews the token at half of its lifetime until it is closed. Throws `KekMissingError` when
 * there is no key, `KekError` when an operator must fix something, `KekUnavailableError` when the engine does not answer.
 */
export async function openTransitKek(options: TransitKekOptions): Promise<Kek> {
  const { mount, key, mayCreate } = options
  const fault = findNameFault(mount, key)
  if (fault !== null) throw new KekError(fault)
  const engine = new TransitEngine(options)
  const token = startRenewal(engine, options)
  try {
    await token.firstRenewal
    await requireKey(engine, options, mayCreate)
  } catch (err) {
    token.stop()
    throw err
  }
  return Object.freeze<Kek>({
    id: `transit-${mount}-${key}`,
    kind: 'transit',
    wrap: async (plain, associated) => {
      const body = { plaintext: toBase64(plain), associated_data: toBase64(associated) }
      return decodeCiphertext(requireText(await engine.post(`${mount}/encrypt/${key}`, body), 'ciphertext'))
    },
    unwrap: async (wrapped, associated) => {
      const body = { ciphertext: encodeCiphertext(wrapped), associated_data: toBase64(associated) }
      return Uint8Array.from(Buffer.from(requireText(await engine.post(`${mount}/decrypt/${key}`, body), 'plaintext'), 'base64'))
    },
    versionOf: (wrapped) => Buffer.from(wrapped.subarray(0, 4)).readUInt32BE(0),
    failure: () => engine.failure(),
    close: token.stop,
  })
}

function findNameFault(...names: readonly string[]): string | null {
  const wrong = names.find((name) => !nameShape.test(name))
  return wrong === undefined ? null : `"${wrong.slice(0, 64)}" is not a name of the transit engine: letters, digits, _ and - only`
}

/**
 * The key is looked for with a decryption that always fails, so that a token needs no right but `update` on encrypt and decrypt: with it an encryption
 * under a wrong name creates no key either.
 */
async function requireKey(engine: TransitEngine, { mount, key }: TransitKekOptions, mayCreate: boolean): Promise<void> {
  const probe = await engine.post(`${mount}/decrypt/${key}`, { ciphertext: `vault:v1:${toBase64(new Uint8Array(28))}` }, readProbeRefusal)
  if (typeof probe !== 'string' || !probe.includes('key not found')) return
  if (!mayCreate) throw new KekMissingError(`the transit engine ${mount} has no key ${key}: "tessera keys init" creates it`)
  await engine.post(`${mount}/keys/${key}`, { type: 'aes256-gcm96', exportable: false, allow_plaintext_backup: false })
}

/** The `data` or `auth` of a reply. */
type Reply = Readonly<Record<string, unknown>>

/** Calls with the token of the file. */
class TransitEngine {
  readonly #options: TransitKekOptions
  #token: string
  #failure: string | null = null

  constructor(options: TransitKekOptions) {
    this.#options = options
    this.#token = readSecretFile(options.tokenFile)
  }

  /** Why the last call found the engine away; null when it did not. */
  failure(): string | null {
    return this.#failure
  }

  post(path: string, body: object): Promise<Reply>
  post<T>(path: string, body: object, onRefused: (refusal: Refusal) => T): Promise<Reply | T>
  async post<T>(path: string, body: object, onRefused: (refusal: Refusal) => T = refuse): Promise<Reply | T> {
    try {
      const { status, reply } = await this.#sendWithFreshToken(path, body)
      this.#failure = null
      return status < 300 ? reply : onRefused({ path, status, errors: listErrors(reply) })
    } catch (err) {
      if (err instanceof KekUnavailableError) {
        if (this.#failure === null) this.#options.warn('kek_unavailable', { err })
        this.#failure = err.message
      }
      throw err
    }
  }

  /** A token that is refused is read again, once. */
  async #sendWithFreshToken(path: string, body: object): Promise<{ status: number; reply: Reply }> {
    const first = await this.#send(path, body)
    if (first.status !== 403) return first
    const token = this.#readToken()
    if (token === this.#token) return first
    this.#token = token
    return this.#send(path, body)
  }

  #readToken(): string {
    try {
      return readSecretFile(this.#options.tokenFile)
    } catch (err) {
      throw new KekUnavailableError((err as Error).message, { cause: err })
    }
  }

  async #send(path: string, body: object): Promise<{ status: number; reply: Reply }> {
    const { http, url } = this.#options
    const headers = { 'x-vault-token': this.#token, 'x-vault-request': 'true' }
    const result = await http({ url: new URL(`/v1/${path}`, url), headers, body: JSON.stringify(body) }, neverAborted)
    if (result.outcome !== 'responded')
      throw new KekUnavailableError(`the transit engine at ${url.host} is ${outcomeTexts[result.outcome]}`)
    return { status: result.status, reply: readReply(result.body) }
  }
}

/** Renews the token at half of its lifetime. A token that cannot or may not be renewed (one that an agent replaces, say) is left as it is. */
function startRenewal(engine: TransitEngine, { clock, warn }: TransitKekOptions): { firstRenewal: Promise<void>; stop: () => void } {
  const stopping = new AbortController()
  const firstRenewal = renew().then((seconds) => {
    if (seconds !== null) repeat(seconds).catch(() => undefined)
  })
  return { firstRenewal, stop: () => stopping.abort(new Error('the KEK was closed')) }

  /** The token's lifetime in seconds; null when it cannot be renewed. */
  async function renew(): Promise<number | null> {
    const reply = await engine.post('auth/token/renew-self', {}, (refusal) => (refusal.status < 404 ? null : refuse(refusal)))
    const seconds = reply?.['lease_duration']
    return typeof seconds === 'number' && seconds > 0 && reply?.['renewable'] === true ? seconds : null
  }

  /** Ends when the KEK is closed, which rejects the sleep. */
  async function repeat(seconds: number): Promise<never> {
    let left = seconds
    for (;;) {
      await clock.sleep(Math.min(Math.max(left * 500, renewalPauseMinMs), renewalPauseMaxMs), stopping.signal)
      const renewed = await renew().catch((err: unknown) => {
        warn('kek_token_not_renewed', { err })
        return null
      })
      left = renewed ?? 0
    }
  }
}

// The bytes of the wire. A ciphertext is `vault:v<version of the key>:<base64>`; it is stored as version(4, big-endian) and the decoded bytes, so that
// one wrapped key has one form.

function decodeCiphertext(text: string): Uint8Array {
  const [, version, base64] = /^vault:v(\d{1,9}):([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  if (version === undefined || base64 === undefined) throw new KekError('the transit engine returned a ciphertext of another form')
  const head = Buffer.alloc(4)
  head.writeUInt32BE(Number(version))
  return Uint8Array.from(Buffer.concat([head, Buffer.from(base64, 'base64')]))
}

function encodeCiphertext(wrapped: Uint8Array): string {
  const bytes = Buffer.from(wrapped)
  if (bytes.length < wrappedBytesMin) throw new KekError('this is not a key wrapped by the transit engine')
  return `vault:v${String(bytes.readUInt32BE())}:${toBase64(bytes.subarray(4))}`
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function readReply(body: Uint8Array | null): Reply {
  try {
    const parsed = JSON.parse(Buffer.from(body ?? []).toString('utf8') || '{}') as Readonly<Record<string, unknown>>
    const { data, auth, errors } = parsed
    return (data ?? auth ?? { errors }) as Reply
  } catch {
    throw new KekUnavailableError('the transit engine answered with something that is not JSON')
  }
}

function requireText(reply: Reply, name: string): string {
  const value = reply[name]
  if (typeof value !== 'string') throw new KekUnavailableError(`the reply of the transit engine has no ${name}`)
  return value
}

function listErrors({ errors }: Reply): string {
  return Array.isArray(errors) ? errors.join(', ').slice(0, 200) : ''
}

/** A reply that is not a success. */
interface Refusal {
  readonly path: string
  readonly status: number
  readonly errors: string
}

function refuse({ path, status, errors }: Refusal): never {
  if (status === 400) throw new KekError(`the transit engine refused the call (${errors === '' ? 'HTTP 400' : errors})`)
  if (status === 403) throw new KekUnavailableError(`the token of the transit engine is expired, or may not use ${path}`)
  const hint = status === 503 ? ': it is sealed or in maintenance' : ''
  throw new KekUnavailableError(`the transit engine answered with HTTP ${String(status)}${hint}`)
}

/** A wrong mount has no such path. */
function readProbeRefusal(refusal: Refusal): string {
  if (refusal.status === 404) throw new KekError(`there is no transit engine at ${refusal.path.split('/')[0] ?? ''}: check the mount`)
  return refusal.status === 400 ? refusal.errors : refuse(refusal)
}

const outcomeTexts = {
  late: 'not answering in time',
  unreachable: 'unreachable, or its certificate is not trusted',
  forbidden_address: 'at a forbidden address',
  stopped: 'not called any more',
} as const

const nameShape = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
/** Version, nonce and tag. */
const wrappedBytesMin = 4 + 12 + 16
const renewalPauseMinMs = 10_000
/** Far below the 2^31 ms of a timer, for tokens that live for months. */
const renewalPauseMaxMs = 24 * 60 * 60 * 1000
const neverAborted = new AbortController().signal
