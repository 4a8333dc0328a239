import { sealsUnder, type Dek, type KeyPurpose } from './dek.ts'
import { dayMs, expiresAt, isHashKey, isPermanentKey, isDailyKey, isEpochOver } from './epoch.ts'
import { prepareHmacKey, wipeHmacKey } from './hmac.ts'
import type { Kek } from './kek.ts'
import { inspectKeys, rewrapKeys, type KeyInspection, type RewrapResult, type RewrapRun } from './rewrap.ts'
import { createDataKey, unwrapDataKey, type KeyState, type WrappedKey } from './wrapping.ts'

export type { Dek, KeyPurpose } from './dek.ts'
export { KeyRejectedError, type KeyState, type WrappedKey } from './wrapping.ts'

/** The store of wrapped keys; outside the database's backups, so that a destroyed key is gone. */
export interface KeyStore {
  list(): Promise<WrappedKey[]>
  /** Durable when it resolves. False when this (purpose, owner, epoch) exists because another process created it first. */
  insert(key: WrappedKey): Promise<boolean>
  /** `destroyed` deletes the wrapped bytes as well. */
  setState(keyId: string, state: KeyState): Promise<void>
  /** Stores what another KEK, or another version of it, wrapped. False when the key is not as it was in `before`, or is destroyed. */
  replaceWrapped(before: WrappedKey, after: Pick<WrappedKey, 'kekId' | 'wrapped'>): Promise<boolean>
  close(): Promise<void>
}

/** A key as reported to the operator. */
export interface KeyStatus extends Omit<WrappedKey, 'wrapped' | 'checkValue'> {
  /** Encryptions under it since this process opened it. */
  readonly seals: number
}

/** The data keys, unwrapped in memory. One key of each purpose and owner is active; older ones open what they sealed. */
export interface Keyring {
  /** The key for new work, synchronously when it is loaded; created when there is none yet or the last one has expired. */
  active(purpose: KeyPurpose, owner?: string): Promise<Dek> | Dek
  /** The key of something that was sealed or hashed before; synchronously when it is loaded. Rejects with `UnknownKeyError` and `KeyDestroyedError`. */
  byId(keyId: string): Promise<Dek> | Dek
  /** The newest key of the same purpose and owner that is older than this one and not destroyed. Reads the keys of that owner only, of thousands. */
  previousOf(dek: Dek): Dek | null
  /** Retires the active key now and creates the next one. */
  rotate(purpose: KeyPurpose, owner?: string): Promise<Dek>
  /**
   * Destroys a key permanently; everything sealed under it is shredded. Throws `KeyNotRetiredError` until it has been out of use for two minutes, while the
   * time is not trusted, and always for keys of row MACs and passwords.
   */
  destroy(keyId: string): Promise<void>
  /** Destroys the daily keys that have been out of use for a day; returns how many. To be called periodically. */
  destroyExpired(): Promise<number>
  /**
   * Replaces each key in use that expires within the next hour; returns how many. To be called periodically: requests then find their key, also while the
   * KEK's provider is away for less than that hour.
   */
  renewExpiring(): Promise<number>
  /** Reads what other processes changed in the key store. */
  read(): Promise<void>
  list(): KeyStatus[]
  /** The KEK that wraps new keys: the current one, or the next one as soon as a stored key is wrapped by it. */
  wrappingKekId(): string
  /**
   * Wraps every stored key by the next KEK, or by the newest version of the current one where its provider rotates it. Null when there is neither. See
   * `rewrapKeys` for what it throws.
   */
  rewrap(run: Pick<RewrapRun, 'signal' | 'onProgress'>): Promise<RewrapResult | null>
  /** Unwraps every stored key again, for looking at only. A key that this process has and the store does not is `lost`. */
  inspect(): Promise<{ readonly stored: readonly KeyInspection[]; readonly lost: readonly KeyStatus[] }>
}

export class UnknownKeyError extends Error {
  override readonly name = 'UnknownKeyError'
}
export class KeyDestroyedError extends Error {
  override readonly name = 'KeyDestroyedError'
}
export class KeyNotRetiredError extends Error {
  override readonly name = 'KeyNotRetiredError'
}

