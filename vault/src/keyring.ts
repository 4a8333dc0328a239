import { sealsUnder, type Dek, type KeyPurpose } from './dek.ts'
import { dayMs, endOf, isKept, isOfTheDay, isPast } from './epoch.ts'
import type { Kek } from './kek.ts'
import { makeKey, unwrapKey, type KeyState, type WrappedKey } from './wrapping.ts'

export type { Dek, KeyPurpose } from './dek.ts'
export { KeyRefused, type KeyState, type WrappedKey } from './wrapping.ts'

/** Where wrapped keys are kept; outside the database's backups, so that a destroyed key is gone. */
export interface KeyStore {
  list(): Promise<WrappedKey[]>
  /** Durable when it resolves. False when this (purpose, owner, epoch) exists: another process was faster. */
  insert(key: WrappedKey): Promise<boolean>
  /** `destroyed` drops the wrapped bytes as well. */
  setState(keyId: string, state: KeyState): Promise<void>
  close(): Promise<void>
}

/** A key as the operator sees it. */
export interface KeyStatus extends Omit<WrappedKey, 'wrapped' | 'checkValue'> {
  /** Encryptions under it since this process opened it. */
  readonly seals: number
}

/** The data keys, unwrapped in memory. One key of each purpose and owner is active; the older ones open what they once sealed. */
export interface Keyring {
  /** The key for new work; made when there is none yet or the last one's time is over. */
  active(purpose: KeyPurpose, owner?: string): Promise<Dek>
  /** The key of something that was sealed or hashed before; at once when it is held. Rejects with `KeyUnknown` and `KeyDestroyed`. */
  byId(keyId: string): Promise<Dek> | Dek
  /** Ends the active key's time now and makes the next one. */
  rotate(purpose: KeyPurpose, owner?: string): Promise<Dek>
  /**
   * Destroys a key for good; all that hangs on it is shredded. Throws `KeyInUse` until it has been out of use for two minutes, and always
   * for keys of row MACs and passwords.
   */
  destroy(keyId: string): Promise<void>
  /** Destroys the keys of the day that have been out of use for a day; tells how many. To be called now and then. */
  destroyPast(): Promise<number>
  list(): KeyStatus[]
}

export class KeyUnknown extends Error {
  override readonly name = 'KeyUnknown'
}
export class KeyDestroyed extends Error {
  override readonly name = 'KeyDestroyed'
}
export class KeyInUse extends Error {
  override readonly name = 'KeyInUse'
}

export interface KeyringParts {
  readonly kek: Kek
  readonly keys: KeyStore
  /** `test` or `production`: a key of the one does not unwrap in the other. */
  readonly environment: string
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Unwraps and checks every key that lives. Throws `KeyRefused`, naming the first that does not open. */
export async function openKeyring(parts: KeyringParts): Promise<Keyring> {
  const keyring = new KeyringInMemory(parts)
  await keyring.read()
  return keyring
}

/** A key in memory. Its state only ever moves forward. */
interface HeldKey extends Omit<WrappedKey, 'wrapped' | 'checkValue' | 'state'> {
  state: KeyState
  /** Null once destroyed. */
  dek: Dek | null
}

class KeyringInMemory implements Keyring {
  readonly #parts: KeyringParts
  readonly #held = new Map<string, HeldKey>()
  readonly #newest = new Map<string, HeldKey>()
  readonly #making = new Map<string, Promise<Dek>>()
  /** When what is known was asked for; a question that failed does not count. */
  #readAt = 0
  #readingAgain: Promise<void> | null = null

  constructor(parts: KeyringParts) {
    this.#parts = parts
  }

