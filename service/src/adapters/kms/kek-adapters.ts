import type { Kek } from '@tessera/vault/kek'

import type { AdapterTable } from '../adapter.ts'
import type { KekAdapterDependencies } from './kek.ts'
import { fileKek } from './file-kek.ts'
import { pkcs11Kek } from './pkcs11/pkcs11-kek.ts'
import { sharesKek } from './shares-kek.ts'
import { transitKek } from './transit-kek.ts'

/** The providers of the key encryption key, chosen by `TESSERA_KEK`. A new one is a file in this folder and a line here. */
export const kekAdapters: AdapterTable<Promise<Kek>, KekAdapterDependencies> = {
  port: 'kek',
  adapters: [fileKek, pkcs11Kek, transitKek, sharesKek],
  defaultForTest: 'file',
  meaning: 'The provider of the key encryption key (KEK), which wraps the data keys.',
}
