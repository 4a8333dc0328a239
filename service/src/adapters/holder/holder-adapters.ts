import type { AdapterTable } from '../adapter.ts'
import { sandboxHolder } from '../sandbox/holder.ts'
import type { HolderAdapterDependencies, HolderService } from './holder.ts'
import { httpHolder } from './http-holder.ts'

/** The services that say whether a phone is the cardholder's, chosen by `TESSERA_HOLDER`. Used only where a verification policy names it. */
export const holderAdapters: AdapterTable<HolderService, HolderAdapterDependencies> = {
  port: 'holder',
  adapters: [httpHolder, sandboxHolder],
  defaultForTest: 'sandbox',
  meaning: "The outside service that says whether a phone is the cardholder's, for verification policies whose holderCheck is service.",
  production: 'required where a verification policy has holderCheck service, and not an adapter of the test environment',
}
