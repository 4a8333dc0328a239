import { openKeyring, type Keyring } from './keyring.ts'
import type { Kek } from './kek.ts'
import { memoryKeys, sampleKek, type MemoryKeys } from './samples.fixture.ts'

/** One of the service's processes: a keyring of its own over a key store, a KEK and a clock that others may share. */
export interface Replica {
  readonly keyring: Keyring
  readonly keys: MemoryKeys
  readonly kek: Kek
  readonly clock: { now: number }
  /** Whether the time is trusted. */
  readonly time: { isTrusted: boolean }
}

/** Starts a replica; beside another one when that is given. */
export async function startReplica(given: Partial<Replica> = {}): Promise<Replica> {
  const { keys = memoryKeys(), kek = sampleKek(), clock = { now: Date.UTC(2026, 10, 21) }, time = { isTrusted: true } } = given
  const keyring = await openKeyring({ kek, keys, environment: 'test', now: () => clock.now, isTimeTrusted: () => time.isTrusted })
  return { keys, kek, clock, time, keyring }
}

export function stateOf(keyring: Keyring, keyId: string): string | undefined {
  return keyring.list().find((key) => key.keyId === keyId)?.state
}
