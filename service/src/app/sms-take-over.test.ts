import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'

import type { Dek } from '@tessera/vault/dek'

import { makeHttpRequest } from '../adapters/http/http-post.ts'
import { makeHttpSms } from '../adapters/sms/http/http-sms.ts'
import { readSmsTemplate } from '../adapters/sms/http/template.ts'
import { observeSms } from '../adapters/sms/observe-sms.ts'
import { startSmppServer } from '../adapters/sms/smpp/smpp-server.fixture.ts'
import { connectSmpp, smppMessage } from '../adapters/sms/smpp/smpp-sms.fixture.ts'
import type { Sms } from '../adapters/sms/sms.ts'
import { closedPeerBreaker } from '../domain/limits/peer-breaker.ts'
import { makePeerGate } from '../domain/limits/peer-gate.ts'
import { makePlacePool } from '../domain/limits/place-pool.ts'
import { makeSmsSender } from '../domain/sms/sms-sender.ts'
import { insertSmsSend, recordSmsResult } from '../store/sms-sends.ts'
import { makeHandClock, type HandClock } from '../testing/clock.fixture.ts'
import { replaceWrite, storeOf } from '../testing/store.fixture.ts'

// The sender with the adapters as the service composes them. The message centre is the server half of npm's `smpp`.

const never = new AbortController().signal
const dek: Dek = { keyId: 'd'.repeat(32), purpose: 'phone', owner: '', epoch: 1, createdAt: 0, key: createSecretKey(randomBytes(32)) }
const throttled = 0x58

/** Sends one message through a gateway that has a spare one behind it, and lets its time pass. */
async function sendLate(sms: Sms, clock: HandClock, { isStopped = false, isReady = async (): Promise<unknown> => null } = {}) {
  const results: string[] = []
  const observed: string[] = []
  const spare: Sms = { send: async () => ({ outcome: 'accepted' }) }
  const gateways = [['first', sms] as const, ['spare', spare] as const].map(([name, port], at) => ({
    name,
    weight: 1 - at,
    sms: observeSms({ sms: port, clock, now: () => 0, onSend: ({ outcome }) => void observed.push(`${name} ${outcome}`) }),
    gate: makePeerGate({ kind: 'sms', places: makePlacePool({ max: 10 }), breaker: closedPeerBreaker, onRefused: () => undefined }),
  }))
  const sender = makeSmsSender({
    gateways,
    random: () => 0,
    clock,
    keyring: { active: async () => dek },
    reports: { messageStored: async () => undefined },
    onUnstored: (err) => assert.fail(String(err)),
    store: storeOf(
      replaceWrite(insertSmsSend, async () => undefined),
      replaceWrite(recordSmsResult, async ({ result }) => void results.push(`${result.gateway} ${result.outcome} ${result.error}`.trim())),
    ),
  })
  const stopping = new AbortController()
  const message = { ...smppMessage('Code 123456'), purpose: 'code', subject: 'c'.repeat(24) } as const
  const sending = sender.send(message, { timeoutMs: 3000, signal: stopping.signal })
  await clock.untilSleeping(2700)
  await isReady()
  if (isStopped) stopping.abort()
  else clock.advance(2700)
  return { ...(await sending), results, observed }
}

async function openSmpp(t: TestContext, options: Parameters<typeof connectSmpp>[1]) {
  const server = await startSmppServer()
  const { sms } = connectSmpp(server.port, options)
  t.after(async () => {
    await sms.close?.()
    await server.close()
  })
  return { server, sms }
}

const taken = (error: string) => ({
  kind: 'accepted',
  results: [`first rejected ${error}`, 'spare accepted'],
  observed: ['first rejected', 'spare accepted'],
})

test('another gateway sends what found no place in the window of the first until the time was over', async (t) => {
  const clock = makeHandClock()
  const { server, sms } = await openSmpp(t, { window: 1, clock })
  server.reply = () => null
  void sms.send(smppMessage('before'), never)
  await server.untilReceived('submit_sm', 1)
  assert.deepEqual(await sendLate(sms, clock), taken('window full'))
})

test('another gateway sends what the first throttled until the time was over', async (t) => {
  const clock = makeHandClock()
  const { server, sms } = await openSmpp(t, { throttleMs: 50_000, clock })
  server.reply = () => ({ command_status: throttled })
  void sms.send(smppMessage('before'), never)
  await clock.untilSleeping(50_000)
  assert.deepEqual(await sendLate(sms, clock), taken('window full'))
})

test('another gateway sends what waited for a connection that did not come about', async (t) => {
  const server = createServer(() => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clock = makeHandClock()
  const { sms } = connectSmpp((server.address() as AddressInfo).port, { replyTimeoutMs: 60_000, clock })
  t.after(async () => {
    await sms.close?.()
    server.close()
  })
  assert.deepEqual(await sendLate(sms, clock), taken('not connected'))
})

test('another gateway sends what the first, over HTTP, could not be connected for in time', async () => {
  const clock = makeHandClock()
  // The name is never resolved.
  const guard = { choose: () => new Promise<never>(() => undefined) }
  const request = makeHttpRequest({ guard, clock, timeoutMs: 3000, replyBytesMax: 4096 })
  const template = readSmsTemplate('playmobile')
  const account = { username: 'shop', password: 'secret', sender: '4546', baseUrl: 'https://sms.example.uz' }
  assert.deepEqual(await sendLate(makeHttpSms({ template, request, clock, log: () => undefined, ...account }), clock), taken('late'))
})

test('no other gateway sends what the first was given and did not respond to, or what the service has no time for', async (t) => {
  const clock = makeHandClock()
  const { server, sms } = await openSmpp(t, { window: 1, clock })
  server.reply = () => null
  const given = await sendLate(sms, clock, { isReady: () => server.untilReceived('submit_sm', 1) })
  assert.deepEqual([given.kind, given.results], ['unknown', ['first unknown no response']])
  const stopped = await sendLate(sms, clock, { isStopped: true })
  assert.deepEqual([stopped.kind, stopped.results], ['rejected', ['first rejected window full']])
})
