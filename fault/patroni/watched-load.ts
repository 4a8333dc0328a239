import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { panWithOurOtp } from '../load.ts'
import type { RunningService } from '../spawn.ts'

/** What happened to the calls from one moment to another. */
export interface LoadWindow {
  readonly succeeded: number
  /** By reason. */
  readonly failed: ReadonlyMap<string, number>
  /** From the first to the last call that failed, by when it was sent; 0 without one. */
  readonly failedForMs: number
  /** The longest time in which no card was created by any process. */
  readonly gapMs: number
  readonly slowestMs: number
  /** How long /readyz of at least one process was not 200, summed over its looks. */
  readonly notReadyMs: number
}

export interface WatchedLoad {
  /** Tokens of acknowledged cards. */
  readonly tokens: readonly string[]
  /** What happened since the last call of this. */
  takeWindow(): LoadWindow
  stop(): Promise<void>
}

interface SentCall {
  readonly sentAt: number
  readonly endedAt: number
  readonly reason: string | null
}

/** Creates cards at a steady pace, at each process in turn, and looks at /readyz of each. */
export function startWatchedLoad(services: readonly RunningService[], everyMs: number): WatchedLoad {
  const tokens: string[] = []
  let [calls, notReadyMs, windowAt, isStopped] = [[] as SentCall[], 0, performance.now(), false]
  const agent = new Agent({ keepAlive: true })
  const pending = new Set<Promise<void>>()
  const sendOne = async (service: RunningService): Promise<void> => {
    const sentAt = performance.now()
    const { token, reason } = await createCard(service, agent)
    if (token !== null) tokens.push(token)
    calls.push({ sentAt, endedAt: performance.now(), reason })
  }
  const pace = async (): Promise<void> => {
    for (let turn = 0; !isStopped; turn++) {
      const service = services[turn % services.length]
      if (service === undefined) return
      const sent = sendOne(service)
      pending.add(sent)
      void sent.finally(() => pending.delete(sent))
      await pause(everyMs)
    }
  }
  const look = async (): Promise<void> => {
    for (let lastAt = performance.now(); !isStopped;) {
      const ready = await Promise.all(services.map(isReady))
      const now = performance.now()
      if (ready.includes(false)) notReadyMs += now - lastAt
      lastAt = now
      await pause(100)
    }
  }
  const loops = [pace(), look()]
  return {
    tokens,
    takeWindow() {
      const [taken, from, to] = [calls, windowAt, performance.now()]
      const window = { ...summarize(taken, from, to), notReadyMs }
      ;[calls, notReadyMs, windowAt] = [[], 0, to]
      return window
    },
    async stop() {
      isStopped = true
      await Promise.all(loops)
      await Promise.all(pending)
      agent.destroy()
    },
  }
}

function summarize(calls: readonly SentCall[], from: number, to: number): Omit<LoadWindow, 'notReadyMs'> {
  const failed = new Map<string, number>()
  const failedAt: number[] = []
  const succeededAt = [from]
  for (const { sentAt, endedAt, reason } of calls) {
    if (reason === null) succeededAt.push(endedAt)
    else {
      failed.set(reason, (failed.get(reason) ?? 0) + 1)
      failedAt.push(sentAt)
    }
  }
  const ends = [...succeededAt, to].sort((one, other) => one - other)
  return {
    succeeded: succeededAt.length - 1,
    failed,
    failedForMs: failedAt.length === 0 ? 0 : Math.max(...failedAt) - Math.min(...failedAt),
    gapMs: Math.max(...ends.map((at, index) => at - (ends[index - 1] ?? at))),
    slowestMs: Math.max(0, ...calls.map(({ sentAt, endedAt }) => endedAt - sentAt)),
  }
}

async function isReady({ adminUrl }: RunningService): Promise<boolean> {
  return fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(3000) }).then(
    async (reply) => {
      await reply.arrayBuffer()
      return reply.ok
    },
    () => false,
  )
}

/** The token, or why there is none. */
function createCard({ url, xAuth }: RunningService, agent: Agent): Promise<{ token: string | null; reason: string | null }> {
  const headers = { 'x-auth': xAuth, 'content-type': 'application/json' }
  return new Promise((resolve) => {
    const failWith = (err: Error): void => resolve({ token: null, reason: `no reply (${err.message.slice(0, 60)})` })
    const sent = request(`${url}/api`, { method: 'POST', agent, headers, timeout: 20_000 }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      reply.once('error', failWith).once('end', () => {
        const [, token = null] = /"token":"([^"]+)"/.exec(text) ?? []
        const [, reason = text.slice(0, 100)] = /"reason":"([^"]+)"/.exec(text) ?? []
        resolve({ token, reason: token === null ? reason : null })
      })
    })
    sent.once('error', failWith).once('timeout', () => sent.destroy(new Error('nothing in 20 s')))
    sent.end(JSON.stringify({ id: 1, method: 'cards.create', params: { card: { number: panWithOurOtp, expire: '0399' }, save: true } }))
  })
}
