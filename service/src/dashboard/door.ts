import { bodyBytesMax } from '@tessera/contract/envelope'
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'

import type { Visitor } from '../methods/method.ts'
import type { Answer } from '../rpc/answer.ts'
import { clientAddress, type TrustedProxies } from '../rpc/client-address.ts'

import type { DashboardAssets } from './assets.ts'
import { makeSessionCookie, type SessionCookie } from './cookie.ts'
import { assetHeaders, documentHeaders, writeDocument } from './document.ts'
import { makeDashboardHost, type DashboardHost } from './host.ts'

export interface DoorParts {
  readonly answer: Answer
  readonly assets: DashboardAssets
  /** Null: `localhost`, whatever the port. */
  readonly dashboardOrigin: string | null
  /** Null: every name of 127.0.0.1. */
  readonly formOrigin: string | null
  readonly proxies: TrustedProxies
}

/** The dashboard's own host: its document, its files, and the door `POST /dashboard/api`. On any other host none of it is there. */
export function makeDashboardDoor({ answer, assets, dashboardOrigin, formOrigin, proxies }: DoorParts): FastifyPluginCallback {
  const host = makeDashboardHost(dashboardOrigin)
  const cookie = makeSessionCookie(host.isSecure)
  const page = writeDocument(assets)
  const headers = documentHeaders(formOrigin ?? 'http://127.0.0.1:*')
  return (app, _options, done) => {
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, (_request, body, parsed) => parsed(null, body))
    app.setErrorHandler((err: Error & { readonly statusCode?: number }, _request, reply) => {
      if (err.statusCode !== 413) throw err
      return reply.code(413).type('text/plain').send('A body holds at most 64 KiB.')
    })
    app.addHook('onRequest', (request, reply, next) => {
      if (host.is(request.headers.host)) next()
      else reply.callNotFound()
    })
    app.get('/dashboard/assets/:name', (request, reply) => {
      const file = assets.files.get((request.params as { name: string }).name)
      if (file === undefined) {
        reply.callNotFound()
        return reply
      }
      reply.headers({ ...assetHeaders, 'content-type': file.type })
      return takesGzip(request) ? reply.header('content-encoding', 'gzip').send(file.gzipped) : reply.send(file.bytes)
    })
    for (const path of ['/dashboard', '/dashboard/', '/dashboard/*']) app.get(path, (_request, reply) => reply.headers(headers).send(page))
    app.post('/dashboard/api', (request, reply) => answerCall(request, reply, { answer, host, cookie, proxies }))
    done()
  }
}

interface CallParts {
  readonly answer: Answer
  readonly host: DashboardHost
  readonly cookie: SessionCookie
  readonly proxies: TrustedProxies
}

async function answerCall(
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, host, cookie, proxies }: CallParts,
): Promise<FastifyReply> {
  let kept: string | null | undefined
  const visitor: Visitor = {
    cookie: cookie.read(request.headers.cookie),
    csrf: one(request.headers['x-tessera-csrf']),
    userAgent: one(request.headers['user-agent']) ?? '',
    keepCookie: (session) => (kept = session),
  }
  const { status, text, retryAfterSeconds } = await answer({
    refusal: isFromDashboard(request, host) ? null : 'notFromDashboard',
    segment: null,
    hasQuery: request.url.includes('?'),
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    ...{ xAuth: null, origin: null, isFromBrowser: true, idempotencyKey: null },
    acceptLanguage: one(request.headers['accept-language']) ?? undefined,
    address: clientAddress(request.socket.remoteAddress ?? '', request.raw.rawHeaders, proxies),
    visitor,
  })
  if (retryAfterSeconds !== null) reply.header('retry-after', String(retryAfterSeconds))
  if (kept !== undefined) reply.header('set-cookie', cookie.write(kept))
  return reply.code(status).headers(replyHeaders).send(text)
}

/** A page of ours, by the browser's own word. Whoever comes with X-Auth is no page; neither is one of another port on this host. */
function isFromDashboard({ headers }: FastifyRequest, host: DashboardHost): boolean {
  return (
    headers['sec-fetch-site'] === 'same-origin' &&
    headers.origin === host.originOf(headers.host ?? '') &&
    /^application\/json(?:;|$)/.test(headers['content-type'] ?? '') &&
    headers['x-auth'] === undefined
  )
}

function one(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null
}

function takesGzip(request: FastifyRequest): boolean {
  return /\bgzip\b/.test(one(request.headers['accept-encoding']) ?? '')
}

const replyHeaders = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}
