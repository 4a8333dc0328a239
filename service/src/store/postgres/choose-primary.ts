import { StoreUnavailable } from '../store.ts'
import type { PrimaryCandidate, SeenPrimary } from './fence.ts'
import { chooseEpoch } from './fence-row.ts'
import { makeHostProbe } from './host-probe.ts'
import { openPrimarySession } from './host-session.ts'
import { hostLabel, readHosts } from './hosts.ts'
import { KEYS_SCHEMA } from './migrate.ts'
import { connectError } from './primary.ts'

/** One host of a URL, as it was found. */
export interface HostState {
  /** `db1:5432`. */
  readonly label: string
  readonly state: 'primary' | 'standby' | 'away'
  readonly primary: PrimaryCandidate | null
}

/** Looks at every host of a URL, with connections of its own. */
export async function findHosts(url: string, database: 'cards' | 'keys'): Promise<HostState[]> {
  return Promise.all(
    readHosts(url).map(async (host) => {
      const label = hostLabel(host)
      const probe = makeHostProbe(host, schemaOf(database))
      try {
        const primary = await probe.look()
        return { label, state: primary === null ? 'standby' : 'primary', primary } as const
      } catch {
        return { label, state: 'away', primary: null } as const
      } finally {
        probe.close()
      }
    }),
  )
}

/**
 * Begins a new epoch on one host: the services follow it, and do not heed the others that were found until one of these is promoted again. Returns the
 * epoch. Throws `StoreUnavailable` when the host does not answer any more, or another operator has chosen meanwhile.
 */
export async function choosePrimary(
  chosen: PrimaryCandidate,
  { found, seen, database }: { found: readonly HostState[]; seen: SeenPrimary | null; database: 'cards' | 'keys' },
): Promise<number> {
  const all: SeenPrimary[] = [...found.flatMap(({ primary }) => (primary === null ? [] : [primary])), ...(seen === null ? [] : [seen])]
  const epoch = 1 + Math.max(...all.map((each) => each.epoch))
  const over = Math.max(...all.map(({ timeline }) => timeline))
  const options = { allowUnsafe: false, searchPath: schemaOf(database) }
  const { session } = await openPrimarySession(chosen.host, options, () => undefined).catch((err: unknown) => {
    throw connectError(1, err)
  })
  try {
    if (await chooseEpoch(session, { epoch, timeline: chosen.timeline, over })) return epoch
    throw new StoreUnavailable('another primary was chosen meanwhile')
  } finally {
    await session.end()
  }
}

function schemaOf(database: 'cards' | 'keys'): string | null {
  return database === 'keys' ? KEYS_SCHEMA : null
}
