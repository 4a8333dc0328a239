import type { AdapterTable } from '../adapter.ts'
import { sandboxNetwork } from '../sandbox/network.ts'
import type { Network, NetworkAdapterDependencies } from './network.ts'

/** The card networks, chosen by `TESSERA_NETWORK`. A new one is a file in this folder and a line here (docs/guides/write-an-adapter.md). */
export const networkAdapters: AdapterTable<Network, NetworkAdapterDependencies> = {
  port: 'network',
  adapters: [sandboxNetwork],
  defaultForTest: 'sandbox',
  meaning: 'The card network.',
}
