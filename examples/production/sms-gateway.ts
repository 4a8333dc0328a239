import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { findFreePort } from '../../tools/free-port.ts'
import { makeProcess, type ManagedProcess } from './processes.ts'

/** Kannel of Debian: its bearerbox and smsbox as the gateway, its fakesmsc as the operator's centre with all phones behind it. */
export interface KannelGateway {
  readonly bearerbox: ManagedProcess
  readonly smsbox: ManagedProcess
  readonly phones: ManagedProcess
  readonly port: number
  readonly password: string
  /** The codes that have arrived at a phone, in order. */
  codesOf: (phone: string) => readonly string[]
  stop: () => Promise<void>
}

export async function startSmsGateway(folder: string, password: string): Promise<KannelGateway> {
  const [admin, boxes, centre, port] = [await findFreePort(), await findFreePort(), await findFreePort(), await findFreePort()]
  const config = join(folder, 'kannel.conf')
  writeFileSync(config, formatConfig({ admin, boxes, centre, port, password }), { mode: 0o600 })
  const bearerbox = makeProcess({
    name: 'bearerbox',
    command: ['/usr/sbin/bearerbox', '-v', '1', config],
    folder,
    isReady: () => accepts(boxes),
  })
  const smsbox = makeProcess({ name: 'smsbox', command: ['/usr/sbin/smsbox', '-v', '1', config], folder, isReady: () => accepts(port) })
  const phones = makeProcess({
    name: 'fakesmsc',
    command: [
      '/usr/lib/kannel/test/fakesmsc',
      '-H',
      '127.0.0.1',
      '-r',
      String(centre),
      '-i',
      '1',
      '-m',
      '0',
      '998901234566 4546 text hello',
    ],
    folder,
    isReady: () => Promise.resolve(true),
  })
  await bearerbox.start()
  await smsbox.start()
  await phones.start()
  return {
    bearerbox,
    smsbox,
    phones,
    port,
    password,
    codesOf: (phone) =>
      [...phones.output().matchAll(new RegExp(`<4546 \\+?${phone} text [^>]*?code ([0-9A-Z]+)`, 'g'))].map(([, code = '']) => code),
    async stop() {
      for (const each of [phones, smsbox, bearerbox]) await each.stop()
    },
  }
}

interface Ports {
  readonly admin: number
  readonly boxes: number
  readonly centre: number
  readonly port: number
  readonly password: string
}

function formatConfig({ admin, boxes, centre, port, password }: Ports): string {
  return `group = core
admin-port = ${String(admin)}
admin-password = ${password}
smsbox-port = ${String(boxes)}
box-allow-ip = "127.0.0.1"

group = smsc
smsc = fake
smsc-id = fake
port = ${String(centre)}
connect-allow-ip = 127.0.0.1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${String(port)}
mo-recode = true

group = sendsms-user
username = tessera
password = ${password}
max-messages = 3
concatenation = true

group = sms-service
keyword = default
text = "No service"
`
}

async function accepts(port: number): Promise<boolean> {
  const socket = createConnection({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return true
  } finally {
    socket.destroy()
  }
}
