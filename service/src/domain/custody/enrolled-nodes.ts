import type { Keyring } from '@tessera/vault/keyring'
import { nodeFingerprint } from '@tessera/vault/node-key'
import { isRowMacValid, makeRowMac } from '@tessera/vault/rowmac'

import type { Clock } from '../../clock.ts'
import type { KeyStoreValues } from '../../store/keys.ts'
import type { Store } from '../../store/store.ts'

/** A node that may be handed KEKs. */
export interface EnrolledNode {
  readonly name: string
  readonly publicKey: string
  /** Unix milliseconds. */
  readonly enrolledAt: number
  readonly revokedAt: number | null
}

/** The nodes that custodians enrolled: one value of the key store with a MAC, whose version only rises. */
export interface EnrolledNodes {
  /** Throws `EnrolledNodesRefused` when the list was changed, or an older one was put back. */
  list(): Promise<EnrolledNode[]>
  /** Replaces an earlier key of the same name. */
  enroll(node: Pick<EnrolledNode, 'name' | 'publicKey'>): Promise<void>
  /** False when there is no such node. */
  revoke(name: string): Promise<boolean>
}

/** The list of nodes was not written by this service, or is older than one that this node has seen. */
export class EnrolledNodesRefused extends Error {
  override readonly name = 'EnrolledNodesRefused'
}

export interface EnrolledNodesDependencies {
  readonly values: KeyStoreValues
  readonly keyring: Pick<Keyring, 'active' | 'byId'>
  readonly store: Pick<Store, 'tryLock'>
  readonly environment: string
  readonly clock: Pick<Clock, 'now'>
  /** The highest version that this node has seen, outside of the key store. */
  readonly seen: { read(): Promise<Uint8Array | null>; save(value: Uint8Array): Promise<void> }
}

export function makeEnrolledNodes({ values, keyring, store, environment, clock, seen }: EnrolledNodesDependencies): EnrolledNodes {
  return Object.freeze<EnrolledNodes>({
    list: async () => (await read()).nodes,
    enroll: ({ name, publicKey }) =>
      change((nodes) => [...nodes.filter((node) => node.name !== name), { name, publicKey, enrolledAt: clock.now(), revokedAt: null }]),
    async revoke(name) {
      if (!(await read()).nodes.some((node) => node.name === name)) return false
      await change((nodes) => nodes.map((node) => (node.name === name ? { ...node, revokedAt: node.revokedAt ?? clock.now() } : node)))
      return true
    },
  })

  async function read(): Promise<{ version: number; nodes: EnrolledNode[] }> {
    const [value] = await values.listValues(prefix)
    const highest = Number(Buffer.from((await seen.read()) ?? []).toString() || '0')
    if (value === undefined && highest === 0) return { version: 0, nodes: [] }
    const list = value === undefined ? null : parseList(value.value)
    if (list === null) throw new EnrolledNodesRefused('the list of enrolled nodes is damaged or gone')
    const { version, text, mac } = list
    const dek = await keyring.byId(mac.toString('hex', 0, 16))
    if (dek.purpose !== 'row_mac' || !isRowMacValid(dek, mac, table, environment, [version, text]))
      throw new EnrolledNodesRefused('the list of enrolled nodes was not written by this service')
    if (version < highest) throw new EnrolledNodesRefused('an older list of enrolled nodes was put back')
    if (version > highest) await seen.save(Buffer.from(String(version)))
    return { version, nodes: JSON.parse(text) as EnrolledNode[] }
  }

  /** One process at a time. */
  async function change(edit: (nodes: readonly EnrolledNode[]) => EnrolledNode[]): Promise<void> {
    const lock = await store.tryLock('enrolled-nodes')
    if (lock === null) throw new EnrolledNodesRefused('another process changes the list of enrolled nodes: try again')
    try {
      const { version, nodes } = await read()
      const text = JSON.stringify(edit(nodes))
      const mac = makeRowMac(await keyring.active('row_mac'), table, environment, [version + 1, text])
      await values.saveValue(
        `${prefix}enrolled`,
        Buffer.from(JSON.stringify({ version: version + 1, text, mac: Buffer.from(mac).toString('hex') })),
      )
      await seen.save(Buffer.from(String(version + 1)))
    } finally {
      await lock.release()
    }
  }
}

/** What custodians compare of a node's public key. */
export function fingerprintOf(publicKey: string): string {
  return nodeFingerprint(publicKey)
}

function parseList(value: Uint8Array): { version: number; text: string; mac: Buffer } | null {
  try {
    const { version, text, mac } = JSON.parse(Buffer.from(value).toString()) as Record<string, unknown>
    const isList = Number.isSafeInteger(version) && typeof text === 'string' && typeof mac === 'string' && mac.length > 32
    return isList ? { version: Number(version), text, mac: Buffer.from(mac, 'hex') } : null
  } catch {
    return null
  }
}

const prefix = 'nodes.'
const table = 'enrolled_nodes'
