import { isRowMacValid, macKeyIdOf, makeRowMac } from '@tessera/vault/rowmac'
import { KeyDestroyedError, UnknownKeyError, type Keyring } from '@tessera/vault/keyring'

import type { AuditHead } from '../../store/audit.ts'

/** Where the follower records how far it read the audit: outside of the database, so that a person who writes the database cannot put this back with it. */
export interface Anchors {
  /** Null when nothing was recorded. Throws `AnchorBroken`. */
  readHeads(): Promise<readonly AuditHead[] | null>
  saveHeads(heads: readonly AuditHead[]): Promise<void>
  /** Null when there is none that can be used: then the audit is read from its beginning. */
  readSnapshot(): Promise<Snapshot | null>
  saveSnapshot(snapshot: Snapshot): Promise<void>
}

/** The versions at these heads, as `ObjectVersions.toBytes` returns them. */
export interface Snapshot {
  readonly heads: readonly AuditHead[]
  readonly versions: Uint8Array
}

/** A place for one small value: a file of the service, or a row of the key store. */
export interface ValueStore {
  read(): Promise<Uint8Array | null>
  /** Durable when it resolves. */
  save(value: Uint8Array): Promise<void>
}

export interface AnchorDependencies {
  readonly heads: ValueStore
  readonly snapshot: ValueStore
  readonly keyring: Pick<Keyring, 'active' | 'byId'>
  readonly environment: string
}

/** What was recorded has no valid MAC. */
export class AnchorBroken extends Error {
  override readonly name = 'AnchorBroken'
  readonly code = 'anchor_broken'

  constructor() {
    super(
      'anchor_broken: what the service recorded about its audit is damaged, or was written under other keys. Check that the data folder and the key ' +
        'store belong to this database. If they do, run `tessera audit accept-restored`, start the service, and run `tessera audit verify`.',
    )
  }
}

/** Records bear a MAC under the key of row MACs, so that damage is noticed, and so is a record of another service. */
export function makeAnchors({ heads, snapshot, keyring, environment }: AnchorDependencies): Anchors {
  return Object.freeze({
    async readHeads() {
      const stored = await heads.read()
      if (stored === null) return null
      const content = await open('audit_anchor', stored)
      const read = content === null ? null : parseHeads(content)
      if (read === null) throw new AnchorBroken()
      return read
    },
    async saveHeads(newest: readonly AuditHead[]) {
      await heads.save(await seal('audit_anchor', formatHeads(newest)))
    },
    async readSnapshot() {
      const stored = await snapshot.read()
      const content = stored === null ? null : await open('row_versions', stored)
      return content === null ? null : parseSnapshot(content)
    },
    async saveSnapshot(newest: Snapshot) {
      await snapshot.save(await seal('row_versions', formatSnapshot(newest)))
    },
  })

  async function seal(name: string, content: Uint8Array): Promise<Uint8Array> {
    const mac = makeRowMac(await keyring.active('row_mac'), name, environment, [content])
    return Buffer.concat([mac, content])
  }

  async function open(name: string, stored: Uint8Array): Promise<Uint8Array | null> {
    const [mac, content] = [stored.subarray(0, macBytes), stored.subarray(macBytes)]
    if (mac.length !== macBytes) return null
    try {
      const dek = await keyring.byId(macKeyIdOf(mac))
      return dek.purpose === 'row_mac' && isRowMacValid(dek, mac, name, environment, [content]) ? content : null
    } catch (err) {
      if (err instanceof UnknownKeyError || err instanceof KeyDestroyedError) return null
      throw err
    }
  }
}

function formatHeads(heads: readonly AuditHead[]): Uint8Array {
  return Buffer.from(JSON.stringify(heads.map(({ chain, seq, hash }) => [chain, seq, Buffer.from(hash).toString('hex')])))
}

function parseHeads(content: Uint8Array): AuditHead[] {
  const heads = JSON.parse(Buffer.from(content).toString()) as [string, number, string][]
  return heads.map(([chain, seq, hash]) => ({ chain, seq, hash: Uint8Array.from(Buffer.from(hash, 'hex')) }))
}

/** The length of the heads, four bytes; the byte order of this machine, two; the heads; the versions. */
function formatSnapshot({ heads, versions }: Snapshot): Uint8Array {
  const head = formatHeads(heads)
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUInt32BE(head.length, 0)
  prefix.set(byteOrder(), 4)
  return Buffer.concat([prefix, head, versions])
}

function parseSnapshot(content: Uint8Array): Snapshot | null {
  const bytes = Buffer.from(content)
  const headEnd = prefixBytes + bytes.readUInt32BE(0)
  if (Buffer.compare(bytes.subarray(4, prefixBytes), byteOrder()) !== 0) return null
  return { heads: parseHeads(bytes.subarray(prefixBytes, headEnd)), versions: bytes.subarray(headEnd) }
}

function byteOrder(): Uint8Array {
  return new Uint8Array(Uint16Array.of(1).buffer)
}

const macBytes = 48
const prefixBytes = 6
