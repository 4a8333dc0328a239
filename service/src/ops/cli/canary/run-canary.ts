import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'

import { isPrivateFile } from '../../../adapters/private-file.ts'
import { makeSystemClock } from '../../../system-clock.ts'
import { ExitError } from '../../exits.ts'

import { requireArguments, type CommandInput, type CommandOutcome } from '../command.ts'

import { makeCanaryMetrics, type CanaryMetrics } from './canary-metrics.ts'
import { runRound, runRounds, type CanaryRound, type CanaryTarget } from './round.ts'

/** `tessera canary --url …`: one round, or rounds until it is stopped with --every. */
export async function runCanary(input: CommandInput): Promise<CommandOutcome> {
  requireArguments(input.args, 0, 0, 'canary --url <url> --merchant <file> --card <file>')
  const target = readTarget(input)
  const everySeconds = readNumber(input, 'every', { from: 10, to: 86_400 })
  if (everySeconds === null) {
    if (input.options.has('metrics-port'))
      throw new ExitError('usage', '--metrics-port serves the metrics of many rounds: give --every as well.')
    const round = await runRound(target)
    return { exit: round.ok ? 'done' : 'findings', data: toData(round), text: describeRound(round) }
  }
  const metrics = makeCanaryMetrics(makeSystemClock())
  const port = readNumber(input, 'metrics-port', { from: 1, to: 65_535 })
  const server = port === null ? null : await serveMetrics(port, metrics)
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const counts = { succeeded: 0, failed: 0 }
  try {
    await runRounds(target, {
      everyMs: everySeconds * 1000,
      signal: stopping.signal,
      onRound(round) {
        metrics.record(round)
        counts[round.ok ? 'succeeded' : 'failed']++
        input.print(
          `${input.json ? JSON.stringify({ at: new Date().toISOString(), ...toData(round) }) : `${new Date().toISOString()} ${describeRound(round)}`}\n`,
        )
      },
    })
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    server?.close()
  }
  const text = `${String(counts.succeeded)} rounds succeeded, ${String(counts.failed)} failed.`
  return { exit: counts.failed === 0 ? 'done' : 'findings', data: counts, text }
}

function describeRound({ ok, steps, failure }: CanaryRound): string {
  const times = steps.map(({ step, ms }) => `${step} ${String(Math.round(ms))} ms`).join(', ')
  return ok ? `ok: ${times}` : `FAILED at ${failure?.step ?? ''}: ${failure?.reason ?? ''} (${times})`
}

function toData({ ok, steps, failure }: CanaryRound): object {
  return { ok, failure, steps: steps.map(({ step, ms }) => ({ step, ms: Math.round(ms) })) }
}

function readTarget(input: CommandInput): CanaryTarget {
  const url = readUrl(input.options.get('url'))
  const [, merchantId = '', password = ''] = readSecretLine(input, 'merchant', /^([0-9a-f]{24}):(\S+)$/, '<merchant>:<password>')
  const [, number = '', expire = ''] = readSecretLine(input, 'card', /^(\d{16,19}) (\d{4})$/, '<number> <MMYY>')
  const code = input.options.get('code') ?? null
  return {
    url,
    merchantId,
    password,
    card: { number, expire },
    code,
    timeoutMs: (readNumber(input, 'timeout', { from: 1, to: 60 }) ?? 10) * 1000,
  }
}

function readUrl(given: string | undefined): URL {
  const url = given === undefined ? null : URL.parse(given)
  if (url === null) throw new ExitError('usage', 'Give the address that merchants use with --url: https://pay.example.uz')
  const isLocal = /^(127(\.\d+){3}|localhost|\[::1\])$/.test(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
    throw new ExitError('usage', '--url takes an https address, or http on this machine.')
  return url
}

/** The parts of the only line of a file that nobody else can read. What it has is not in the error. */
function readSecretLine({ options }: CommandInput, option: string, shape: RegExp, expected: string): readonly string[] {
  const path = options.get(option)
  if (path === undefined) throw new ExitError('usage', `Give a file with ${expected} with --${option}.`)
  try {
    if (!isPrivateFile(path)) throw new ExitError('usage', `Other users can read ${path}: chmod 600 it.`)
    const found = shape.exec(readFileSync(path, 'utf8').trim())
    if (found !== null) return found
  } catch (err) {
    if (err instanceof ExitError) throw err
    throw new ExitError('usage', `${path} cannot be read (${(err as NodeJS.ErrnoException).code ?? 'unknown'}).`, { cause: err })
  }
  throw new ExitError('usage', `${path} has to be one line: ${expected}`)
}

function readNumber({ options }: CommandInput, name: string, { from, to }: { readonly from: number; readonly to: number }): number | null {
  const text = options.get(name)
  if (text === undefined) return null
  const value = Number(text)
  if (/^\d{1,6}$/.test(text) && value >= from && value <= to) return value
  throw new ExitError('usage', `--${name} takes a whole number from ${String(from)} to ${String(to)}.`)
}

/** On this machine only: whoever scrapes from elsewhere goes through what serves the other metrics. */
async function serveMetrics(port: number, metrics: CanaryMetrics): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    metrics.render().then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (err) {
    throw new ExitError('usage', `The port ${String(port)} cannot be used (${(err as NodeJS.ErrnoException).code ?? 'unknown'}).`, {
      cause: err,
    })
  }
  return server
}
