import { KekSealedError, type Kek } from '@tessera/vault/kek'

import type { Adapter } from '../adapter.ts'
import type { KekAdapterDependencies } from './kek.ts'

/**
 * A key encryption key in shares of custodians. Only a service in which they entered their shares has it (`app/sealed-service.ts`), so a command that
 * opens the key store by itself cannot use it.
 */
export const sharesKek: Adapter<Promise<Kek>, KekAdapterDependencies> = {
  name: 'shares',
  isForTestOnly: false,
  settings: {},
  create: () => Promise.reject(new KekSealedError('custodians hold the KEK in shares: only a service that they unsealed can use it')),
}
