import type { Kek } from '@tessera/vault/kek'
import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../../clock.ts'
import { insertKeks, listKekProcesses, listKeks, noteKekProcess, type KekProcessRow } from '../../store/keks.ts'
import type { Store } from '../../store/store.ts'
import type { RunningProcesses } from '../idempotency/processes.ts'

/** The key encryption keys (KEKs) that are in use, since when, and which of them each process has. */
export interface KekRegistry {
  /** Stores what this process has, and the KEK that wraps new keys. To be called at the start and periodically. */
  update(): Promise<void>
  /** The KEKs of which stored keys are, and those of this process; the one that wraps new keys first. */
  list(): Promise<KekDetails[]>
  /** The ids of running processes that do not have a KEK. */
  listProcessesWithout(kekId: string): Promise<string[]>
  /** Whether a KEK has ever wrapped keys. */
  wasUsed(kekId: string): Promise<boolean>
  /** Since when the KEK that wraps new keys is in use, Unix milliseconds; null until `update` has stored it. */
  wrappingSince(): number | null
}

export interface KekDetails {
  readonly kekId: string
  /** The kind of its provider; `unknown` for one that this process does not have. */
  readonly kind: string
  /** Unix milliseconds; null until it has wrapped a key. */
  readonly since: number | null
  /** Data keys that it wraps and that are not destroyed. */
  readonly keys: number
  /** Whether new keys are wrapped by it. */
  readonly isWrapping: boolean
  /** Whether this process can unwrap by it. */
  readonly isOpen: boolean
}

export interface KekRegistryDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly kek: Pick<Kek, 'id' | 'kind'>
  readonly nextKek: () => Pick<Kek, 'id' | 'kind'> | null
  /** Other KEKs that this process has. */
  readonly heldKeks: () => readonly Pick<Kek, 'id' | 'kind'>[]
  readonly processes: RunningProcesses
  readonly clock: Pick<Clock, 'now'>
}

export function makeKekRegistry(deps: KekRegistryDependencies): KekRegistry {
  const { store, keyring, kek, nextKek, heldKeks, processes, clock } = deps
  let wrapping: { readonly kekId: string; readonly since: number } | null = null
  return Object.freeze({ update, list, wasUsed, listProcessesWithout, wrappingSince })

  function openKeks(): Pick<Kek, 'id' | 'kind'>[] {
    const next = nextKek()
    const all = [kek, ...heldKeks(), ...(next === null ? [] : [next])]
    return all.filter(({ id }, at) => all.findIndex((other) => other.id === id) === at)
  }

  async function update(): Promise<void> {
    await noteProcess()
    const kekId = keyring.wrappingKekId()
    if (wrapping?.kekId !== kekId) await noteWrapping(kekId)
  }

  async function noteProcess(): Promise<void> {
    const processId = await processes.ownId()
    const kekIds = openKeks()
      .map(({ id }) => id)
      .join(' ')
    const rows = await store.read(listKekProcesses())
    const running = await Promise.all(rows.map((row) => isRunning(row, processId)))
    const ended = rows.filter((_, at) => running[at] === false).map((row) => row.processId)
    // Another process deletes the row of one whose connection was lost for a moment, so the row that is stored counts.
    const isNoted = rows.some((row) => row.processId === processId && row.kekIds === kekIds)
    const own = processId === '' || isNoted ? null : { processId, kekIds, notedAt: clock.now() }
    if (own !== null || ended.length > 0) await store.write(noteKekProcess, { own, ended })
  }

  function isRunning({ processId }: KekProcessRow, own: string): Promise<boolean> {
    return processId === own ? Promise.resolve(true) : processes.isRunning(processId)
  }

  /** A KEK of an installation from before this table is as old as its oldest key. */
  async function noteWrapping(kekId: string): Promise<void> {
    const kind = openKeks().find(({ id }) => id === kekId)?.kind ?? kek.kind
    const oldest = Math.min(clock.now(), ...liveKeys(keyring, kekId).map(({ createdAt }) => createdAt))
    const isChange = kekId !== kek.id
    await store.write(insertKeks, { keks: [{ kekId, kind, since: isChange ? clock.now() : oldest }] })
    const stored = (await store.read(listKeks())).find((row) => row.kekId === kekId)
    wrapping = { kekId, since: stored?.since ?? oldest }
  }

  async function list(): Promise<KekDetails[]> {
    const stored = new Map((await store.read(listKeks())).map((row) => [row.kekId, row]))
    const open = openKeks()
    const used = keyring
      .list()
      .filter(({ state }) => state !== 'destroyed')
      .map(({ kekId }) => kekId)
    const isWrapping = (kekId: string): boolean => kekId === keyring.wrappingKekId()
    return [...new Set([...open.map(({ id }) => id), ...used])]
      .sort((a, b) => Number(isWrapping(b)) - Number(isWrapping(a)))
      .map((kekId) => ({
        kekId,
        kind: stored.get(kekId)?.kind ?? open.find(({ id }) => id === kekId)?.kind ?? 'unknown',
        since: stored.get(kekId)?.since ?? null,
        keys: liveKeys(keyring, kekId).length,
        isWrapping: isWrapping(kekId),
        isOpen: open.some(({ id }) => id === kekId),
      }))
  }

  async function wasUsed(kekId: string): Promise<boolean> {
    return (await store.read(listKeks())).some((row) => row.kekId === kekId)
  }

  async function listProcessesWithout(kekId: string): Promise<string[]> {
    const own = await processes.ownId()
    const without: string[] = []
    for (const row of await store.read(listKekProcesses())) {
      if (row.processId !== own && !row.kekIds.split(' ').includes(kekId) && (await isRunning(row, own))) without.push(row.processId)
    }
    return without
  }

  function wrappingSince(): number | null {
    return wrapping?.since ?? null
  }
}

function liveKeys(keyring: Pick<Keyring, 'list'>, kekId: string) {
  return keyring.list().filter((key) => key.kekId === kekId && key.state !== 'destroyed')
}
