import { createServer } from 'node:http'
import { readFile, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { extname, join, relative, resolve, sep } from 'node:path'

/** A folder of pages on loopback, for as long as they are looked at. */
export interface Served {
  /** Where a page of the folder is. */
  readonly addressOf: (path: string) => string
  readonly close: () => void
}

/** Serves files under `folder` and nothing above it; on `localhost`, since the form of the test environment is another site, 127.0.0.1. */
export async function serveFolder(folder: string): Promise<Served> {
  const root = resolve(folder)
  const server = createServer((request, reply) => {
    void (async () => {
      const asked = URL.parse(request.url ?? '/', 'http://localhost')?.pathname ?? '/'
      const path = resolve(root, `.${sep}${join('/', decode(asked))}`)
      const isInside = path === root || path.startsWith(root + sep)
      const file = isInside && (await stat(path).catch(() => null))?.isDirectory() === true ? join(path, 'index.html') : path
      const bytes = isInside ? await readFile(file).catch(() => null) : null
      reply.writeHead(bytes === null ? 404 : 200, { 'content-type': kinds[extname(file).toLowerCase()] ?? 'application/octet-stream' })
      reply.end(bytes ?? '')
    })()
  })
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    addressOf: (path) => `http://localhost:${port}/${relative(root, resolve(path)).split(sep).map(encodeURIComponent).join('/')}`,
    close() {
      server.close().closeAllConnections()
    },
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return '/'
  }
}

const kinds: Readonly<Record<string, string>> = {
  ...{
    '.html': 'text/html; charset=utf-8',
    '.htm': 'text/html; charset=utf-8',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
    '.json': 'application/json',
  },
  ...{
    '.js': 'text/javascript',
    '.mjs': 'text/javascript',
    '.png': 'image/png',
    '.jpg': 'image/jpeg',
    '.webp': 'image/webp',
    '.woff2': 'font/woff2',
  },
}
