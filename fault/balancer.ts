import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

import { readCallOutcome, tokenOf } from './api-client.ts'
import type { FaultPhase } from './call-times.ts'
import { ConnectionLost, openHttpConnection, type HttpConnection } from './http-connection.ts'
import { panWithOurOtp } from './load.ts'
import { makeRandom, type Random } from './random.ts'
import type { RunningService } from './spawn.ts'

/** Several processes of one service behind one name, as a load balancer sees them. */
export interface Balancer {
  add(service: RunningService): void
  remove(service: RunningService): void
  /** The processes whose last health check said that calls may be sent, in turn; null when there is none. */
  choose(): RunningService | null
  /** What the calls from now on count as. */
  setPhase(phase: FaultPhase): void
  phase(): FaultPhase
  close(): void
}

/** Asks /readyz of each process periodically. A process counts as ready until a check fails, and again with the next that succeeds. */
export function openBalancer(everyMs: number): Balancer {
  const ready = new Map<RunningService, boolean>()
  let current: FaultPhase = 'before'
  let turn = 0
  const probe = async (): Promise<void> => {
    for (const service of ready.keys()) {
      const isReady = await fetch(`${service.adminUrl}/readyz`).then(
        (reply) => reply.ok,
        () => false,
      )
      if (ready.has(service)) ready.set(service, isReady)
    }
  }
  const timer = setInterval(() => void probe(), everyMs)
  return {
    add: (service) => void ready.set(service, true),
    remove: (service) => void ready.delete(service),
    choose() {
      const usable = [...ready].filter(([, isReady]) => isReady)
      return usable[turn++ % usable.length]?.[0] ?? null
    },
    setPhase: (phase) => void (current = phase),
    phase: () => current,
    close: () => clearInterval(timer),
  }
}

/** What became of the calls of a load. */
export interface BalancedCalls {
  /** The tokens of the created cards. */
  readonly acknowledged: string[]
  /** Why calls failed, one text each. */
  readonly failures: string[]
  /** The connection ended after the request was sent, so that its outcome is unknown. */
  withoutReply: number
  /** Nothing accepted the connection. */
  withoutListener: number
  /** Replies with an error. */
  refused: number
  /** From the choice of a process to the reply. */
  readonly ms: Readonly<Record<FaultPhase, number[]>>
}

export interface BalancedLoad {
  readonly balancer: Balancer
  readonly connections: number
  readonly seed: number
  /** Aborted when enough was sent. */
  readonly until: AbortSignal
}

/**
 * Creates cards over keep-alive connections, each used until a reply says `Connection: close` or the service closes it. Nothing is retried. Half of the
 * connections pause for up to 0.7 s between two calls, the others for up to 20 ms.
 */
export async function runBalancedLoad(load: BalancedLoad): Promise<BalancedCalls> {
  const calls: BalancedCalls = {
    acknowledged: [],
    failures: [],
    withoutReply: 0,
    withoutListener: 0,
    refused: 0,
    ms: { before: [], during: [], after: [] },
  }
  await Promise.all(
    Array.from({ length: load.connections }, (_, at) =>
      runClient(load, calls, { random: makeRandom(load.seed + at), maxPauseMs: at % 2 === 0 ? 20 : 700 }),
    ),
  )
  return calls
}

interface Client {
  readonly random: Random
  readonly maxPauseMs: number
}

async function runClient({ balancer, until }: BalancedLoad, calls: BalancedCalls, { random, maxPauseMs }: Client): Promise<void> {
  let connection: HttpConnection | null = null
  while (!until.aborted) {
    const startedAt = performance.now()
    const phase = balancer.phase()
    connection = await sendCall(balancer, calls, connection)
    calls.ms[phase].push(performance.now() - startedAt)
    await pause(random.between(0, maxPauseMs))
  }
  connection?.close()
}

/** Sends one call on the connection, or on a new one when it is closed. Returns the connection when it may be used again. */
async function sendCall(balancer: Balancer, calls: BalancedCalls, open: HttpConnection | null): Promise<HttpConnection | null> {
  const service = balancer.choose()
  if (service === null) {
    calls.failures.push('no process is ready')
    return null
  }
  const connection = open?.isOpen() === true ? open : await openHttpConnection(service.url).catch(() => null)
  if (connection === null) {
    calls.withoutListener++
    calls.failures.push('nothing accepts the connection')
    return null
  }
  try {
    const params = { card: { number: panWithOurOtp, expire: '0399' }, save: true }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'cards.create', params })
    const reply = await connection.post('/api/cards.create', service.xAuth, body)
    const outcome = readCallOutcome(reply)
    if (outcome.kind === 'result') calls.acknowledged.push(tokenOf(outcome.result))
    else {
      calls.refused++
      calls.failures.push(outcome.kind === 'refused' ? `refused with ${outcome.reason}` : outcome.why)
    }
    if (!/\r\nconnection: close/i.test(reply.head)) return connection
    connection.close()
  } catch (err) {
    if (!(err instanceof ConnectionLost)) throw err
    calls.withoutReply++
    calls.failures.push(`no reply: ${err.message}`)
  }
  return null
}

/** How a connection ended: `closed` by FIN, or the code of the error. */
export interface ConnectionEnd {
  readonly how: string
  /** As of `performance.now()`. */
  readonly at: number
}

/** Opens a connection and sends nothing on it. */
export async function openIdleConnection(url: string): Promise<{ readonly ended: Promise<ConnectionEnd> }> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const ended = new Promise<ConnectionEnd>((resolve) => {
    socket.once('end', () => resolve({ how: 'closed', at: performance.now() }))
    socket.once('error', (err: NodeJS.ErrnoException) => resolve({ how: err.code ?? err.message, at: performance.now() }))
  })
  socket.resume()
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  return { ended }
}
