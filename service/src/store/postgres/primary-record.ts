import { isOlder, type SeenPrimary } from './fence.ts'

/** Where the epoch that was seen last is recorded outside of the database: an old primary that comes back has an old fencing row too. */
export interface PrimaryRecord {
  /** Null when no primary was followed yet. */
  read(): Promise<SeenPrimary | null>
  /** Durable when it resolves. */
  save(seen: SeenPrimary): Promise<void>
}

/** A place for one small value: a file of the data folder, a row of the key store. */
export interface RecordPlace {
  read(): Promise<Uint8Array | null>
  save(value: Uint8Array): Promise<void>
}

/** Records in every place, and reads the newest of them: a process without its data folder finds what another one recorded. Throws `PrimaryRecordDamaged`. */
export function makePrimaryRecord(places: readonly RecordPlace[]): PrimaryRecord {
  return Object.freeze({
    async read() {
      const found = await Promise.all(places.map(async (place) => parse(await place.read())))
      return found.reduce(newestOf, null)
    },
    async save({ epoch, timeline }: SeenPrimary) {
      const value = Buffer.from(`${JSON.stringify({ epoch, timeline })}\n`)
      const results = await Promise.allSettled(places.map((place) => place.save(value)))
      for (const result of results) if (result.status === 'rejected') throw result.reason
    },
  })
}

/** The newer of two; either may be missing. */
export function newestOf(one: SeenPrimary | null, other: SeenPrimary | null): SeenPrimary | null {
  if (one === null || other === null) return one ?? other
  return isOlder(one, other) ? other : one
}

/** For a store that nobody recorded anything about, and for tools that look only. */
export const noRecord: PrimaryRecord = Object.freeze({ read: async () => null, save: async () => undefined })

/** What was recorded cannot be read. */
export class PrimaryRecordDamaged extends Error {
  override readonly name = 'PrimaryRecordDamaged'
}

function parse(value: Uint8Array | null): SeenPrimary | null {
  if (value === null) return null
  const { epoch, timeline } = readJson(Buffer.from(value).toString())
  if (Number.isSafeInteger(epoch) && Number.isSafeInteger(timeline)) return { epoch: Number(epoch), timeline: Number(timeline) }
  throw new PrimaryRecordDamaged(
    'the record of the primary that was followed last (primary-epoch in the data folder, or in the key store) is damaged: ' +
      'make sure which server is the newest, and run tessera store choose-primary',
  )
}

function readJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
