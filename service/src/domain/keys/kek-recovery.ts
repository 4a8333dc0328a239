import type { Kek } from '@tessera/vault/kek'
import { randomSecret } from '@tessera/vault/random'

export interface KekRecoveryDependencies {
  readonly kek: Pick<Kek, 'wrap' | 'failure'>
  readonly nextKek: () => Pick<Kek, 'wrap' | 'failure'> | null
}

/**
 * Calls the provider of a KEK that was away, so that readiness says when it is back. Keys stay in memory, and the next call that needs the provider may come
 * after hours; of several workers, nobody can choose which of them it comes to. What was wrapped is thrown away.
 */
export function makeKekRecovery({ kek, nextKek }: KekRecoveryDependencies): () => Promise<void> {
  return async () => {
    for (const each of [kek, nextKek()]) {
      if (each === null || each.failure() === null) continue
      const sample = randomSecret(32)
      // The provider records what it found, and has logged when it went away.
      await each.wrap(sample, associated).catch(() => undefined)
      sample.fill(0)
    }
  }
}

const associated = Buffer.from('tessera: is the provider back')
