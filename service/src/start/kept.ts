import type { Kek } from '@tessera/vault/kek'
import { openKeyring } from '@tessera/vault/keyring'
import type { Keyring } from '@tessera/vault/keyring'

import { openKeys, openStore } from './adapters.ts'
import type { Adapters } from './adapters.ts'
import type { Closing } from './closing.ts'
import { placesIn } from './folder.ts'
import type { StartParts } from './parts.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { Store } from '../store/store.ts'

/** What is kept, and under which keys. */
export interface Kept {
  readonly store: Store
  readonly keyring: Keyring
  readonly kek: Kek
}

/** Opens the keys and the store; `closing` gets what closes them. */
export async function openKept(parts: StartParts, adapters: Adapters, closing: Closing): Promise<Kept> {
  const { config, clock, log, endNow } = parts
  const events = { tell: log.info, lost: (cause: Error) => endNow('ioError', 'store_lost', cause) }
  const kek = await adapters.openKek(placesIn(config.dataFolder).kek)
  const keys = await untilReachable(parts, () => openKeys(config))
  closing.add(() => keys.close())
  const keyring = await openKeyring({ kek, keys, environment: config.environment, now: clock.now })
  const store = await untilReachable(parts, () => openStore(config, events))
  closing.add(() => store.close(CLOSE_MS))
  return { store, keyring, kek }
}

/** A database is often started together with us: asks again each second, as long as the settings allow. */
async function untilReachable<T>({ config, log, clock, stopping }: StartParts, open: () => Promise<T>): Promise<T> {
  const giveUpAt = clock.moment().monotonicMs + config.databaseWaitSeconds * 1000
  for (let attempt = 1; ; attempt++) {
    try {
      return await open()
    } catch (err) {
      if (!(err instanceof StoreUnavailable) || stopping.aborted || clock.moment().monotonicMs >= giveUpAt) throw err
      log.warn('database_unreachable', { attempt, err })
      await clock.sleep(1000, stopping)
    }
  }
}

/** What a store may take to end what is under way. */
export const CLOSE_MS = 5000
