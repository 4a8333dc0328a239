import { bodyBytesMax } from '@tessera/contract/envelope'
import type { IncomingMessage, ServerResponse } from 'node:http'

import { closeAfter, isBeyondLast, newestReply } from './api-socket.ts'
import { BodyBytes } from './body-bytes.ts'
import { clientAddress } from './client-address.ts'
import { corsHeaders, preflightHeaders } from './cors.ts'
import { settle, type Desk } from './desk.ts'
import { beginProblem, closes, type ProblemName } from './problem.ts'
import type { HttpReply, HttpRequest } from './request.ts'
import { RequestHeaders } from './request-headers.ts'
import type { Target } from './target.ts'

/** A request that knows its exchange, so that its listeners can be functions made once. */
interface OwnedMessage extends IncomingMessage {
  [owner]?: Exchange
}

/** The exchange that a request belongs to; undefined where it is a page's. */
export function exchangeOf(req: OwnedMessage): Exchange | undefined {
  return req[owner]
}

export interface ExchangeParts {
  readonly headers: RequestHeaders
  readonly target: Target
  /** Its place among the requests of its connection. */
  readonly turn: number
  readonly desk: Desk
}

/** One request to the API and its reply: collects the body, has it answered, writes the reply. */
export class Exchange {
  readonly #res: ServerResponse
  readonly #headers: RequestHeaders
  readonly #target: Target
  readonly #turn: number
  readonly #desk: Desk
  readonly #isPost: boolean
  readonly #address: string
  readonly #body = new BodyBytes(bodyBytesMax)
  #heldBytes = 0
  /** Bytes that were thrown away after the refusal. */
  #discarded = 0
  #linger: NodeJS.Timeout | undefined
  #state: 'collecting' | 'answering' | 'discarding' | 'ended' = 'collecting'

  constructor(req: OwnedMessage, res: ServerResponse, { headers, target, turn, desk }: ExchangeParts) {
    this.#res = res
    this.#headers = headers
    this.#target = target
    this.#turn = turn
    this.#desk = desk
    this.#isPost = req.method === 'POST'
    this.#address = clientAddress(req.socket.remoteAddress ?? '', req.rawHeaders, desk.proxies)
    desk.open++
    req[owner] = this
    req.on('data', takeChunk)
    req.on('end', endBody)
    req.on('close', dropBody)
    if (headers.contentLength > bodyBytesMax) this.refuse('bodyTooLarge')
  }

  /** Whether the request has not arrived in full yet. */
  get isCollecting(): boolean {
    return this.#state === 'collecting' && !this.#res.req.complete
  }

