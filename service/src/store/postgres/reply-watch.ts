/** A reply that has to come until a deadline. It is linked with the others of its connection. */
export class AwaitedReply {
  /** Monotonic milliseconds. */
  readonly deadline: number
  readonly onLate: () => void
  previous: AwaitedReply | null = null
  next: AwaitedReply | null = null

  constructor(deadline: number, onLate: () => void) {
    this.deadline = deadline
    this.onLate = onLate
  }
}

/** Tells which replies of one connection have not come in time. */
export interface ReplyWatch {
  add(reply: AwaitedReply): void
  /** It has come, or will not. Without effect when it was removed before, or was late. */
  remove(reply: AwaitedReply): void
}

/**
 * One timer for all replies of a connection, which is set for the earliest deadline and, when it ends, for that of what is waited for then: about one a second, however
 * many queries there are. A timer for each query made the collector move nearly everything that a read had made to the old space (decision 139).
 */
export function makeReplyWatch(): ReplyWatch {
  /** A ring with this entry between the last and the first, and no array or set, whose former tables would hold what has ended. */
  const ends = new AwaitedReply(Infinity, () => undefined)
  ends.previous = ends
  ends.next = ends
  let timer: NodeJS.Timeout | undefined
  let timerEndsAt = Infinity
  return { add, remove }

  function add(reply: AwaitedReply): void {
    const last = ends.previous ?? ends
    reply.previous = last
    reply.next = ends
    last.next = reply
    ends.previous = reply
    if (reply.deadline < timerEndsAt) setTimer(reply.deadline)
  }

  function remove(reply: AwaitedReply): void {
    const { previous, next } = reply
    if (previous === null || next === null) return
    previous.next = next
    next.previous = previous
    reply.previous = null
    reply.next = null
  }

  function setTimer(endsAt: number): void {
    clearTimeout(timer)
    timerEndsAt = endsAt
    // The connection keeps the process running, not the timer.
    timer = setTimeout(findLate, Math.max(1, endsAt - performance.now())).unref()
  }

  function findLate(): void {
    timerEndsAt = Infinity
    const now = performance.now()
    const late: AwaitedReply[] = []
    let earliest = Infinity
    for (let reply = ends.next; reply !== null && reply !== ends; reply = reply.next) {
      if (reply.deadline <= now) late.push(reply)
      else earliest = Math.min(earliest, reply.deadline)
    }
    if (earliest < Infinity) setTimer(earliest)
    for (const reply of late) {
      // The lateness of one may have ended others.
      if (reply.next === null) continue
      remove(reply)
      reply.onLate()
    }
  }
}
