// time limit: 90 s
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { startSmppServer, textOf, type SmppServer } from '../../adapters/sms/smpp/smpp-server.fixture.ts'
import { makeScratch, startTesseraChild, until, type Started } from '../../testing/child.fixture.ts'

// The commands about messages, against a started service with two gateways: SMPP (the server half of npm's `smpp`), and an address where nothing listens.

/** The sandbox's card network names this phone for the card whose code the service sends. */
const pan = '8600495473316478'
const scratch = makeScratch()
let centre: SmppServer
let service: Started

before(async () => {
  centre = await startSmppServer()
  const closed = await startSmppServer()
  await closed.close()
  mkdirSync(scratch, { recursive: true })
  const password = join(scratch, 'password')
  writeFileSync(password, 'secret\n', { mode: 0o600 })
  const settingsOf = (name: string, port: number): string[] =>
    Object.entries({
      host: '127.0.0.1',
      port,
      'system-id': 'shop',
      'password-file': password,
      sender: 'Tessera',
      transport: 'private',
      'private-reason': 'the loopback of a test',
      'message-ids': 'hex_response',
    }).map(([key, value]) => `--sms-${name}-${key}=${String(value)}`)
  const gateways = ['--sms=smpp,smpp2', ...settingsOf('smpp', closed.port), ...settingsOf('smpp2', centre.port), '--sms-smpp2-weight=0']
  service = await startTesseraChild(join(scratch, 'data'), gateways)
})
after(async () => {
  await service.stop()
  await centre.close()
})

async function askJson<T>(...args: string[]): Promise<T> {
  const asked = await service.ask(...args, '--json')
  return JSON.parse(asked.out === '' ? assert.fail(asked.err) : asked.out) as T
}

interface Found {
  readonly messages: readonly {
    readonly gateway: string
    readonly outcome: string
    readonly error: string
    readonly deliveredAt: string | null
  }[]
}

test('support finds by the phone that one gateway rejected a code, and that another delivered it; the statistics and a test say so too', async () => {
  centre.reply = () => ({ message_id: 'A1B2' })
  const created = await service.call('cards.create', { card: { number: pan, expire: '0399' }, save: true })
  const token = created.reply.result?.card.token ?? assert.fail(JSON.stringify(created.reply))
  const requested = await service.call('cards.get_verify_code', { token })
  assert.equal(requested.status, 200, JSON.stringify(requested.reply))
  const [submitted] = await centre.untilReceived('submit_sm', 1)
  assert.match(textOf(submitted!), /666666/)
  const phone = String(submitted?.['destination_addr'])
  const text = `id:${String(0xa1b2)} sub:001 dlvrd:001 stat:DELIVRD err:000`
  centre.sessions.at(-1)?.deliver_sm({ esm_class: 4, short_message: text })

  const find = (): Promise<Found> => askJson<Found>('sms', 'find', `+${phone}`)
  await until(async () => (await find()).messages.some(({ deliveredAt }) => deliveredAt !== null), 'the delivery')
  assert.deepEqual((await find()).messages.map(({ gateway, outcome, error }) => [gateway, outcome, error]).toSorted(), [
    ['smpp', 'rejected', 'not connected'],
    ['smpp2', 'accepted', ''],
  ])
  const shown = await service.ask('sms', 'find', phone)
  assert.match(shown.out, /code [0-9a-f]{24} +smpp2 +accepted +20/)
  assert.ok(!shown.out.includes(phone))
  const nothing = await service.ask('sms', 'find', '998000000000')
  assert.match(nothing.out, /No message to this phone was given to a gateway in the last 30 days\./)

  const tested = await service.ask('sms', 'test', `+${phone}`, '--gateway=smpp2')
  assert.deepEqual([tested.code, /smpp2 +accepted/.test(tested.out)], [0, true], tested.out + tested.err)
  const failed = await service.ask('sms', 'test', phone)
  assert.deepEqual([failed.code, /smpp +rejected[^\n]*not connected/.test(failed.out)], [1, true], failed.out + failed.err)
  const unknown = await service.ask('sms', 'test', phone, '--gateway=pigeon')
  assert.match(unknown.err, /There is no SMS gateway pigeon/)

  const status = await service.ask('sms', 'status')
  assert.match(status.out, /smpp +\w+ +2 +0 +2 /)
  assert.match(status.out, /smpp2 +closed +3 +3 +0 +0 +1 +0 +3 +\d+\.\d s/)
})

test('neither the log nor the metrics have the phone, and the metrics name the gateway', async () => {
  const metrics = await (await fetch(`${service.facts.adminUrl}/metrics`)).text()
  assert.match(metrics, /tessera_sms_sends_total\{gateway="smpp2",outcome="accepted"\} [1-9]/)
  assert.match(metrics, /tessera_sms_deliveries_total\{gateway="smpp2",outcome="delivered"\} 1/)
  assert.match(metrics, /tessera_peer_breakers_open\{peer="sms",name="smpp2"\} 0/)
  const [submitted] = centre.received.filter(({ command }) => command === 'submit_sm')
  const phone = String(submitted?.['destination_addr'])
  assert.ok(!metrics.includes(phone) && !service.err().includes(phone))
})
