import type { AdapterTable } from '../adapter.ts'
import { humoNetwork } from './humo/humo.ts'
import { iso8583Network } from './iso8583/iso8583.ts'
import { sandboxNetwork } from '../sandbox/network.ts'
import { uzcardNetwork } from './uzcard/uzcard.ts'
import type { Network, NetworkAdapterDependencies } from './network.ts'

/** The card networks, chosen by `TESSERA_NETWORK`; several may be used at once, each for its prefixes. A new one is a file in this folder and a line here (docs/guides/write-an-adapter.md). */
export const networkAdapters: AdapterTable<Network, NetworkAdapterDependencies> = {
  port: 'network',
  adapters: [sandboxNetwork, iso8583Network, uzcardNetwork, humoNetwork],
  defaultForTest: 'sandbox',
  isMultiple: true,
  meaning: 'The card networks, with commas between them; each takes the card numbers of its prefixes.',
}