export interface KeyringDependencies {
  readonly kek: Kek
  /** The KEK that is to replace it, while there is one: it unwraps too, and wraps as soon as a stored key is wrapped by it. Default: none. */
  readonly nextKek?: () => Kek | null
  /** Other KEKs that this process has: they unwrap, and one wraps while the newest key is wrapped by it. Default: none. */
  readonly heldKeks?: () => readonly Kek[]
  readonly keys: KeyStore
  /** `test` or `production`: a key of the one does not unwrap in the other. */
  readonly environment: string
  /** Unix milliseconds. */
  readonly now: () => number
  /**
   * Whether `now` may be a reason to retire or destroy a key. While it is not, keys do not expire by age and none is destroyed. Asked after `now`.
   * Default: always.
   */
  readonly isTimeTrusted?: () => boolean
}

/** Unwraps and checks every key that is not destroyed. Throws `KeyRejectedError`, naming the first that does not open. */
export async function openKeyring(deps: KeyringDependencies): Promise<Keyring> {
  const keyring = new LoadedKeyring(deps)
  await keyring.read()
  return keyring
}

/** A key in memory. Its state only ever moves forward. */
interface LoadedKey extends Omit<WrappedKey, 'wrapped' | 'checkValue' | 'state' | 'kekId'> {
  state: KeyState
  kekId: string
  /** Null once destroyed. */
  dek: Dek | null
}

class LoadedKeyring implements Keyring {
  readonly #deps: KeyringDependencies
  readonly #loaded = new Map<string, LoadedKey>()
  readonly #newest = new Map<string, LoadedKey>()
  /** All keys of each scope, in no order: a service has a key of each merchant. */
  readonly #ofScope = new Map<string, LoadedKey[]>()
  readonly #creating = new Map<string, Promise<Dek>>()
  /** When the last successful read of the store began. */
  #readAt = 0
  #rereading: Promise<void> | null = null
  /** The KEKs of the stored keys at the last read: the next one may be another by now. */
  #usedKekIds: ReadonlySet<string> = new Set()
  /** The KEK of the newest key at the last read. */
  #newestKekId = ''

  constructor(deps: KeyringDependencies) {
    this.#deps = deps
  }

