import type { Dek } from '@tessera/vault/dek'
import { KeyDestroyedError, type Keyring, UnknownKeyError } from '@tessera/vault/keyring'

import { type AuditHead, type AuditRow, listAuditEntries } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'
import { emptyChain, makeLinkHash } from '../../store/audit-chain.ts'

/** A fault at an entry of a chain. */
export interface ChainFault {
  readonly seq: number
  /**
   * `edited`: the entry does not match its hash. `gap`: entries before it are missing. `cut`: known entries are missing at the end.
   * `rewritten`: the chain is consistent, but does not match a known head. `unkeyed`: the entry was linked without a key after the boundary.
   * `unknown_key`: it was linked under a key that the key store does not have.
   */
  readonly fault: ChainFaultKind
}

export type ChainFaultKind = 'edited' | 'gap' | 'cut' | 'rewritten' | 'unkeyed' | 'unknown_key'

export interface ChainReport {
  readonly chain: string
  readonly entries: number
  readonly head: AuditHead
  /** At most the first hundred. */
  readonly faults: readonly ChainFault[]
}

/** The keys of audit links. */
export type AuditKeys = Pick<Keyring, 'byId'>

export interface ChainVerification {
  readonly store: Pick<Store, 'read'>
  readonly keys: AuditKeys
  /** Heads that were recorded where the database's writer cannot change them: they reveal a chain that was cut or rewritten as a whole. */
  readonly known?: readonly AuditHead[]
  /** Up to here the chain may have entries without a key. Default: nowhere. */
  readonly unkeyedUntil?: number
  /** Where the verification begins: the head of a verified part. Default: the first entry. */
  readonly from?: AuditHead
  /** The last entry to read. Default: the end of the chain. */
  readonly until?: number
}

/** Recomputes a chain, page by page; between the pages other work of this process goes on. */
export async function verifyChain(chain: string, options: ChainVerification): Promise<ChainReport> {
  const { store, known = [], from, until = Infinity } = options
  const faults: ChainFault[] = []
  const add = (seq: number, fault: ChainFaultKind): void => {
    if (faults.length < FAULTS_MAX) faults.push({ seq, fault })
  }
  const knownHashes = new Map(known.filter((head) => head.chain === chain).map((head) => [head.seq, head.hash]))
  let head = from ?? emptyChain(chain)
  let entries = 0
  for await (const entry of readChain(store, head, until)) {
    const fault = await faultOf(options, head, entry, knownHashes.get(entry.seq))
    if (fault !== null) add(entry.seq, fault)
    // Continues from the stored hash, so that one edit is reported once.
    head = { chain, seq: entry.seq, hash: entry.hash }
    entries++
  }
  const last = Math.max(0, ...knownHashes.keys())
  if (last > head.seq && last <= until) add(head.seq + 1, 'cut')
  return { chain, entries, head, faults }
}

async function* readChain(store: Pick<Store, 'read'>, { chain, seq }: AuditHead, until: number): AsyncGenerator<AuditRow> {
  for (let after = seq; after < until;) {
    const page = await store.read(listAuditEntries(chain, after, Math.min(PAGE, until - after)))
    yield* page.filter((entry) => entry.seq <= until)
    const last = page.at(-1)
    if (last === undefined) return
    after = last.seq
    await nextTurn()
  }
}

/** Lets the event loop go on: a read of SQLite takes no turn of it. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

async function faultOf(
  { keys, unkeyedUntil = 0 }: ChainVerification,
  head: AuditHead,
  entry: AuditRow,
  knownHash: Uint8Array | undefined,
): Promise<ChainFaultKind | null> {
  if (entry.seq !== head.seq + 1) return 'gap'
  if (entry.keyId === '' && entry.seq > unkeyedUntil) return 'unkeyed'
  const loaded = entry.keyId === '' ? null : findAuditKey(keys, entry.keyId)
  const key = loaded instanceof Promise ? await loaded : loaded
  if (key === undefined) return 'unknown_key'
  if (!isSame(makeLinkHash(key, head.hash, entry), entry.hash)) return 'edited'
  return knownHash !== undefined && !isSame(knownHash, entry.hash) ? 'rewritten' : null
}

/** The audit key of this id; undefined when the key store has none. */
export function findAuditKey(keys: AuditKeys, keyId: string): Dek | undefined | Promise<Dek | undefined> {
  if (!/^[0-9a-f]{32}$/.test(keyId)) return undefined
  const dek = keys.byId(keyId)
  if (!(dek instanceof Promise)) return asAuditKey(dek)
  return dek.then(asAuditKey, (err: unknown) => {
    if (err instanceof UnknownKeyError || err instanceof KeyDestroyedError) return undefined
    throw err
  })
}

function asAuditKey(dek: Dek): Dek | undefined {
  return dek.purpose === 'audit' ? dek : undefined
}

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}

/** Some milliseconds of work. */
const PAGE = 200
const FAULTS_MAX = 100
