import fastify, { type FastifyInstance, type FastifyPluginCallback } from 'fastify'
import type { RequestListener, Server } from 'node:http'

import type { Answer } from './answer.ts'
import { answerBrokenRequest } from './broken-request.ts'
import { noProxies, type TrustedProxies } from './client-address.ts'
import { makeDesk, type Desk } from './desk.ts'
import { refuseRequest } from './exchange.ts'
import { problemText } from './problem.ts'
import { defaultBounds, makeServer, type HttpBounds } from './server.ts'

export interface HttpParts {
  readonly answer: Answer
  readonly bounds?: Partial<HttpBounds>
  /** Whose word about the client's address is taken; nobody's where it is left out. */
  readonly proxies?: TrustedProxies
  /** Pages beside the API (form, dashboard): each a plug-in with routes of its own, which brings the body parsers it needs. */
  readonly pages?: readonly FastifyPluginCallback[]
  /** A page threw what it did not foresee, or something threw where nothing may. */
  readonly failed?: (cause: unknown) => void
}

export interface Http {
  /** To listen with and to close; its routes are those of the pages. */
  readonly app: FastifyInstance
  /** Calls of the API that are being answered. */
  inFlight(): number
  /**
   * Stops: takes no new connection, answers what has arrived, refuses what still comes with 503, and closes each connection after its reply.
   * Resolves when all are closed; after `deadlineMs` the rest is cut off.
   */
  drain(deadlineMs: number): Promise<void>
}

/**
 * Builds the HTTP side. The API does not go through Fastify's request life: it needs none of it, and the path is compared raw there
 * (docs/decisions/0007-fastify.md). Everything else on the same listener does.
 */
export function buildHttp({ answer, bounds, proxies = noProxies, pages = [], failed = () => undefined }: HttpParts): Http {
  const all = { ...defaultBounds, ...bounds }
  const desk = makeDesk({ answer, failed, heldBytesMax: all.heldBytesMax, proxies }, all)
  const app = fastify({
    logger: false,
    serverFactory: (listener: RequestListener) => makeServer(desk, all, listener),
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (_err, request, reply) => {
      reply.hijack()
      refuseRequest(request.raw, reply.raw, { name: 'notFound', turn: 0, desk })
    },
    keepAliveTimeout: all.keepAliveMs,
    requestTimeout: all.requestTimeoutMs,
    forceCloseConnections: 'idle',
  })
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) {
      done()
      return
    }
    reply.hijack()
    refuseRequest(request.raw, reply.raw, { name: 'notFound', turn: 0, desk })
  })
  // A page that is not there for this host says so as the rest does.
  app.setNotFoundHandler((request, reply) => {
    reply.hijack()
    refuseRequest(request.raw, reply.raw, { name: 'notFound', turn: 0, desk })
  })
  app.setErrorHandler((err, _request, reply) => {
    failed(err)
    return reply.code(500).type('application/problem+json').send(problemText('failed'))
  })
  for (const page of pages) app.register(page)
  return Object.freeze({ app, inFlight: () => desk.inFlight.total, drain: (deadlineMs: number) => drain(app.server, desk, deadlineMs) })
}

async function drain(server: Server, desk: Desk, deadlineMs: number): Promise<void> {
  desk.isDraining = true
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const cutAfter = (ms: number) => setTimeout(() => server.closeAllConnections(), ms)
  const cut = [cutAfter(deadlineMs)]
  // What is still open then has no request on it: a client that connected ahead of its need.
  desk.idle = () => cut.push(cutAfter(lastReplyMs))
  if (desk.open === 0) desk.idle()
  await closed
  cut.forEach((timer) => clearTimeout(timer))
}

/** Time for the last replies to leave the machine. */
const lastReplyMs = 100
