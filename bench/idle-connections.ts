import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

import { callsBetween, countFailures, p99Ms, startOpenLoad } from '../fault/open-load.ts'
import { startService, type RunningService } from '../fault/spawn.ts'

import { readCpuMs, readResidentMib } from './cpu.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'
import { tokenOfNewCard } from './new-card.ts'

/** Keep-alive connections of many clients that make no call: what each costs, and what the calls of others notice. */
export const idleConnections: Measurement = {
  name: 'idle-connections',
  question: 'What do 10,000 idle keep-alive connections cost in memory, and do the calls of others take longer beside them?',
  async run(bench) {
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

async function measure(running: RunningService, { isQuick, say }: Bench, of: string): Promise<Measure[]> {
  const ms = isQuick ? 3000 : 15_000
  const token = await tokenOfNewCard(running)
  // Code that is compiled meanwhile, and memory that a first load takes, are not those of the connections.
  await measureCalls(running, token, ms)
  const alone = await measureCalls(running, token, ms)
  const aloneMib = readResidentMib(running.pid)
  const sockets = await openIdle(running, token, isQuick ? 1000 : connections)
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
  const { hostname, port } = new URL(url)
  const body = JSON.stringify({ id: 1, method: 'cards.check', params: { token } })
  const request = `POST /api HTTP/1.1\r\nhost: 127.0.0.1\r\nx-auth: ${xAuth}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const sockets: Socket[] = []
  const callAgain = async (): Promise<void> => {
    for (let from = 0; from < sockets.length; from += calledAtOnce) await callAll(sockets.slice(from, from + calledAtOnce), request)
  }
  let calledAt = performance.now()
  while (sockets.length < count) {
    if (performance.now() - calledAt > callAgainMs) {
      await callAgain()
      calledAt = performance.now()
    }
    const more = Array.from({ length: Math.min(openedAtOnce, count - sockets.length) }, () =>
      connect({ host: hostname, port: Number(port) }),
    )
    await callAll(more, request)
    sockets.push(...more)
  }
  await callAgain()
  return sockets
}

async function callAll(sockets: readonly Socket[], request: string): Promise<void> {
  await Promise.all(sockets.map((socket) => callOnce(socket, request)))
}

async function callOnce(socket: Socket, request: string): Promise<void> {
  let fail = (): void => undefined
  const replied = new Promise((resolve, reject) => {
    fail = () => reject(new Error('an idle connection was closed before its reply'))
    socket.once('data', resolve)
    socket.once('close', fail)
  })
  if (socket.listenerCount('error') === 0) socket.on('error', () => undefined)
  socket.write(request)
  await replied
  socket.off('close', fail)
}

const connections = 10_000
const openedAtOnce = 100
const calledAtOnce = 500
const callAgainMs = 15_000
const checksPerSecond = 200
const flags = ['--connections-max=12000', '--address-connections-max=12000', '--log-level=warn']
