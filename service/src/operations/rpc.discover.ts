import { printOpenRpc } from '@tessera/contract/openrpc'
import { rpcDiscoverContract } from '@tessera/contract/operations'

import { tesseraVersion } from '../ops/version.ts'

import { operation } from './operation.ts'
import { makeStaticResult } from './static-result.ts'

const document = makeStaticResult(printOpenRpc(tesseraVersion))

/** Returns the OpenRPC document. */
export const rpcDiscover = operation(rpcDiscoverContract, {
  run: () => Promise.resolve(document),
})