  active(purpose: KeyPurpose, owner = ''): Promise<Dek> | Dek {
    const now = this.#deps.now()
    if (Math.abs(now - this.#readAt) > rereadMs) return this.#reread().then(() => this.#loadedActive(purpose, owner, now))
    return this.#loadedActive(purpose, owner, now)
  }

  #loadedActive(purpose: KeyPurpose, owner: string, now: number): Promise<Dek> | Dek {
    const newest = this.#newest.get(scopeOf(purpose, owner))
    const dek = newest?.state === 'active' ? newest.dek : null
    return dek === null || isEpochOver(dek, this.#isTimeTrusted() ? now : null) ? this.rotate(purpose, owner) : dek
  }

  byId(keyId: string): Promise<Dek> | Dek {
    return this.#loaded.get(keyId)?.dek ?? this.#find(keyId)
  }

  previousOf({ purpose, owner, epoch }: Dek): Dek | null {
    let previous: Dek | null = null
    for (const { dek } of this.#ofScope.get(scopeOf(purpose, owner)) ?? []) {
      if (dek !== null && dek.epoch < epoch && dek.epoch > (previous?.epoch ?? 0)) previous = dek
    }
    return previous
  }

  async #find(keyId: string): Promise<Dek> {
    if (!this.#loaded.has(keyId)) await this.read()
    const { dek } = this.#known(keyId)
    if (dek === null) throw new KeyDestroyedError(`key ${keyId} is destroyed`)
    return dek
  }

  /** Concurrent calls create one key. */
  rotate(purpose: KeyPurpose, owner = ''): Promise<Dek> {
    const scope = scopeOf(purpose, owner)
    const pending = this.#creating.get(scope) ?? this.#create(purpose, owner).finally(() => this.#creating.delete(scope))
    this.#creating.set(scope, pending)
    return pending
  }

  async destroy(keyId: string): Promise<void> {
    await this.read()
    const loaded = this.#known(keyId)
    if (isPermanentKey(loaded.purpose))
      throw new KeyNotRetiredError(`key ${keyId} is permanent: what it authenticated is still checked (${loaded.purpose})`)
    const now = this.#deps.now()
    if (!this.#isTimeTrusted()) {
      throw new KeyNotRetiredError(
        `when key ${keyId} was retired is unknown: the clock of this machine is not trusted, see tessera clock status`,
      )
    }
    if (now < this.#outOfUseAt(loaded) + graceMs) {
      throw new KeyNotRetiredError(`key ${keyId} may be in use: rotate it, reseal what was sealed under it, and wait two minutes`)
    }
    await this.#destroy(loaded)
  }

  async destroyExpired(): Promise<number> {
    await this.read()
    const now = this.#deps.now()
    if (!this.#isTimeTrusted()) return 0
    const live = [...this.#loaded.values()].filter((loaded) => isDailyKey(loaded.purpose) && loaded.state !== 'destroyed')
    const past = live.filter((loaded) => now >= this.#outOfUseAt(loaded) + dayMs)
    for (const loaded of past) await this.#destroy(loaded)
    return past.length
  }

  async renewExpiring(): Promise<number> {
    await this.read()
    const isDue = (loaded: LoadedKey): boolean => loaded.state === 'active' && expiresAt(loaded) <= this.#deps.now() + renewBeforeMs
    let renewed = 0
    for (const [scope, { purpose, owner }] of [...this.#newest]) {
      // Asked again each time: another process may have replaced the key meanwhile.
      const newest = this.#newest.get(scope)
      if (newest === undefined || !isDue(newest)) continue
      await this.rotate(purpose, owner)
      renewed++
    }
    return renewed
  }

  list(): KeyStatus[] {
    return [...this.#loaded.values()].map(({ dek, ...key }) => ({ ...key, seals: dek === null ? 0 : sealsUnder(dek) }))
  }

  /** An outdated reply does not set a state back. */
  async read(): Promise<void> {
    const { keys, environment, now } = this.#deps
    const startedAt = now()
    const list = await keys.list()
    for (const [at, stored] of list.entries()) {
      // With thousands of keys this takes a while: signals and requests are handled in between.
      if (at % keysPerTurn === keysPerTurn - 1) await new Promise((resolve) => void setImmediate(resolve))
      const known = this.#loaded.get(stored.keyId)
      if (known === undefined) {
        this.#load(stored, stored.state === 'destroyed' ? null : await unwrapDataKey(this.#keks(), environment, stored))
        continue
      }
      known.kekId = stored.kekId
      if (order[stored.state] > order[known.state]) advanceState(known, stored.state)
    }
    const live = list.filter(({ state }) => state !== 'destroyed')
    this.#usedKekIds = new Set(live.map(({ kekId }) => kekId))
    this.#newestKekId =
      live.reduce<WrappedKey | null>((newest, key) => (key.createdAt >= (newest?.createdAt ?? 0) ? key : newest), null)?.kekId ?? ''
    this.#readAt = startedAt
  }

  wrappingKekId(): string {
    return this.#wrappingKek().id
  }

  async rewrap({ signal, onProgress }: Pick<RewrapRun, 'signal' | 'onProgress'>): Promise<RewrapResult | null> {
    const { kek, keys, environment } = this.#deps
    const to = this.#nextKek() ?? (kek.versionOf === undefined ? null : kek)
    if (to === null) return null
    try {
      return await rewrapKeys({ keys, keks: this.#keks(), to, environment, signal, onProgress })
    } finally {
      await this.read()
    }
  }

  async inspect(): Promise<{ readonly stored: readonly KeyInspection[]; readonly lost: readonly KeyStatus[] }> {
    const { keys, environment } = this.#deps
    const known = this.list().filter(({ state }) => state !== 'destroyed')
    const stored = await keys.list()
    const ids = new Set(stored.map(({ keyId }) => keyId))
    return { stored: await inspectKeys(this.#keks(), environment, stored), lost: known.filter(({ keyId }) => !ids.has(keyId)) }
  }

  #nextKek(): Kek | null {
    return this.#deps.nextKek?.() ?? null
  }

  #keks(): Kek[] {
    const next = this.#nextKek()
    return [this.#deps.kek, ...(this.#deps.heldKeks?.() ?? []), ...(next === null ? [] : [next])]
  }

  #wrappingKek(): Kek {
    const held = this.#deps.heldKeks?.().find(({ id }) => id === this.#newestKekId)
    const next = this.#nextKek()
    return (next !== null && this.#usedKekIds.has(next.id) ? next : null) ?? held ?? this.#deps.kek
  }

  /**
   * Concurrent calls read the store once. When it cannot be read nothing new is sealed: the loaded key may be retired elsewhere, and destroyed two
   * minutes later.
   */
  #reread(): Promise<void> {
    this.#rereading ??= this.read().finally(() => (this.#rereading = null))
    return this.#rereading
  }

  /** Creates the next key, or loads the one that another process created first. It is durable before anything is sealed under it. */
  async #create(purpose: KeyPurpose, owner: string): Promise<Dek> {
    const { keys, environment, now } = this.#deps
    // Another process may have begun to rewrap the keys.
    const next = this.#nextKek()
    if (next !== null && !this.#usedKekIds.has(next.id)) await this.read()
    const before = this.#newest.get(scopeOf(purpose, owner))
    const created = await createDataKey(this.#wrappingKek(), environment, {
      purpose,
      owner,
      epoch: (before?.epoch ?? 0) + 1,
      createdAt: now(),
    })
    if (await keys.insert(created.wrapped)) this.#load(created.wrapped, created.dek)
    else await this.read()
    const after = this.#newest.get(scopeOf(purpose, owner))
    if (after === undefined || after === before || after.dek === null)
      throw new UnknownKeyError(`the next ${purpose} key could not be created`)
    if (before !== undefined && before.state !== 'destroyed') await keys.setState(before.keyId, 'decrypt_only')
    return after.dek
  }

  /**
   * Only the newest key of a scope can be active, whatever state the store has for older ones. A key that was loaded while this one was being
   * unwrapped stays as it is.
   */
  #load({ wrapped: _wrapped, checkValue: _checkValue, ...stored }: WrappedKey, dek: Dek | null): void {
    if (this.#loaded.has(stored.keyId)) return
    const loaded: LoadedKey = { ...stored, dek }
    const scope = scopeOf(stored.purpose, stored.owner)
    const other = this.#newest.get(scope)
    const isNewest = other === undefined || loaded.epoch > other.epoch
    const older = isNewest ? other : loaded
    if (older?.state === 'active') advanceState(older, 'decrypt_only')
    if (isNewest) this.#newest.set(scope, loaded)
    this.#loaded.set(stored.keyId, loaded)
    const ofScope = this.#ofScope.get(scope)
    if (ofScope === undefined) this.#ofScope.set(scope, [loaded])
    else ofScope.push(loaded)
    if (dek !== null && isHashKey(dek.purpose)) prepareHmacKey(dek.key)
  }

  #isTimeTrusted(): boolean {
    return this.#deps.isTimeTrusted?.() ?? true
  }

  #known(keyId: string): LoadedKey {
    const loaded = this.#loaded.get(keyId)
    if (loaded === undefined) throw new UnknownKeyError(`there is no key ${keyId}`)
    return loaded
  }

  async #destroy(loaded: LoadedKey): Promise<void> {
    await this.#deps.keys.setState(loaded.keyId, 'destroyed')
    advanceState(loaded, 'destroyed')
  }

  /** When a key went out of use, unix milliseconds: at its expiry, or when a later one was created. */
  #outOfUseAt({ purpose, owner, epoch, createdAt }: LoadedKey): number {
    const later = [...this.#loaded.values()].filter((other) => other.purpose === purpose && other.owner === owner && other.epoch > epoch)
    return Math.min(expiresAt({ purpose, createdAt }), ...later.map((other) => other.createdAt))
  }
}

function advanceState(loaded: LoadedKey, state: KeyState): void {
  loaded.state = state
  if (state !== 'destroyed' || loaded.dek === null) return
  wipeHmacKey(loaded.dek.key)
  loaded.dek = null
}

function scopeOf(purpose: KeyPurpose, owner: string): string {
  return `${purpose} ${owner}`
}

const order: Readonly<Record<KeyState, number>> = { active: 0, decrypt_only: 1, destroyed: 2 }
/** A process learns within a minute what another did, so a key that was retired two minutes ago is no longer used anywhere. */
const rereadMs = 60_000
/** Keys that are unwrapped before other work has its turn. */
const keysPerTurn = 64
const graceMs = 2 * rereadMs
const renewBeforeMs = 60 * 60 * 1000
