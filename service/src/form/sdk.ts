import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { FormAssets, SdkFile } from './assets.ts'
import { sdkHeaders } from './headers.ts'

/** `/sdk/v1/` follows the newest build; `/sdk/<version>/` never changes, and its integrity is published beside it. */
export function serveSdk(app: FastifyInstance, { files, version }: FormAssets): void {
  for (const [name, file] of files) {
    app.get(`/sdk/v1/${name}`, (request, reply) => send(request, reply.headers(headersOf(name, 'public, max-age=3600')), file))
    app.get(`/sdk/${version}/${name}`, (request, reply) => send(request, reply.headers(headersOf(name, unchanging)), file))
  }
  const integrity = { version, files: Object.fromEntries([...files].map(([name, file]) => [name, file.integrity])) }
  for (const folder of ['v1', version]) {
    app.get(`/sdk/${folder}/integrity.json`, (_request, reply) =>
      reply.headers({ ...sdkHeaders, 'content-type': 'application/json', 'cache-control': 'no-store' }).send(JSON.stringify(integrity)),
    )
  }
}

/** Types are read by compilers and editors, never run: what ends in .ts would else pass for a film by most tables. */
function headersOf(name: string, caching: string): Readonly<Record<string, string>> {
  const type = name.endsWith('.d.ts') ? { 'content-type': 'application/typescript; charset=utf-8' } : {}
  return { ...sdkHeaders, ...type, 'cache-control': caching }
}

function send(request: FastifyRequest, reply: FastifyReply, { bytes, gzipped }: SdkFile): FastifyReply {
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(bytes)
  return reply.header('content-encoding', 'gzip').send(gzipped)
}

const unchanging = 'public, max-age=31536000, immutable'
