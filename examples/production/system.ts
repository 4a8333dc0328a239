import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../tools/free-port.ts'
import type { Behaviour, LedgerEntry } from './card-network.ts'
import { makeExampleAuthority, type ExampleAuthority } from './certificates.ts'
import { makeHttpsClient, type HttpsClient } from './client.ts'
import { startDatabase, type ProductionDatabase } from './database.ts'
import { makeProcess, type ManagedProcess } from './processes.ts'
import { startProxy, type NginxProxy } from './proxy.ts'
import { install, startServiceProcess, writeSecret, type ProductionInstallation, type ServiceProcess } from './services.ts'
import type { ShopRecord } from './shop.ts'
import { startMessageCentre, startSmsGateway, type KannelGateway, type MessageCentre, type PhoneMessages } from './sms-gateway.ts'
import { makeToken, type Token } from './token.ts'

/** Everything that runs, and how it is reached. */
export interface ProductionSystem {
  readonly folder: string
  readonly caFile: string
  readonly database: ProductionDatabase
  readonly token: Token
  readonly gateway: KannelGateway
  readonly messageCentre: MessageCentre
  /** By either gateway. */
  readonly phones: PhoneMessages
  readonly network: NetworkDouble
  readonly services: readonly ServiceProcess[]
  readonly proxy: NginxProxy
  readonly shop: MerchantServer
  readonly installation: ProductionInstallation
  /** `https://pay.provider.example:<port>`, where the card form and the API are. */
  readonly formOrigin: string
  readonly merchant: { readonly id: string; readonly password: string }
  readonly call: HttpsClient
  stop: () => Promise<void>
}

export interface NetworkDouble {
  readonly process: ManagedProcess
  behave: (behaviour: Behaviour) => Promise<void>
  ledger: () => Promise<readonly LedgerEntry[]>
}

export interface MerchantServer {
  readonly process: ManagedProcess
  readonly port: number
  control: (verb: 'secret' | 'behave' | 'seen', argument?: string) => Promise<ShopRecord>
}

/** The public prefix of Uzcard, whose cards the example's network has. */
export const cardPrefix = '8600'

/** Starts the whole example, in the order in which an operator would. `say` gets a line for each step. */
export async function startSystem(say: (line: string) => void): Promise<ProductionSystem> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-production-'))
  const cleanups: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })]
  const stop = async (): Promise<void> => {
    for (const clean of cleanups.splice(0).reverse()) await clean()
  }
  try {
    const system = await build(folder, say, (clean) => cleanups.push(clean))
    return { ...system, stop }
  } catch (err) {
    await stop()
    throw err
  }
}

