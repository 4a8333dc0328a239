import { printOpenRpc } from '@tessera/contract/openrpc'

import type { Row } from './method.ts'

/** Gives the OpenRPC document, printed once. */
export function rpcDiscover(version: string): Row<'rpc.discover'>['run'] {
  const document = printOpenRpc(version)
  return async () => document
}
