import { setTimeout as pause } from 'node:timers/promises'
import type { RunningService } from './spawn.ts'

/** What the metrics and the readiness of a service say about an outside system. Times are those of `performance.now()`. */
export interface PeerWatch {
  /** When its breaker was first seen open. Infinity: never. */
  readonly openedAt: number
  /** When it was first seen closed after that. */
  readonly closedAt: number
  /** How often `/readyz` was not 200. */
  readonly notReadyCount: number
  /** Resolves when the breaker has closed again, at once if it never opened, or after `maxMs`. */
  untilClosed(maxMs: number): Promise<void>
  stop(): Promise<void>
}

/** Looks ten times a second. */
export function watchPeer({ adminUrl }: RunningService, peer: string): PeerWatch {
  const seen = { openedAt: Infinity, closedAt: Infinity, notReadyCount: 0 }
  const stopping = new AbortController()

  async function look(): Promise<void> {
    const [page, ready] = await Promise.all([fetch(`${adminUrl}/metrics`).then((reply) => reply.text()), fetch(`${adminUrl}/readyz`)])
    await ready.arrayBuffer()
    if (ready.status !== 200) seen.notReadyCount++
    const isOpen = page.split('\n').some((line) => line.startsWith(`tessera_peer_breakers_open{peer="${peer}"`) && line.endsWith(' 1'))
    if (isOpen) seen.openedAt = Math.min(seen.openedAt, performance.now())
    if (!isOpen && Number.isFinite(seen.openedAt)) seen.closedAt = Math.min(seen.closedAt, performance.now())
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look()
      await pause(100)
    }
  }

  const ended = run()
  return {
    get openedAt() {
      return seen.openedAt
    },
    get closedAt() {
      return seen.closedAt
    },
    get notReadyCount() {
      return seen.notReadyCount
    },
    async untilClosed(maxMs) {
      const endsAt = performance.now() + maxMs
      while (Number.isFinite(seen.openedAt) && !Number.isFinite(seen.closedAt) && performance.now() < endsAt) await pause(50)
    },
    async stop() {
      stopping.abort()
      await ended
    },
  }
}
