import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { sandbox } from '../../adapters/sandbox/sandbox.ts'
import { makeScratch, startTesseraChild, type Started } from '../../testing/child.fixture.ts'

export const card = { number: '8600495473316478', expire: '0399' }
/** So many connections are all at one of two workers once in eight million times. */
export const connections = 24
const scratch = makeScratch()
let folders = 0

/** A service with two workers, of which the second fails when `failWorker` says so. */
export function startWorkers(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const folder = newFolder()
  return startTesseraChild(folder, ['--workers=2', ...args], { ...env, ...failingEnvironment(folder) })
}

export function newFolder(): string {
  return join(scratch, `workers-${String(folders++)}`)
}

/** With it, `failWorker` works. */
export function failingEnvironment(folder: string): NodeJS.ProcessEnv {
  const failing = pathToFileURL(join(import.meta.dirname, 'failing-worker.fixture.ts')).href
  return { NODE_OPTIONS: `--import=${failing}`, TEST_FAIL_FILE: `${folder}.fail` }
}

/** Makes the second worker throw an error, once or each time it is started. */
export function failWorker({ folder }: Pick<Started, 'folder'>, how: 'once' | 'always' = 'once'): void {
  assert.ok(!existsSync(`${folder}.fail`))
  writeFileSync(`${folder}.fail`, how)
}

/** One connection each, so that about half of them are at each worker. */
export function onEach<T>(run: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: connections }, run))
}

export interface CallReply {
  readonly result?: { readonly card: { readonly token: string } }
  readonly error?: { readonly reason: string }
}

/** A call on a connection of its own, with the password. */
export function call(url: string, method: string, params: object, headers: Record<string, string> = {}): Promise<CallReply> {
  const agent = new Agent({ keepAlive: false })
  const auth = `${sandbox.demo.merchantId}:${sandbox.demo.password}`
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/${method}`, { method: 'POST', agent, headers: { 'x-auth': auth, ...headers } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve(JSON.parse(text) as CallReply))
    })
    sent.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  })
}

export async function createToken(url: string, of: object = card): Promise<string> {
  const { result, error } = await call(url, 'cards.create', { card: of, save: true })
  return result?.card.token ?? assert.fail(error?.reason)
}

export function check(url: string, token: string): Promise<CallReply> {
  return call(url, 'cards.check', { token })
}

/** Sockets that listen on the service's port, by /proc/net/tcp. */
export function countListeners(url: string): number {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  return lines.filter((line) => line.includes(`:${port} 00000000:0000 0A`)).length
}
