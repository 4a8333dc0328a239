import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import { accountOf, type MemoryCharge, type MemoryBudget } from './memory-budget.ts'

/** Counts replies until their client has read them, and cuts off clients that do not read. */
export class UnreadReplies {
  readonly #memory: MemoryBudget
  readonly #stallMs: number
  readonly #idleMs: number

  /** `stallMs`: how long a client may read nothing; `idleMs`: the server's timeout of a connection without any activity. */
  constructor(memory: MemoryBudget, { stallMs, idleMs }: { readonly stallMs: number; readonly idleMs: number }) {
    this.#memory = memory
    this.#stallMs = stallMs
    this.#idleMs = idleMs
  }

  /** Counts a reply until the kernel has taken all of it. Call it before the response is ended. */
  count(res: CountedResponse, charge: MemoryCharge, bytes: number): void {
    res[counted] = { charge, replies: this }
    res.once('finish', releaseReply)
    charge.setReply(bytes)
  }

  /**
   * Watches the client while there is something for it to read. Call it after the response was ended. Node's timeout of a socket counts a partial
   * write as activity, so a slow reader is not cut off.
   */
  watch(socket: WatchedSocket): void {
    if (socket.writableLength === 0 || socket[isWatched] === true) return
    socket[isWatched] = true
    socket.setTimeout(this.#stallMs)
  }

  /** Handles the timeout of a socket. */
  timeOut(socket: WatchedSocket): void {
    const account = accountOf(socket)
    if (account !== undefined && socket[isWatched] === true && account.unreadBytes > 0) this.#memory.cut(account, 'reply_not_read')
    else socket.destroy()
  }

  /** A reply was read: the next one on its connection may be waiting for its reader, or for its call. */
  release(charge: MemoryCharge, socket: WatchedSocket): void {
    charge.release()
    if (socket.writableLength > 0) this.watch(socket)
    else if (socket[isWatched] === true) {
      socket[isWatched] = false
      // Without a request in progress node has set the timeout of an idle connection.
      if ((accountOf(socket)?.open ?? 0) > 0) socket.setTimeout(this.#idleMs)
    }
  }
}

/** A response whose bytes are counted. */
interface CountedResponse extends ServerResponse {
  [counted]?: { readonly charge: MemoryCharge; readonly replies: UnreadReplies }
}

interface WatchedSocket extends Socket {
  [isWatched]?: boolean
}

function releaseReply(this: CountedResponse): void {
  const entry = this[counted]
  entry?.replies.release(entry.charge, this.req.socket)
}

const counted = Symbol('bytes of the reply')
const isWatched = Symbol('whether its client is watched for reading')
