import type { Server } from 'node:http'

/**
 * Keeps the process below the memory that it may have. V8 keeps pages that it has freed, and garbage, up to half of that memory, and does not know what
 * connections take outside its heap: a crowd of new ones may need what V8 still holds, and the kernel ends the process.
 */
export interface MemoryGuard {
  /** Measures, and collects garbage first where that is worth it. Returns whether there is room for further connections. */
  hasRoom(): boolean
}

export interface MemoryGuardDependencies {
  /** What the process may have, bytes. With more than eight gigabytes nothing is done. */
  readonly limitBytes: number
  /** Without what the kernel can take back, such as pages of files. */
  readonly readHeldBytes: () => number
  /** Collects garbage and gives what is free back to the system. Stops the process meanwhile, by a tenth of a second or more. */
  readonly collect: () => void
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

export function makeMemoryGuard({ limitBytes, readHeldBytes, collect, now }: MemoryGuardDependencies): MemoryGuard {
  let collectedAt = -Infinity
  let pauseMs = leastPauseMs
  return Object.freeze({
    hasRoom() {
      if (limitBytes > largestLimitBytes) return true
      const before = readHeldBytes()
      const isFull = before > limitBytes * fullShare
      if (before <= limitBytes * collectedShare || now() < collectedAt + (isFull ? leastPauseMs : pauseMs)) return !isFull
      collect()
      const after = readHeldBytes()
      // What is in use is not garbage, so it is not tried again and again.
      pauseMs = after < before * worthwhileShare ? leastPauseMs : Math.min(longestPauseMs, pauseMs * 2)
      collectedAt = now()
      return after <= limitBytes * fullShare
    },
  })
}

export interface GuardedConnections {
  readonly guard: MemoryGuard
  /** Of open connections, while there is room. */
  readonly socketsMax: number
  /** Calls back every so many milliseconds. Returns what stops it. */
  readonly every: (ms: number, run: () => void) => () => void
  readonly onRefused: (reason: 'connections_full' | 'memory_near_limit') => void
}

/** Closes connections beyond `socketsMax`, and new ones while there is no room, before anything is read from them. */
export function guardConnections(server: Server, { guard, socketsMax, every, onRefused }: GuardedConnections): void {
  let hasRoom = true
  let untilLook = connectionsPerLook
  const look = (): void => {
    hasRoom = guard.hasRoom()
    untilLook = connectionsPerLook
    // Node closes what is accepted beyond this number before it makes a socket of it. Not 0, which older ones take for no limit.
    server.maxConnections = hasRoom ? socketsMax : 1
  }
  look()
  server.on('connection', () => {
    if (--untilLook === 0) look()
  })
  server.on('drop', () => onRefused(hasRoom ? 'connections_full' : 'memory_near_limit'))
  server.once('close', every(lookEveryMs, look))
}

/** Where garbage is worth a pause. */
const collectedShare = 0.6
/** What is left is for the requests of the connections that are open, up to `bufferedBytesMax`, and for what the kernel counts besides. */
const fullShare = 0.85
const worthwhileShare = 0.9
const leastPauseMs = 1000
const longestPauseMs = 60_000
const lookEveryMs = 100
/** Some 20 KB each. */
const connectionsPerLook = 32
/** With more, V8's own limit of four gigabytes is below half of it. */
const largestLimitBytes = 8 * 1024 ** 3
