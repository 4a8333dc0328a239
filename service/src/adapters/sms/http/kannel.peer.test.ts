// needs: kannel
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { findFreePort } from '../../../../../tools/free-port.ts'
import { makeSystemClock } from '../../../system-clock.ts'
import { makeHttpRequest } from '../../http/http-post.ts'
import { openKannelFolder, untilListening, type KannelProgram } from '../kannel.fixture.ts'
import type { Sms, SmsMessage } from '../sms.ts'
import { makeHttpSms } from './http-sms.ts'
import { readSmsTemplate } from './template.ts'

// A real gateway: Kannel's bearerbox and smsbox of Debian, with its fakesmsc as the operator's SMS centre.

const folder = openKannelFolder()
const never = new AbortController().signal
let phone: KannelProgram
let smsboxPort = 0

before(async () => {
  const [admin, boxes, centre, sendsms] = [await findFreePort(), await findFreePort(), await findFreePort(), await findFreePort()]
  smsboxPort = sendsms
  const config = folder.write(
    'kannel.conf',
    `group = core
admin-port = ${String(admin)}
admin-password = admin
smsbox-port = ${String(boxes)}
box-allow-ip = "127.0.0.1"

group = smsc
smsc = fake
smsc-id = fake
port = ${String(centre)}
connect-allow-ip = 127.0.0.1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${String(sendsms)}
mo-recode = true

group = sendsms-user
username = shop
password = secret
max-messages = 3
concatenation = true

group = sms-service
keyword = default
text = "No service"
`,
  )
  // The centre's port takes one client only, so it is not tried.
  await folder.start('/usr/sbin/bearerbox', ['-v', '1', config]).said(/entering mainloop/)
  folder.start('/usr/sbin/smsbox', ['-v', '1', config])
  phone = folder.start('/usr/lib/kannel/test/fakesmsc', [
    '-H',
    '127.0.0.1',
    '-r',
    String(centre),
    '-i',
    '1',
    '-m',
    '0',
    '998901234566 4546 text hello',
  ])
  await untilListening(sendsms)
})

after(() => folder.close())

test('a message in English and one in Russian arrive at the phone as they were sent', async () => {
  const sms = gateway()
  const english = await sms.send(message('Tessera: code 123456 @ {x} & "y"\n\n@shop.example #123456'), never)
  assert.equal(english.outcome, 'accepted')
  // Fakesmsc prints a message line by line.
  await phone.said(/<4546 \+998901234566 text Tessera: code 123456 @ \{x\} & "y">[^]*<>[^]*<@shop\.example #123456>/)
  const russian = await sms.send(message('Код 654321'), never)
  assert.equal(russian.outcome, 'accepted')
  const ucs2 = Buffer.from('Код 654321', 'utf16le').swap16()
  const [, sent = ''] = await phone.said(/998901234566 ucs-2 (\S+)>/)
  assert.deepEqual(Buffer.from(decodeURIComponentBytes(sent)), ucs2)
})

test('a wrong password is a rejection, and so is a gateway that is not there', async () => {
  assert.deepEqual(await gateway({ password: 'wrong' }).send(message('x'), never), { outcome: 'rejected', error: 'http 403' })
  const absent = await findFreePort()
  assert.deepEqual(await gateway({ port: absent }).send(message('x'), never), { outcome: 'rejected', error: 'unreachable' })
})

function gateway({ password = 'secret', port = smsboxPort }: { readonly password?: string; readonly port?: number } = {}): Sms {
  const clock = makeSystemClock()
  const guard = { choose: async () => ({ address: '127.0.0.1', family: 4 }) }
  return makeHttpSms({
    template: readSmsTemplate('kannel'),
    baseUrl: `http://127.0.0.1:${String(port)}`,
    request: makeHttpRequest({ guard, clock, timeoutMs: 10_000, replyBytesMax: 4096 }),
    clock,
    log: () => undefined,
    username: 'shop',
    password,
    sender: '4546',
  })
}

function message(text: string): SmsMessage {
  return {
    messageId: '65f0c0ffee0000000000beef',
    merchantId: '65f0c0ffee0000000000cafe',
    phone: '998901234566',
    text,
    lifetimeSeconds: 180,
  }
}

/** Bytes that are URL-encoded one by one. */
function decodeURIComponentBytes(text: string): number[] {
  return [...text.replaceAll('+', ' ').matchAll(/%([0-9A-Fa-f]{2})|([^%])/g)].map(([, hex, plain]) =>
    hex === undefined ? (plain ?? '').charCodeAt(0) : Number.parseInt(hex, 16),
  )
}
