import { isDailyKey } from '@tessera/vault/epoch'
import { KeyDestroyedError, type Keyring, type KeyStatus, UnknownKeyError } from '@tessera/vault/keyring'
import { isKnownAnswer, makeKnownAnswer } from '@tessera/vault/known-answer'

import { changeKnownAnswers, listServiceKnownAnswers, type KnownAnswerRow } from '../../store/known-answers.ts'
import type { Store } from '../../store/store.ts'

import { KeyStoreMismatch } from './key-store-mismatch.ts'

/** The known answers of the keys in use: rows of the database that only the right key store can explain. */
export interface KnownAnswers {
  /** Stores the answers of new keys, and deletes those of destroyed ones. To be called at the start and periodically. */
  update(): Promise<void>
  /** Compares the answers of the service's own keys. Throws `KeyStoreMismatch`. For `/readyz`: the answers of merchants' keys may be many. */
  verifyServiceKeys(): Promise<void>
}

export interface KnownAnswerDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly environment: string
}

export function makeKnownAnswers({ store, keyring, environment }: KnownAnswerDependencies): KnownAnswers {
  /** The state that the database has of each key, as far as this process knows. */
  const written = new Map<string, 'stored' | 'deleted'>()
  return Object.freeze({ update, verifyServiceKeys })

  async function update(): Promise<void> {
    const pending = keyring.list().filter((key) => written.get(key.keyId) !== wantedState(key) && !isDailyKey(key.purpose))
    for (let at = 0; at < pending.length; at += keysPerWrite) await write(pending.slice(at, at + keysPerWrite))
  }

  async function write(keys: readonly KeyStatus[]): Promise<void> {
    const live = keys.filter((key) => wantedState(key) === 'stored')
    const stored = await Promise.all(live.map((key) => answerOf(key)))
    const deleted = keys.filter((key) => wantedState(key) === 'deleted').map(({ keyId }) => keyId)
    await store.write(changeKnownAnswers, { stored, deleted })
    for (const key of keys) written.set(key.keyId, wantedState(key))
  }

  async function answerOf({ keyId, purpose, owner }: KeyStatus): Promise<KnownAnswerRow> {
    return { keyId, purpose, owner, answer: makeKnownAnswer(await keyring.byId(keyId), environment) }
  }

  async function verifyServiceKeys(): Promise<void> {
    const wrong = await findWrongAnswers(await store.read(listServiceKnownAnswers(maxServiceKeys)), keyring, environment)
    if (wrong.length > 0) throw new KeyStoreMismatch(describeWrongAnswers(wrong))
  }
}

/** The answers whose key is missing from the key store, or is another one. A destroyed key opens nothing that is still there. */
export async function findWrongAnswers(
  answers: readonly KnownAnswerRow[],
  keyring: Pick<Keyring, 'byId'>,
  environment: string,
): Promise<KnownAnswerRow[]> {
  const wrong: KnownAnswerRow[] = []
  for (const row of answers) {
    try {
      if (!isKnownAnswer(await keyring.byId(row.keyId), environment, row.answer)) wrong.push(row)
    } catch (err) {
      if (err instanceof UnknownKeyError) wrong.push(row)
      else if (!(err instanceof KeyDestroyedError)) throw err
    }
  }
  return wrong
}

export function describeWrongAnswers(wrong: readonly KnownAnswerRow[]): string {
  const [{ keyId, purpose, owner } = { keyId: '', purpose: '', owner: '' }] = wrong
  const example = `the ${purpose} key ${keyId}${owner === '' ? '' : ` of merchant ${owner}`}`
  const others = wrong.length === 1 ? '' : ` and ${wrong.length - 1} more`
  return `the database was written with keys that the key store does not have, or has otherwise: ${example}${others}`
}

function wantedState({ state }: KeyStatus): 'stored' | 'deleted' {
  return state === 'destroyed' ? 'deleted' : 'stored'
}

const keysPerWrite = 100
/** Eight purposes, and a new key of each in some months at most. */
const maxServiceKeys = 1000