  async active(purpose: KeyPurpose, owner = ''): Promise<Dek> {
    const now = this.#parts.now()
    if (Math.abs(now - this.#readAt) > readAgainMs) await this.#readAgain()
    const newest = this.#newest.get(scopeOf(purpose, owner))
    const dek = newest?.state === 'active' ? newest.dek : null
    return dek === null || isPast(dek, now) ? this.rotate(purpose, owner) : dek
  }

  byId(keyId: string): Promise<Dek> | Dek {
    return this.#held.get(keyId)?.dek ?? this.#find(keyId)
  }

  async #find(keyId: string): Promise<Dek> {
    if (!this.#held.has(keyId)) await this.read()
    const { dek } = this.#known(keyId)
    if (dek === null) throw new KeyDestroyed(`key ${keyId} is destroyed`)
    return dek
  }

  /** However many ask at once, one key is made. */
  rotate(purpose: KeyPurpose, owner = ''): Promise<Dek> {
    const scope = scopeOf(purpose, owner)
    const underWay = this.#making.get(scope) ?? this.#make(purpose, owner).finally(() => this.#making.delete(scope))
    this.#making.set(scope, underWay)
    return underWay
  }

  async destroy(keyId: string): Promise<void> {
    await this.read()
    const held = this.#known(keyId)
    if (isKept(held.purpose)) throw new KeyInUse(`key ${keyId} is kept: what it authenticated is still checked (${held.purpose})`)
    if (this.#parts.now() < this.#outOfUseAt(held) + graceMs) {
      throw new KeyInUse(`key ${keyId} may be in use: rotate it, reseal what hangs on it, and wait two minutes`)
    }
    await this.#destroy(held)
  }

  async destroyPast(): Promise<number> {
    await this.read()
    const now = this.#parts.now()
    const live = [...this.#held.values()].filter((held) => isOfTheDay(held.purpose) && held.state !== 'destroyed')
    const past = live.filter((held) => now >= this.#outOfUseAt(held) + dayMs)
    for (const held of past) await this.#destroy(held)
    return past.length
  }

  list(): KeyStatus[] {
    return [...this.#held.values()].map(({ dek, ...key }) => ({ ...key, seals: dek === null ? 0 : sealsUnder(dek) }))
  }

  /** Takes in what other processes did. An answer that was overtaken brings no state back. */
  async read(): Promise<void> {
    const { kek, keys, environment, now } = this.#parts
    const askedAt = now()
    for (const kept of await keys.list()) {
      const known = this.#held.get(kept.keyId)
      if (known === undefined) this.#hold(kept, kept.state === 'destroyed' ? null : await unwrapKey(kek, environment, kept))
      else if (order[kept.state] > order[known.state]) moveTo(known, kept.state)
    }
    this.#readAt = askedAt
  }

  /**
   * However many ask at once, it is read once. Where it cannot be read nothing new is sealed: the key that is held may be out of use elsewhere,
   * and destroyed two minutes later.
   */
  #readAgain(): Promise<void> {
    this.#readingAgain ??= this.read().finally(() => (this.#readingAgain = null))
    return this.#readingAgain
  }

  /** Makes the next key, or takes the one that another process was faster to make. It is durable before anything is sealed under it. */
  async #make(purpose: KeyPurpose, owner: string): Promise<Dek> {
    const { kek, keys, environment, now } = this.#parts
    const before = this.#newest.get(scopeOf(purpose, owner))
    const made = await makeKey(kek, environment, { purpose, owner, epoch: (before?.epoch ?? 0) + 1, createdAt: now() })
    if (await keys.insert(made.wrapped)) this.#hold(made.wrapped, made.dek)
    else await this.read()
    const after = this.#newest.get(scopeOf(purpose, owner))
    if (after === undefined || after === before || after.dek === null) throw new KeyUnknown(`the next ${purpose} key could not be made`)
    if (before !== undefined && before.state !== 'destroyed') await keys.setState(before.keyId, 'decrypt_only')
    return after.dek
  }

  /**
   * The newest key of a scope is the only one that can be active, whatever the store says of those before it. A key that was taken in while this
   * one was being unwrapped stays as it is.
   */
  #hold({ wrapped: _wrapped, checkValue: _checkValue, ...kept }: WrappedKey, dek: Dek | null): void {
    if (this.#held.has(kept.keyId)) return
    const held: HeldKey = { ...kept, dek }
    const scope = scopeOf(kept.purpose, kept.owner)
    const other = this.#newest.get(scope)
    const isNewest = other === undefined || held.epoch > other.epoch
    const older = isNewest ? other : held
    if (older?.state === 'active') moveTo(older, 'decrypt_only')
    if (isNewest) this.#newest.set(scope, held)
    this.#held.set(kept.keyId, held)
  }

  #known(keyId: string): HeldKey {
    const held = this.#held.get(keyId)
    if (held === undefined) throw new KeyUnknown(`there is no key ${keyId}`)
    return held
  }

  async #destroy(held: HeldKey): Promise<void> {
    await this.#parts.keys.setState(held.keyId, 'destroyed')
    moveTo(held, 'destroyed')
  }

  /** From when on (unix ms) nothing new was done under a key: its end, or the birth of a later one. */
  #outOfUseAt({ purpose, owner, epoch, createdAt }: HeldKey): number {
    const later = [...this.#held.values()].filter((other) => other.purpose === purpose && other.owner === owner && other.epoch > epoch)
    return Math.min(endOf({ purpose, createdAt }), ...later.map((other) => other.createdAt))
  }
}

function moveTo(held: HeldKey, state: KeyState): void {
  held.state = state
  if (state === 'destroyed') held.dek = null
}

function scopeOf(purpose: KeyPurpose, owner: string): string {
  return `${purpose} ${owner}`
}

const order: Readonly<Record<KeyState, number>> = { active: 0, decrypt_only: 1, destroyed: 2 }
/** A process learns within a minute what another did, so a key that went out of use two minutes ago is used by nobody. */
const readAgainMs = 60_000
const graceMs = 2 * readAgainMs
