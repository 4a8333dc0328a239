import type { Dek } from '@tessera/vault/dek'
import { KeyDestroyedError, type Keyring, UnknownKeyError } from '@tessera/vault/keyring'

import { type AuditHead, type AuditRow, type BrokenAuditRow, listStoredEntries } from '../../store/audit.ts'
import { emptyChain, makeLinkHash } from '../../store/audit-chain.ts'
import { type Store, StoreDamaged } from '../../store/store.ts'
import { noWalk, type Walk } from '../../store/walk.ts'

/** A fault at an entry of a chain. */
export interface ChainFault {
  readonly seq: number
  /**
   * `edited`: the entry does not match its hash. `gap`: entries before it are missing. `cut`: known entries are missing at the end.
   * `rewritten`: the chain is consistent, but does not match a known head. `unkeyed`: the entry was linked without a key after the boundary.
   * `unknown_key`: it was linked under a key that the key store does not have. `unreadable`: a column of the entry holds what the service never wrote. `damaged`: the database
   * cannot read the chain any further.
   */
  readonly fault: ChainFaultKind
}

export type ChainFaultKind = 'edited' | 'gap' | 'cut' | 'rewritten' | 'unkeyed' | 'unknown_key' | 'unreadable' | 'damaged'

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
  /** Counts the entries. */
  readonly walk?: Walk
}

/** Recomputes a chain, page by page; other work of this process goes on in between. The next page is read while one is recomputed. */
export async function verifyChain(chain: string, options: ChainVerification): Promise<ChainReport> {
  const { store, known = [], from, until = Infinity, walk = noWalk } = options
  const faults: ChainFault[] = []
  const add = (seq: number, fault: ChainFaultKind): void => {
    if (faults.length < FAULTS_MAX) faults.push({ seq, fault })
  }
  const knownHashes = new Map(known.filter((head) => head.chain === chain).map((head) => [head.seq, head.hash]))
  let head = from ?? emptyChain(chain)
  let entries = 0
  let isDamaged = false
  try {
    for await (const page of readChain(store, head, until)) {
      for (const entry of page) {
        const found = 'brokenAt' in entry ? 'unreadable' : faultOf(options, head, entry, knownHashes.get(entry.seq))
        const fault = found instanceof Promise ? await found : found
        if (fault !== null) add(entry.seq, fault)
        // Continues from the stored hash, so that one edit is reported once.
        head = { chain, seq: entry.seq, hash: entry.hash }
        entries++
        const pause = walk.advance(1)
        if (pause !== undefined) await pause
      }
    }
  } catch (err) {
    if (!(err instanceof StoreDamaged)) throw err
    isDamaged = true
    add(head.seq + 1, 'damaged')
  }
  const last = Math.max(0, ...knownHashes.keys())
  if (!isDamaged && last > head.seq && last <= until) add(head.seq + 1, 'cut')
  return { chain, entries, head, faults }
}

/** How much of a chain is its end. */
export interface ChainEndVerification extends Omit<ChainVerification, 'from' | 'until'> {
  /** How many of the newest entries are verified. */
  readonly newest: number
}

/** Recomputes the newest entries of a chain whose last one has the number `seq`. */
export async function verifyChainEnd(chain: string, seq: number, { newest, ...options }: ChainEndVerification): Promise<ChainReport> {
  // The first of them that is there, or the end.
  const [first] = seq > newest ? await options.store.read(listStoredEntries(chain, seq - newest - 1, 1)) : []
  return verifyChain(chain, first === undefined ? options : { ...options, from: { chain, seq: first.seq, hash: first.hash } })
}

type ChainPage = readonly (AuditRow | BrokenAuditRow)[]

async function* readChain(store: Pick<Store, 'read'>, { chain, seq }: AuditHead, until: number): AsyncGenerator<ChainPage> {
  const readAfter = async (after: number): Promise<ChainPage> =>
    after >= until ? [] : store.read(listStoredEntries(chain, after, Math.min(PAGE, until - after)))
  let reading = readAfter(seq)
  for (let after = seq; ;) {
    const page = await reading
    const last = page.at(-1)
    if (last === undefined) return
    // Always forward, also where an index finds an entry under a position that it does not have.
    after = Math.max(after + 1, last.seq)
    reading = readAfter(after)
    // It is awaited in the next round, unless the caller stops before.
    reading.catch(() => undefined)
    yield page.filter((entry) => entry.seq <= until)
  }
}

/** Synchronous when the key is loaded. */
function faultOf(
  { keys, unkeyedUntil = 0 }: ChainVerification,
  head: AuditHead,
  entry: AuditRow,
  knownHash: Uint8Array | undefined,
): Promise<ChainFaultKind | null> | ChainFaultKind | null {
  if (entry.seq !== head.seq + 1) return 'gap'
  if (entry.keyId === '') return entry.seq > unkeyedUntil ? 'unkeyed' : linkFault(null)
  const key = findAuditKey(keys, entry.keyId)
  return key instanceof Promise ? key.then(linkFault) : linkFault(key)

  function linkFault(dek: Dek | null | undefined): ChainFaultKind | null {
    if (dek === undefined) return 'unknown_key'
    if (!isSame(makeLinkHash(dek, head.hash, entry), entry.hash)) return 'edited'
    return knownHash !== undefined && !isSame(knownHash, entry.hash) ? 'rewritten' : null
  }
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