async function build(
  folder: string,
  say: (line: string) => void,
  onStop: (clean: () => unknown) => void,
): Promise<Omit<ProductionSystem, 'stop'>> {
  const secrets = join(folder, 'private')
  mkdirSync(secrets, { mode: 0o700 })
  const authority = makeExampleAuthority(secrets)
  const database = await startDatabase(authority)
  onStop(() => database.stop())
  say('PostgreSQL: two databases, over TLS with verify-full')
  const token = makeToken(secrets)
  say('PKCS#11 token: SoftHSM2')
  const gateway = await startSmsGateway(folder, randomBytes(12).toString('hex'))
  onStop(() => gateway.stop())
  say('SMS gateway by HTTP: Kannel, with its fakesmsc as the operator and all phones')
  const messageCentre = await startMessageCentre(folder, authority)
  onStop(() => messageCentre.process.stop())
  say("SMS gateway by SMPP, over TLS: Kannel's drive_smpp, bound as a transmitter and a receiver")
  const network = await startNetwork(folder, authority, onStop)
  say('card network: a double with ISO 8583 over TLS')

  const proxyPort = await findFreePort()
  const origins = ['pay', 'merchants'].map((host) => `https://${host}.provider.example:${String(proxyPort)}`) as [string, string]
  const settings = [
    '--env=production',
    `--form-origin=${origins[0]}`,
    `--dashboard-origin=${origins[1]}`,
    '--trusted-proxies=127.0.0.1',
    `--database-url=${database.cardsUrl}`,
    `--keys-database-url=${database.keysUrl}`,
    ...token.settings,
    ...smsSettings({ gateway, messageCentre, authority, secrets }),
    ...networkSettings(network, authority, secrets),
    ...providerSettings,
    // The shop's endpoint is on this machine.
    '--outbound-networks=127.0.0.0/8',
  ]
  const installation = await install({
    folder,
    settings,
    env: { ...token.env, NODE_EXTRA_CA_CERTS: authority.caFile, TESSERA_KEK_NEXT_FILE: token.nextFile },
  })
  say('configuration: written by tessera init; the KEK: made in the token by tessera keys init')
  const services = await startServices(installation, folder, onStop)
  say(`service: ${String(services.length)} processes, each ready`)
  const ca = readFileSync(authority.caFile, 'utf8')
  const call = makeHttpsClient({ port: proxyPort, host: 'pay.provider.example', ca })
  const proxy = await startProxy({
    folder,
    authority,
    port: proxyPort,
    hosts: ['pay.provider.example', 'merchants.provider.example'],
    upstreams: services.map(({ port }) => port),
    isReady: async () => (await call({ method: 'rpc.discover', params: {}, auth: '', timeoutMs: 2000 })).kind !== 'noReply',
  })
  onStop(() => proxy.process.stop())
  say(`nginx: ${origins.join(' and ')}`)
  const { merchant, shop } = await startShop({ folder, secrets, authority, installation, service: services[0] }, onStop)
  say(`merchant ${merchant.id}, with its endpoint and its webhook on https://127.0.0.1:${String(shop.port)}`)
  const formOrigin = origins[0]
  const phones: PhoneMessages = { codesOf: (phone) => [...gateway.codesOf(phone), ...messageCentre.codesOf(phone)] }
  return {
    folder,
    caFile: authority.caFile,
    database,
    token,
    gateway,
    messageCentre,
    phones,
    network,
    services,
    proxy,
    shop,
    installation,
    formOrigin,
    merchant,
    call,
  }
}

async function startNetwork(
  folder: string,
  authority: ExampleAuthority,
  onStop: (clean: () => unknown) => void,
): Promise<NetworkDouble & { port: number }> {
  const [port, controlPort] = [await findFreePort(), await findFreePort()]
  const { certFile, keyFile } = authority.issue('network', ['switch.network.example'])
  const control = async (path: string): Promise<readonly LedgerEntry[]> =>
    ((await (await fetch(`http://127.0.0.1:${String(controlPort)}/${path}`)).json()) as { ledger: LedgerEntry[] }).ledger
  const process = makeProcess({
    name: 'card-network',
    command: [
      nodePath,
      join(import.meta.dirname, 'card-network.ts'),
      String(port),
      String(controlPort),
      certFile,
      keyFile,
      join(folder, 'ledger.jsonl'),
    ],
    folder,
    isReady: async () => (await control('ledger')).length >= 0,
  })
  await process.start()
  onStop(() => process.stop())
  return {
    process,
    port,
    async behave(behaviour) {
      await control(`behave/${behaviour}`)
    },
    ledger: () => control('ledger'),
  }
}

async function startServices(
  installation: ProductionInstallation,
  folder: string,
  onStop: (clean: () => unknown) => void,
): Promise<readonly ServiceProcess[]> {
  const places = await Promise.all(
    [1, 2, 3].map(async (number) => ({ folder, number, port: await findFreePort(), adminPort: await findFreePort() })),
  )
  // All at once: the first that comes makes the schema, the others wait for it.
  return Promise.all(
    places.map(async (place) => {
      const service = await startServiceProcess(installation, place)
      onStop(() => service.process.stop())
      return service
    }),
  )
}

interface ShopPlace {
  readonly folder: string
  readonly secrets: string
  readonly authority: ExampleAuthority
  readonly installation: ProductionInstallation
  readonly service: ServiceProcess | undefined
}

