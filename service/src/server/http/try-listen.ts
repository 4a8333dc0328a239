import { createServer } from 'node:net'

import type { ListenAddress } from './http-server.ts'

/** Listens on a port for a moment. Rejects with the error of the system when that is not possible. */
export function tryListen({ host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()))
  })
}
