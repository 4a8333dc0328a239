import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

import { callsBetween, countFailures, p99Ms, startOpenLoad } from '../fault/open-load.ts'
import { RequirementMissing } from '../fault/requirement-missing.ts'
import { startService, type RunningService } from '../fault/spawn.ts'

import { readCpuMs, readResidentMib } from './cpu.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'
import { tokenOfNewCard } from './new-card.ts'

/** Keep-alive connections of many clients that make no call: what each costs, and what the calls of others notice. */
export const idleConnections: Measurement = {
  name: 'idle-connections',
  question: 'What do 10,000 idle keep-alive connections cost in memory, and do the calls of others take longer beside them?',
  async run(bench) {
    const problem = describeFewFiles(readFileSync('/proc/self/limits', 'utf8'), bench.isQuick ? quickConnections : connections)
    if (problem !== null) throw new RequirementMissing(problem)
    const measures: Measure[] = []
    for (const store of bench.stores) {
      const serviceData = await bench.dataFactory.create(store)
      const running = await startService({ flags: [...serviceData.flags, ...flags] })
      try {
        measures.push(...(await measure(running, bench, `idle connections ${store}`)))
      } finally {
        await running.stop()
        await serviceData.remove()
      }
    }
    return measures
  },
}

/** Why a process may not open this many connections, from its `/proc/self/limits`; null when it may. Node itself raises the soft limit to the hard one. */
export function describeFewFiles(limits: string, count: number): string | null {
  const hard = /^Max open files\s+\S+\s+(\S+)/m.exec(limits)?.[1]
  if (hard === undefined || hard === 'unlimited' || Number(hard) >= count + otherFiles) return null
  const needed = String(count + otherFiles)
  return `${String(count)} idle connections need ${needed} open files in each process, and the hard limit is ${hard}. Raise it before the run: ulimit -n ${needed} (as root), LimitNOFILE= of systemd, or --ulimit nofile=${needed} of a container.`
}

async function measure(running: RunningService, { isQuick, say }: Bench, of: string): Promise<Measure[]> {
  const ms = isQuick ? 3000 : 15_000
  const token = await tokenOfNewCard(running)
  // Code that is compiled meanwhile, and memory that a first load takes, are not those of the connections.
  await measureCalls(running, token, ms)
  const alone = await measureCalls(running, token, ms)
  const aloneMib = readResidentMib(running.pid)
  const sockets = await openIdle(running, token, isQuick ? quickConnections : connections)
  try {
    await pause(1000)
    const idleMib = readResidentMib(running.pid)
    const beside = await measureCalls(running, token, ms)
    const open = sockets.filter((socket) => !socket.closed).length
    say(`${of}: ${String(open)} of ${String(sockets.length)} still open`)
    return [
      { of, name: 'opened', value: sockets.length, unit: '' },
      { of, name: 'open at the end', value: open, unit: '', target: { least: sockets.length } },
      { of, name: 'memory of one', value: ((idleMib - aloneMib) * 1024) / sockets.length, unit: 'KiB', target: { most: 32 } },
      { of, name: 'p99 of cards.check, alone', value: alone.p99, unit: 'ms' },
      { of, name: 'p99 of cards.check', value: beside.p99, unit: 'ms' },
      {
        of,
        name: 'CPU per check, compared',
        value: beside.cpuMicroseconds / alone.cpuMicroseconds,
        unit: 'of alone',
        target: { most: 1.15 },
      },
      { of, name: 'calls without a result', value: alone.failed + beside.failed, unit: '', target: { most: 0 } },
    ]
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

interface CallCost {
  readonly p99: number
  readonly cpuMicroseconds: number
  readonly failed: number
}

async function measureCalls(running: RunningService, token: string, ms: number): Promise<CallCost> {
  const end = new AbortController()
  const load = startOpenLoad({ ...running, perSecond: checksPerSecond, call: (client) => client.check(token), until: end.signal })
  const cpuMs = readCpuMs(running.pid)
  const from = performance.now()
  await pause(ms)
  end.abort()
  await load.ended
  const calls = callsBetween(load, { from, to: performance.now() })
  const cpuMicroseconds = ((readCpuMs(running.pid) - cpuMs) * 1000) / calls.length
  return { p99: p99Ms(calls), cpuMicroseconds, failed: countFailures(calls) }
}

/**
 * Each has had the reply of a call, so that the service waits for the next one: 65 s, longer than the measurement. On a slow machine opening all of them takes
 * as long, and the first would be closed before it ends, so all call again every quarter of a minute, and once more when the last is open.
 */
async function openIdle({ url, xAuth }: RunningService, token: string, count: number): Promise<Socket[]> {
  const body = JSON.stringify({ id: 1, method: 'cards.check', params: { token } })
  const request = `POST /api HTTP/1.1\r\nhost: 127.0.0.1\r\nx-auth: ${xAuth}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  let sockets: Socket[] = []
  const callAgain = async (): Promise<void> => {
    const called: Socket[] = []
    while (called.length < sockets.length) {
      const some = sockets.slice(called.length, called.length + calledAtOnce)
      called.push(...(await Promise.all(some.map((socket) => callUntilReply(url, request, socket)))))
    }
    sockets = called
  }
  let calledAt = performance.now()
  while (sockets.length < count) {
    if (performance.now() - calledAt > callAgainMs) {
      await callAgain()
      calledAt = performance.now()
    }
    const more = Array.from({ length: Math.min(calledAtOnce, count - sockets.length) }, () => callUntilReply(url, request, null))
    sockets.push(...(await Promise.all(more)))
  }
  await callAgain()
  return sockets
}

/** On this connection, or on a new one when it was closed: a busy service refuses calls for a moment, and may close their connections. */
async function callUntilReply(url: string, request: string, socket: Socket | null): Promise<Socket> {
  const { hostname, port } = new URL(url)
  for (let attempt = 1; ; attempt++) {
    socket = socket?.closed === false ? socket : connect({ host: hostname, port: Number(port) }).on('error', () => undefined)
    const reply = await callOnce(socket, request)
    if (reply.includes('"result"')) return socket
    if (attempt === maxAttempts) throw new Error(`a call on an idle connection was refused: ${reply.slice(-200)}`)
    await pause(500)
  }
}

/** The reply, or nothing when the connection was closed before it. */
function callOnce(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve) => {
    const settle = (chunk: Buffer | boolean): void => {
      socket.off('data', settle).off('close', settle)
      resolve(typeof chunk === 'boolean' ? '' : chunk.toString('latin1'))
    }
    socket.on('data', settle).on('close', settle)
    socket.write(request)
  })
}

const connections = 10_000
const quickConnections = 1000
/** The service's own files, threads and database, and the connections of the load. */
const otherFiles = 500
/** More are an overload on a busy machine. */
const calledAtOnce = 100
const maxAttempts = 30
const callAgainMs = 15_000
const checksPerSecond = 200
const flags = ['--connections-max=12000', '--address-connections-max=12000', '--log-level=warn']