async function startShop({ folder, secrets, authority, installation, service }: ShopPlace, onStop: (clean: () => unknown) => void) {
  const [port, controlPort] = [await findFreePort(), await findFreePort()]
  const { certFile, keyFile } = authority.issue('shop', ['shop.example'])
  const password = randomBytes(12).toString('hex')
  const control = async (verb: string, argument = ''): Promise<ShopRecord> =>
    (await (await fetch(`http://127.0.0.1:${String(controlPort)}/${verb}/${encodeURIComponent(argument)}`)).json()) as ShopRecord
  const process = makeProcess({
    name: 'shop',
    command: [
      nodePath,
      join(import.meta.dirname, 'shop.ts'),
      String(port),
      String(controlPort),
      certFile,
      keyFile,
      password,
      join(folder, 'shop.jsonl'),
    ],
    folder,
    isReady: async () => (await control('seen')).performed >= 0,
  })
  await process.start()
  onStop(() => process.stop())
  const at = [`--config=${installation.config}`, `--data=${service?.data ?? ''}`]
  const created = JSON.parse(
    await installation.tessera('merchants', 'create', '--json', '--name=Book shop', '--origins=https://shop.example', ...at),
  ) as CreatedMerchant
  const merchant = { id: created.merchantId, password: created.password }
  const passwordFile = writeSecret(secrets, 'endpoint-password', password)
  const endpoint = [`--url=https://127.0.0.1:${String(port)}/endpoint`, `--password-file=${passwordFile}`]
  await installation.tessera('merchants', 'endpoint', 'set', merchant.id, ...endpoint, ...at)
  const webhook = [`--merchant=${merchant.id}`, `--url=https://127.0.0.1:${String(port)}/webhooks`]
  const { secret } = JSON.parse(await installation.tessera('webhooks', 'add', '--json', ...webhook, ...at)) as { secret: string }
  await control('secret', secret)
  const shop: MerchantServer = { process, port, control }
  return { merchant, shop }
}

interface CreatedMerchant {
  readonly merchantId: string
  readonly password: string
}

interface SmsPlace {
  readonly gateway: KannelGateway
  readonly messageCentre: MessageCentre
  readonly authority: ExampleAuthority
  readonly secrets: string
}

/** Both gateways carry messages, and each those that the other rejects. */
function smsSettings({ gateway, messageCentre, authority, secrets }: SmsPlace): string[] {
  return [
    '--sms=smpp,http',
    '--sms-smpp-host=localhost',
    `--sms-smpp-port=${String(messageCentre.port)}`,
    `--sms-smpp-ca-file=${authority.caFile}`,
    '--sms-smpp-bind=transmitter_and_receiver',
    '--sms-smpp-system-id=tessera',
    `--sms-smpp-password-file=${writeSecret(secrets, 'smpp-password', randomBytes(4).toString('hex'))}`,
    '--sms-smpp-sender=4546',
    '--sms-smpp-enquire-seconds=5',
    '--sms-http-template=kannel',
    `--sms-http-base-url=http://127.0.0.1:${String(gateway.relay.port)}`,
    '--sms-http-transport=private',
    '--sms-http-private-reason=The gateway runs on the same machine',
    '--sms-http-username=tessera',
    `--sms-http-password-file=${writeSecret(secrets, 'gateway-password', gateway.password)}`,
    '--sms-http-sender=4546',
  ]
}

function networkSettings({ port }: { readonly port: number }, { caFile }: ExampleAuthority, folder: string): string[] {
  const table = join(folder, 'field-table.json')
  writeFileSync(table, JSON.stringify({ phoneInquiry: { processingCode: '390000', field: 48 } }))
  return [
    '--network=iso8583',
    '--network-iso8583-host=localhost',
    `--network-iso8583-port=${String(port)}`,
    `--network-iso8583-ca-file=${caFile}`,
    `--network-iso8583-routes=${cardPrefix}`,
    '--network-iso8583-terminal-id=TERM0001',
    '--network-iso8583-acceptor-id=MERCHANT0000001',
    `--network-iso8583-field-table=${table}`,
    '--network-iso8583-echo-seconds=5',
  ]
}

const providerSettings = [
  '--provider-name=Example Payments',
  '--provider-address=1 Amir Temur, Tashkent',
  '--provider-url=https://provider.example',
  '--terms-url=https://provider.example/terms',
  '--privacy-url=https://provider.example/privacy',
  `--disclosure=${JSON.stringify({ version: '1', en: 'Example Payments stores this card.', ru: 'Example Payments хранит эту карту.', uz: 'Example Payments bu kartani saqlaydi.' })}`,
]

const nodePath = process.execPath
