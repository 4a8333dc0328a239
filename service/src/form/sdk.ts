import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { FormAssets, SdkFile } from './assets.ts'
import { sdkHeaders } from './headers.ts'

/** `/sdk/v1/` follows the newest build; `/sdk/<version>/` never changes, and its integrity is published beside it. */
export function serveSdk(app: FastifyInstance, { files, version }: FormAssets): void {
  for (const [name, file] of files) {
    app.get(`/sdk/v1/${name}`, (request, reply) => send(request, reply.header('cache-control', 'public, max-age=3600'), file))
    app.get(`/sdk/${version}/${name}`, (request, reply) => send(request, reply.header('cache-control', unchanging), file))
  }
  const integrity = { version, files: Object.fromEntries([...files].map(([name, file]) => [name, file.integrity])) }
  for (const folder of ['v1', version]) {
    app.get(`/sdk/${folder}/integrity.json`, (_request, reply) =>
      reply.headers({ ...sdkHeaders, 'content-type': 'application/json', 'cache-control': 'no-store' }).send(JSON.stringify(integrity)),
    )
  }
}

function send(request: FastifyRequest, reply: FastifyReply, { bytes, gzipped }: SdkFile): FastifyReply {
  reply.headers(sdkHeaders)
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(bytes)
  return reply.header('content-encoding', 'gzip').send(gzipped)
}

const unchanging = 'public, max-age=31536000, immutable'
