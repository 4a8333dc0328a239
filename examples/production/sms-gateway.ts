import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from '../../tools/free-port.ts'
import type { ExampleAuthority } from './certificates.ts'
import type { CentreBehaviour, CentreState } from './message-centre.ts'
import { acceptsConnections, makeProcess, type ManagedProcess } from './processes.ts'
import { startSmsRelay, type SmsRelay } from './sms-relay.ts'

/** Messages that have reached their phone. */
export interface PhoneMessages {
  /** The codes that have arrived at a phone, in order. */
  codesOf: (phone: string) => readonly string[]
}

/** The gateway by HTTP: bearerbox and smsbox of Debian's kannel, and fakesmsc as the operator's centre with all phones behind it. */
export interface KannelGateway extends PhoneMessages {
  readonly bearerbox: ManagedProcess
  readonly smsbox: ManagedProcess
  readonly phones: ManagedProcess
  /** What the service calls, in front of smsbox. */
  readonly relay: SmsRelay
  readonly password: string
  stop: () => Promise<void>
}

/** The gateway by SMPP: `message-centre.ts`, with Kannel's drive_smpp behind it. */
export interface MessageCentre extends PhoneMessages {
  readonly process: ManagedProcess
  readonly port: number
  behave: (behaviour: CentreBehaviour) => Promise<void>
  /** Resolves when it is in such a state; rejects after a minute. */
  until: (holds: (state: CentreState) => boolean) => Promise<void>
}

export async function startMessageCentre(folder: string, authority: ExampleAuthority): Promise<MessageCentre> {
  const [port, controlPort] = [await findFreePort(), await findFreePort()]
  const { certFile, keyFile } = authority.issue('message-centre', ['smsc.operator.example'])
  const control = async (path: string): Promise<CentreState> =>
    (await (await fetch(`http://127.0.0.1:${String(controlPort)}/${path}`)).json()) as CentreState
  const process = makeProcess({
    name: 'message-centre',
    command: [nodePath, join(import.meta.dirname, 'message-centre.ts'), String(port), String(controlPort), certFile, keyFile],
    folder,
    isReady: async () => (await control('')).sessions >= 0,
  })
  await process.start()
  return {
    process,
    port,
    codesOf: (phone) => readDecodedCodes(process.output(), phone),
    async behave(behaviour) {
      await control(`behave/${behaviour}`)
    },
    async until(holds) {
      for (let attempt = 0; !holds(await control('')); attempt++) {
        if (attempt === 600) throw new Error(`the gateway by SMPP is still ${JSON.stringify(await control(''))}`)
        await pause(100)
      }
    },
  }
}

/** drive_smpp prints the text of a message without its phone. The text names the card by its last four digits, which end the phone's number here too. */
export function readDecodedCodes(output: string, phone: string): string[] {
  const decoded = new RegExp(`submit_sm: short_message = <[^>]*?code ([0-9A-Z]+) for card \\*${phone.slice(-4)}\\b`, 'g')
  return [...output.matchAll(decoded)].map(([, code = '']) => code)
}

export async function startSmsGateway(folder: string, password: string): Promise<KannelGateway> {
  const [admin, boxes, centre, port] = [await findFreePort(), await findFreePort(), await findFreePort(), await findFreePort()]
  const config = join(folder, 'kannel.conf')
  writeFileSync(config, formatConfig({ admin, boxes, centre, port, password }), { mode: 0o600 })
  const bearerbox = makeProcess({
    name: 'bearerbox',
    command: ['/usr/sbin/bearerbox', '-v', '1', config],
    folder,
    isReady: () => acceptsConnections(boxes),
  })
  const smsbox = makeProcess({
    name: 'smsbox',
    command: ['/usr/sbin/smsbox', '-v', '1', config],
    folder,
    isReady: () => acceptsConnections(port),
  })
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
  const relay = await startSmsRelay(port)
  return {
    bearerbox,
    smsbox,
    phones,
    relay,
    password,
    codesOf: (phone) =>
      [...phones.output().matchAll(new RegExp(`<4546 \\+?${phone} text [^>]*?code ([0-9A-Z]+)`, 'g'))].map(([, code = '']) => code),
    async stop() {
      await relay.stop()
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

const nodePath = process.execPath
