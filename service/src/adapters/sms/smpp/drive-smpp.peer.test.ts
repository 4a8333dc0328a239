// needs: kannel
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, test, type TestContext } from 'node:test'

import { findFreePort } from '../../../../../tools/free-port.ts'
import { until } from '../../../testing/child.fixture.ts'
import { openKannelFolder, type KannelProgram } from '../kannel.fixture.ts'

import { connectSmpp, smppMessage } from './smpp-sms.fixture.ts'

// A message centre that is not ours: drive_smpp of Debian's kannel-extras. It has no bind_transceiver, sends no receipts, never throttles, and ends when one of
// its sessions ends.

const folder = openKannelFolder()
// It wants an smsbox at a port that it cannot be told, and which other programs may share (SO_REUSEPORT). That of a running Kannel will do.
const smsbox = createServer((socket) => socket.on('error', () => undefined)).on('error', () => undefined)
smsbox.listen({ port: 13_001, host: '127.0.0.1', reusePort: true })
after(async () => {
  await folder.close()
  smsbox.close()
})

const never = new AbortController().signal
const bindMode = 'transmitter_and_receiver'

async function startCentre(port: number): Promise<KannelProgram> {
  // With -m it sends so many messages of its own.
  const centre = folder.start('/usr/lib/kannel/test/drive_smpp', ['-v', '0', '-p', String(port), '-m', '3'])
  await centre.said(/accept_thread\) maps to/)
  return centre
}

async function open(t: TestContext, options: Parameters<typeof connectSmpp>[1] = {}) {
  const port = await findFreePort()
  const centre = await startCentre(port)
  const connected = connectSmpp(port, { bindMode, sender: 'Tessera', ...options })
  t.after(async () => {
    await connected.sms.close?.()
    await centre.stop('SIGKILL')
  })
  const send = (text: string, signal = never) => connected.sms.send(smppMessage(text), signal)
  const untilAccepted = (text: string) => until(async () => (await send(text)).outcome === 'accepted', `${text} to be accepted`)
  return { ...connected, port, centre, send, untilAccepted }
}

test("Kannel's server reads our binds, messages and checks on two sessions, and we its messages, checks and responses", async (t) => {
  const { sms, centre, send, untilAccepted, reports, events } = await open(t, { enquireMs: 50 })
  await untilAccepted('Code 123456')
  await centre.said(/submit_sm: short_message = <Code 123456>/)
  // Two segments in UCS-2. Its responses have no id.
  assert.deepEqual(await send('Код 654321 '.repeat(8)), { outcome: 'accepted', gatewayMessageId: null })
  assert.equal(centre.output().match(/type submit_sm\n/g)?.length, 3)
  for (const command of ['bind_transmitter', 'bind_receiver', 'enquire_link', 'enquire_link_resp', 'deliver_sm_resp'])
    await centre.said(new RegExp(`Handling SMPP PDU of type ${command}\n`))
  // What it sends are no receipts, though it gives them an id.
  assert.deepEqual(reports, [])
  await sms.close?.()
  await centre.said(/type unbind\n[^]*Program exiting normally/)
  assert.doesNotMatch(centre.output(), /Unhandled|unpacking failed|garbage/)
  assert.deepEqual(
    events.filter((event) => event !== 'sms_connection_failed'),
    [],
  )
})

test("while Kannel's server is killed messages are rejected, and both sessions are bound to the next one", async (t) => {
  const { port, centre, send, untilAccepted } = await open(t)
  await untilAccepted('Code 1')
  await centre.stop('SIGKILL')
  await until(async () => (await send('Code 2')).error === 'not connected', 'a rejection')
  const next = await startCentre(port)
  t.after(() => next.stop('SIGKILL'))
  await untilAccepted('Code 3')
  await next.said(/type bind_receiver\n/)
  assert.doesNotMatch(centre.output() + next.output(), /<Code 2>/)
})

test("a message to Kannel's server that hangs is unknown, and is sent once", async (t) => {
  const { centre, send, untilAccepted } = await open(t)
  await untilAccepted('Code 1')
  await centre.pause()
  assert.equal((await send('Code 2', AbortSignal.timeout(300))).outcome, 'unknown')
  centre.resume()
  await centre.said(/<Code 2>/)
  await untilAccepted('Code 3')
  assert.equal(centre.output().match(/<Code 2>/g)?.length, 1)
})

test("Kannel's server reads the bind of a transceiver, which it does not have: the log says that no response came", async (t) => {
  const lines: string[] = []
  const log = (event: string, { bind, err }: Readonly<Record<string, unknown>>) =>
    void lines.push(`${event} ${String(bind)}: ${(err as Error).message}`)
  const { centre } = await open(t, { bindMode: 'transceiver', replyTimeoutMs: 300, log })
  await centre.said(/type_name: bind_transceiver[^]*system_id: "shop"[^]*password: "secret"[^]*interface_version: 52 /)
  await until(() => lines.includes('sms_connection_failed transceiver: no response to the bind'), 'the event')
})