  take(chunk: Buffer): void {
    if (this.#state !== 'collecting') this.#discard(chunk)
    else if (this.#desk.heldBytes + chunk.length > this.#desk.heldBytesMax) this.#refuseWith(chunk, 'tooManyBodies')
    else if (!this.#body.add(chunk)) this.refuse('bodyTooLarge')
    else this.#hold(chunk.length)
  }

  arrived(): void {
    if (this.#state !== 'collecting') this.#end()
    else if (isBeyondLast(this.#res.req.socket, this.#turn)) this.drop()
    else void this.#answer()
  }

  /**
   * Says why no answer comes, at once; the connection is closed when the rest of the body has come or has become too much or too late. Closing
   * with bytes unread would reset the connection, and the caller might never see the reason.
   */
  refuse(name: ProblemName): void {
    if (this.#state !== 'collecting') return
    this.#state = 'discarding'
    this.#release()
    if (closes(name)) closeAfter(this.#res.req.socket, this.#turn)
    beginProblem(this.#res, name, corsHeaders(this.#headers.origin))
    this.#linger = setTimeout(() => this.#end(), lingerMs).unref()
  }

  /** The same where no rest can come: the text of the request broke, or took too long. */
  break(name: ProblemName): void {
    this.refuse(name)
    this.#end()
  }

  /** Nobody waits for it: the connection is gone, or closes before its turn. */
  drop(): void {
    this.#release()
    if (this.#state === 'collecting' || this.#state === 'discarding') this.#finish()
  }

  async #answer(): Promise<void> {
    this.#state = 'answering'
    const desk = this.#desk
    const { socket } = this.#res.req
    const refusal = this.#refusal()
    try {
      this.#reply(await desk.answer(this.#request(refusal)))
    } catch (err) {
      desk.failed(err)
      this.#res.destroy()
      this.#finish()
    } finally {
      if (refusal === null) desk.inFlight.leave(socket, this.#address)
    }
  }

  #request(refusal: HttpRequest['refusal']): HttpRequest {
    const { origin, isFromBrowser, idempotencyKey, acceptLanguage, xAuth } = this.#headers
    const { segment, hasQuery } = this.#target
    const body = this.#body.take()
    this.#release()
    return { refusal, segment, hasQuery, body, xAuth, origin, isFromBrowser, idempotencyKey, acceptLanguage, address: this.#address }
  }

  /** Null when it is to be answered; then it holds a place among those in flight. */
  #refusal(): HttpRequest['refusal'] {
    if (!this.#isPost) return 'notPost'
    if (this.#desk.isDraining) return 'draining'
    return this.#desk.inFlight.enter(this.#res.req.socket, this.#address)
  }

  #reply({ status, text, retryAfterSeconds, requestId }: HttpReply): void {
    const headers = ['content-type', 'application/json', 'cache-control', 'no-store', 'content-length', String(Buffer.byteLength(text))]
    headers.push('x-request-id', requestId, ...corsHeaders(this.#headers.origin))
    if (retryAfterSeconds !== null) headers.push('retry-after', String(retryAfterSeconds))
    if (this.#desk.isDraining && newestReply(this.#res.req.socket) === this.#res) headers.push('connection', 'close')
    this.#res.writeHead(status, headers)
    this.#res.end(text)
    this.#finish()
  }

  #refuseWith(chunk: Buffer, name: ProblemName): void {
    this.refuse(name)
    this.#discard(chunk)
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes
    this.#desk.heldBytes += bytes
  }

  #release(): void {
    this.#body.wipe()
    this.#desk.heldBytes -= this.#heldBytes
    this.#heldBytes = 0
  }

  #discard(chunk: Buffer): void {
    chunk.fill(0)
    this.#discarded += chunk.length
    if (this.#discarded <= discardedMax) return
    this.#end()
    this.#res.socket?.destroySoon()
  }

  #end(): void {
    if (this.#state !== 'discarding') return
    this.#res.end()
    this.#finish()
  }

  #finish(): void {
    this.#state = 'ended'
    clearTimeout(this.#linger)
    settle(this.#desk)
  }
}

interface Refusal {
  readonly name: ProblemName
  readonly turn: number
  readonly desk: Desk
}

/** Answers what is no call of the API with a problem; a body that comes with it is thrown away and wiped. */
export function refuseRequest(req: IncomingMessage, res: ServerResponse, { name, turn, desk }: Refusal): void {
  const headers = new RequestHeaders(req.rawHeaders)
  new Exchange(req, res, { headers, target: nowhere, turn, desk }).refuse(name)
}

/** Answers OPTIONS, the preflight of browsers among them. */
export function answerOptions(res: ServerResponse, { origin }: RequestHeaders): void {
  res.writeHead(204, [...preflightHeaders(origin)])
  res.end()
}

/** Reads a request to its end, wipes it, and answers nothing. */
export function dropRequest(req: IncomingMessage): void {
  req.on('data', (chunk: Buffer) => chunk.fill(0))
}

function takeChunk(this: OwnedMessage, chunk: Buffer): void {
  this[owner]?.take(chunk)
}

function endBody(this: OwnedMessage): void {
  this[owner]?.arrived()
}

function dropBody(this: OwnedMessage): void {
  this[owner]?.drop()
}

const owner = Symbol('exchange')
const nowhere: Target = { segment: null, hasQuery: false }
const lingerMs = 1000
const discardedMax = 1024 * 1024
