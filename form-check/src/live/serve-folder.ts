import { readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, relative, resolve, sep } from 'node:path'

export interface FolderServer {
  /** The address of a page in the folder. */
  readonly addressOf: (path: string) => string
  readonly close: () => void
}

/**
 * Serves the files of a folder on loopback, and nothing above it. The host is `localhost`: the form of the test environment is on
 * 127.0.0.1, so page and form are on different sites, as in production.
 */
export async function serveFolder(folder: string): Promise<FolderServer> {
  const root = resolve(folder)
  const server = createServer((request, response) => {
    void (async () => {
      const requested = URL.parse(request.url ?? '/', 'http://localhost')?.pathname ?? '/'
      const path = resolve(root, `.${sep}${join('/', decode(requested))}`)
      const isInside = path === root || path.startsWith(root + sep)
      const isFolder = isInside && (await stat(path).catch(() => null))?.isDirectory() === true
      const file = isFolder ? join(path, 'index.html') : path
      const bytes = isInside ? await readFile(file).catch(() => null) : null
      const contentType = contentTypes[extname(file).toLowerCase()] ?? 'application/octet-stream'
      response.writeHead(bytes === null ? 404 : 200, { 'content-type': contentType })
      response.end(bytes ?? '')
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

// prettier-ignore
const contentTypes: Readonly<Record<string, string>> = {
  '.html':  'text/html; charset=utf-8',
  '.htm':   'text/html; charset=utf-8',
  '.css':   'text/css',
  '.svg':   'image/svg+xml',
  '.json':  'application/json',
  '.js':    'text/javascript',
  '.mjs':   'text/javascript',
  '.png':   'image/png',
  '.jpg':   'image/jpeg',
  '.webp':  'image/webp',
  '.woff2': 'font/woff2',
}
