import { createServer } from 'node:net'

/** Why a port cannot be listened on, in the system's word (`EADDRINUSE`, `EACCES`), or null when it can. */
export function tryPort(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (err: NodeJS.ErrnoException) => resolve(err.code ?? 'unknown'))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}
