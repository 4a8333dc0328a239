import type { KeyInspection } from '@tessera/vault/rewrap'
import type { Dek, Keyring, KeyStatus } from '@tessera/vault/keyring'
import { dueAt, isDailyKey } from '@tessera/vault/epoch'
import { isKnownAnswer } from '@tessera/vault/known-answer'

import { countCardsByKey } from '../../store/cards.ts'
import { listKnownAnswers, type KnownAnswerRow } from '../../store/known-answers.ts'
import type { Store } from '../../store/store.ts'

/** A fault of the key store. */
export interface KeyFinding {
  /**
   * `foreign`: wrapped by a KEK that is not at hand. `altered`: does not unwrap, or to another key. `lost`: the key store does not have it.
   * `answer_differs`: another key than the one with which the database was written. `answer_missing`: the database has no known answer of it.
   * `destroyed_in_use`: cards are sealed under a destroyed key. `overdue`: in use beyond its time.
   */
  readonly kind: 'foreign' | 'altered' | 'lost' | 'answer_differs' | 'answer_missing' | 'destroyed_in_use' | 'overdue'
  readonly keyId: string
  readonly purpose: string
  readonly owner: string
  /** One sentence for people. */
  readonly text: string
}

export interface KeyVerification {
  /** Stored keys that are not destroyed, each unwrapped and compared with its check value. */
  readonly keys: number
  /** Known answers that were compared. */
  readonly answers: number
  readonly findings: readonly KeyFinding[]
}

export interface VerifyKeysInput {
  readonly store: Pick<Store, 'read' | 'scan'>
  readonly keyring: Pick<Keyring, 'inspect'>
  readonly environment: string
  /** Unix milliseconds. */
  readonly now: number
}

/**
 * Verifies the key store as it is stored, not as this process has it in memory: each key unwraps, its check value and its known answer match, none is
 * missing, none is beyond its time. Reports everything that is wrong. Throws `KekUnavailableError` when a KEK's provider does not answer.
 */
export async function verifyKeys({ store, keyring, environment, now }: VerifyKeysInput): Promise<KeyVerification> {
  const { stored, lost } = await keyring.inspect()
  const byId = new Map(stored.map((inspection) => [inspection.key.keyId, inspection]))
  const findings = [
    ...stored.flatMap((inspection) => findOwnFaults(inspection, now)),
    ...lost.map((key) => lostFinding(key, 'this service')),
  ]
  const answered = new Set<string>()
  let answers = 0
  for (let after = ''; ;) {
    const page = await store.read(listKnownAnswers(after, answersPerPage))
    for (const row of page) {
      answered.add(row.keyId)
      findings.push(...compareAnswer(row, byId.get(row.keyId), environment))
    }
    answers += page.length
    if (page.length < answersPerPage) break
    after = page.at(-1)?.keyId ?? ''
  }
  findings.push(...findUnanswered(stored, answered, now), ...(await findSealedUnderNone(store, byId)))
  return { keys: stored.filter(({ key }) => key.state !== 'destroyed').length, answers, findings: deduplicate(findings) }
}

function findOwnFaults({ key, fault, finding }: KeyInspection, now: number): KeyFinding[] {
  const due = dueAt(key)
  if (fault !== null) return [makeFinding(fault, key, `${finding}.`)]
  if (due === null || due > now) return []
  return [makeFinding('overdue', key, `It was to be replaced at ${new Date(due).toISOString()}: the KEK or the key store was away.`)]
}

function compareAnswer(row: KnownAnswerRow, inspection: KeyInspection | undefined, environment: string): KeyFinding[] {
  if (inspection === undefined) return [lostFinding(row, 'the database')]
  const { dek } = inspection
  if (dek === null || isKnownAnswer(dek, environment, row.answer)) return []
  return [makeFinding('answer_differs', row, 'The database was written with another key of this id.')]
}

/** A key is answered within a minute of its creation; the daily ones never are. */
function findUnanswered(stored: readonly KeyInspection[], answered: ReadonlySet<string>, now: number): KeyFinding[] {
  return stored
    .filter((inspection): inspection is KeyInspection & { readonly dek: Dek } => inspection.dek !== null)
    .filter(({ key }) => !isDailyKey(key.purpose) && !answered.has(key.keyId) && now - key.createdAt > answeredWithinMs)
    .map(({ key }) =>
      makeFinding('answer_missing', key, 'The database has no known answer of it: its row was deleted, or the database is an older one.'),
    )
}

async function findSealedUnderNone(store: Pick<Store, 'scan'>, byId: ReadonlyMap<string, KeyInspection>): Promise<KeyFinding[]> {
  const findings: KeyFinding[] = []
  for (const { keyId, cards } of await store.scan(countCardsByKey())) {
    const inspection = byId.get(keyId)
    const named = inspection?.key ?? { keyId, purpose: 'card', owner: '' }
    if (inspection === undefined)
      findings.push(makeFinding('lost', named, `The key store does not have it, and ${cards} cards are sealed under it.`))
    else if (inspection.key.state === 'destroyed')
      findings.push(
        makeFinding('destroyed_in_use', named, `It is destroyed, and ${cards} cards are sealed under it: they cannot be opened.`),
      )
  }
  return findings
}

type NamedKey = Pick<KeyStatus, 'keyId'> & { readonly purpose: string; readonly owner: string }

function lostFinding(key: NamedKey, holder: string): KeyFinding {
  return makeFinding('lost', key, `The key store does not have it, and ${holder} does: restore the newest copy of the key store.`)
}

function makeFinding(kind: KeyFinding['kind'], { keyId, purpose, owner }: NamedKey, text: string): KeyFinding {
  return { kind, keyId, purpose, owner, text }
}

/** One finding of a kind for each key. */
function deduplicate(findings: readonly KeyFinding[]): KeyFinding[] {
  return [...new Map(findings.map((each) => [`${each.kind} ${each.keyId}`, each])).values()]
}

const answersPerPage = 1000
const answeredWithinMs = 5 * 60_000
