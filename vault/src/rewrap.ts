import { KekUnavailableError, type Kek } from './kek.ts'
import type { Dek } from './dek.ts'
import { ForeignKeyError, KeyRejectedError, rewrapDataKey, unwrapDataKey, type WrappedKey } from './wrapping.ts'

/** What a rewrap needs of the key store; a `KeyStore` is one. */
export interface RewrappedKeyStore {
  list(): Promise<WrappedKey[]>
  replaceWrapped(before: WrappedKey, after: Pick<WrappedKey, 'kekId' | 'wrapped'>): Promise<boolean>
}

/** A change of the KEK: every stored data key is wrapped by `to` instead. */
export interface RewrapRun {
  readonly keys: RewrappedKeyStore
  /** Every KEK that may have wrapped a stored key, `to` among them. */
  readonly keks: readonly Kek[]
  readonly to: Kek
  readonly environment: string
  /** Ends it between two keys; a second run continues. */
  readonly signal: AbortSignal
  /** Called after each key. */
  readonly onProgress: (done: number, total: number) => void
}

export interface RewrapResult {
  /** Keys that this run wrapped again. */
  readonly rewrapped: number
  /** Keys that are wrapped by another KEK, or an older version of it, at the end. */
  readonly left: number
}

/**
 * Wraps the stored data keys under another KEK, or under the newest version of the same one, one after another: each is replaced only if it is as it
 * was read. The keys themselves do not change, so nothing that is sealed under them is touched, and processes that have them in memory go on. Ends when
 * none is left. Throws `KeyRejectedError` for a key that does not unwrap, `KekUnavailableError`, and the reason of the signal; what was replaced stays.
 */
export async function rewrapKeys(run: RewrapRun): Promise<RewrapResult> {
  const { keys, to, signal, onProgress } = run
  const isDone = await makeIsDone(to)
  const listLeft = async (): Promise<WrappedKey[]> => (await keys.list()).filter((key) => key.state !== 'destroyed' && !isDone(key))
  let rewrapped = 0
  let left = await listLeft()
  // Another pass for keys that other processes created meanwhile, or changed in that moment.
  for (let pass = 0; left.length > 0 && pass < maxPasses; pass++) {
    const total = rewrapped + left.length
    for (const stored of left) {
      signal.throwIfAborted()
      const replaced = await rewrapDataKey(run, stored)
      if (await keys.replaceWrapped(stored, replaced)) rewrapped++
      onProgress(rewrapped, total)
    }
    left = await listLeft()
  }
  return { rewrapped, left: left.length }
}

/** Whether a key is wrapped as it should be. A provider that rotates a key under one id shows its newest version in what it wraps. */
async function makeIsDone(to: Kek): Promise<(key: WrappedKey) => boolean> {
  if (to.versionOf === undefined) return ({ kekId }) => kekId === to.id
  const newest = to.versionOf(await to.wrap(new Uint8Array(32), Buffer.from('tessera newest version')))
  return ({ kekId, wrapped }) => kekId === to.id && (to.versionOf?.(wrapped) ?? 0) >= newest
}

/** A stored key that was unwrapped to look at it. */
export interface KeyInspection {
  readonly key: Omit<WrappedKey, 'wrapped' | 'checkValue'>
  /** Null when it is destroyed or faulty. */
  readonly dek: Dek | null
  /** `foreign`: of a KEK that is not at hand. `altered`: it does not unwrap to what was wrapped. */
  readonly fault: 'foreign' | 'altered' | null
  /** What is wrong, one sentence without its period; '' when nothing is. */
  readonly finding: string
}

/** Unwraps every stored key and compares its check value, without ending at the first that is wrong. Throws `KekUnavailableError`. */
export async function inspectKeys(keks: readonly Kek[], environment: string, stored: readonly WrappedKey[]): Promise<KeyInspection[]> {
  const inspections: KeyInspection[] = []
  for (const { wrapped, checkValue, ...key } of stored) {
    if (key.state === 'destroyed') {
      inspections.push({ key, dek: null, fault: null, finding: '' })
      continue
    }
    try {
      const dek = await unwrapDataKey(keks, environment, { ...key, wrapped, checkValue })
      inspections.push({ key, dek, fault: null, finding: '' })
    } catch (err) {
      if (err instanceof KekUnavailableError || !(err instanceof KeyRejectedError)) throw err
      inspections.push({ key, dek: null, fault: err instanceof ForeignKeyError ? 'foreign' : 'altered', finding: err.message })
    }
  }
  return inspections
}

const maxPasses = 10
