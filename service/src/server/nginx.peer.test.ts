// needs: nginx
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { findOnPath } from '../../../tools/find-program.ts'
import { findFreePort } from '../../../tools/free-port.ts'
import { startTessera, type StartedTessera } from '../../../tools/start-tessera.ts'

// The set-up of docs/operating/behind-a-proxy.md, with the real nginx in front of the real service.

let tessera: StartedTessera
let nginx: ChildProcess
let port: number
const folder = mkdtempSync(join(tmpdir(), 'tessera-nginx-'))

before(async () => {
  tessera = await startTessera({ settings: ['--trusted-proxies=127.0.0.1', '--limits=on'] })
  port = await findFreePort()
  writeFileSync(join(folder, 'nginx.conf'), formatConfig(tessera.url))
  const program = findOnPath('nginx') ?? assert.fail('nginx is missing: npm run peers installs it')
  nginx = spawn(program, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], { stdio: 'ignore' })
  await waitUntilReady()
})

after(async () => {
  nginx.kill('SIGTERM')
  if (nginx.exitCode === null) await once(nginx, 'exit')
  await tessera.stop()
  rmSync(folder, { recursive: true, force: true })
})

function formatConfig(url: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${join(folder, name)};`)
  return `
    daemon off;
    master_process off;
    pid ${join(folder, 'nginx.pid')};
    events {}
    http {
      access_log off;
      ${temporary.join(' ')}
      server {
        listen 0.0.0.0:${port};
        location / {
          proxy_pass ${url};
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }
      }
    }`
}

async function waitUntilReady(): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const reply = await createCard('127.0.0.9').catch(() => null)
    if (reply !== null) return
    await pause(100)
  }
  assert.fail('nginx did not start')
}

type CardReply = { readonly result?: object; readonly error?: { readonly reason?: string } }

/** Creates a card through nginx, as a client of this loopback address. */
async function createCard(localAddress: string, headers: Readonly<Record<string, string>> = {}): Promise<CardReply> {
  const call = { id: 1, method: 'cards.create', params: { card: { number: '8600069195406311', expire: '0399' } } }
  const auth = { 'content-type': 'application/json', 'x-auth': `${tessera.merchantId}:${tessera.password}` }
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: '/api', method: 'POST', localAddress, headers: { ...auth, ...headers } },
      (reply) => {
        let text = ''
        reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        reply.once('end', () => {
          try {
            resolve(JSON.parse(text) as CardReply)
          } catch (cause) {
            reject(new Error(`the reply is not JSON: ${text.slice(0, 200)}`, { cause }))
          }
        })
      },
    )
    sent.once('error', reject).end(JSON.stringify(call))
  })
}

test('behind nginx each client is limited by its own address, and a header that a client writes itself changes nothing', async () => {
  const reasons: (string | undefined)[] = []
  for (let card = 1; card <= 11; card++) {
    const { error } = await createCard('127.0.0.2', { 'x-forwarded-for': `203.0.113.${card}` })
    reasons.push(error?.reason)
  }
  assert.deepEqual(reasons, [...Array.from({ length: 10 }, () => undefined), 'address_limit'])
  assert.notEqual((await createCard('127.0.0.3')).result, undefined)
})
