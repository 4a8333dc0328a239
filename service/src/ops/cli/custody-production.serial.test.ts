// time limit: 180 s
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'

import type { Result } from '@tessera/contract/operations'

import { makeScratch, runTessera, type Ended } from '../../testing/child.fixture.ts'
import { startCustodied, type CustodiedService } from '../../testing/custodians.fixture.ts'
import { runAtTerminal, type TerminalSession } from '../../testing/terminal.fixture.ts'

// The first day of docs/operating/custodian-shares.md in the production environment, as its people do it: each command in a process, each custodian at a
// terminal of their own.

const scratch = makeScratch()
const data = join(scratch, 'data')
const config = join(scratch, 'tessera.json')
const pan = '8600069195406311'

test('in production tessera init prepares a service that starts sealed, custodians unseal it at their terminals, and a card is created', async (t) => {
  const [gateway, network] = [await listen(), await listen()]
  t.after(() => [gateway, network].forEach((server) => server.close()))
  const initialized = await runTessera(['init', '--json', `--output=${config}`, `--data=${data}`, ...settings(gateway, network)]).ended
  const { findings, missing } = JSON.parse(initialized.out) as {
    findings: { ok: boolean; check: string; found: string }[]
    missing: string[]
  }
  assert.deepEqual([missing, findings.filter(({ ok }) => !ok)], [[], []])
  assert.equal(initialized.code, 0)

  const first = await start()
  assert.match(await sealedReason(first), /^there is no set of shares yet: tessera keys init --shares <n> --threshold <k>$/)
  const made = await run('keys', 'init', '--shares=3', '--threshold=2')
  assert.equal(made.code, 0, made.err)
  const setId = /The set ([0-9A-Z]{8}) of 3 shares was made/.exec(made.out)?.[1] ?? assert.fail(made.out)
  const shares: string[] = []
  for (const custodian of ['aziz', 'dilnoza', 'karim'])
    shares.push(readShare(await atTerminal([], 'keys', 'take-share', `--custodian=${custodian}`)))
  const [one = '', two = '', three = ''] = shares
  const checked = await runAtTerminal(['keys', 'check-share'], [[/not shown\): $/, `${one}\r`]])
  assert.match(checked.shown, new RegExp(`share 1 of the set ${setId}, which 2 shares open`))
  assert.ok(!checked.shown.includes(one))
  await stop(first)

  const second = await start()
  assert.equal(await sealedReason(second), `0 of 2 shares of the set ${setId} are entered`)
  const refused = await create(second, '0'.repeat(24))
  assert.deepEqual([refused.error?.reason, (refused.error?.retry_after ?? 0) > 0], ['store_unavailable', true])
  assert.match((await run('merchants', 'list')).err, /sealed/)
  await unseal('aziz', three, new RegExp(`1 of 2 shares of the set ${setId} are entered`))
  assert.equal(await sealedReason(second), `1 of 2 shares of the set ${setId} are entered`)
  const again = await atTerminal([[/not shown\): $/, `${two}\r`]], 'keys', 'unseal', '--custodian=aziz')
  assert.notEqual(again.code, 0)
  assert.match(again.shown, /custodian/, 'one custodian enters one share')
  await unseal('dilnoza', two, /its KEK is open/)
  await second.untilState('ready')
  const ready = await fetch(`${second.adminUrl}/readyz`)
  assert.equal(ready.status, 200)

  const merchant = await run('merchants', 'create', '--json', '--name=A shop')
  assert.equal(merchant.code, 0, merchant.err)
  const { merchantId } = JSON.parse(merchant.out) as Result<'operator.merchants.create'>
  const created = await create(second, merchantId)
  assert.match(created.result?.card.token ?? assert.fail(JSON.stringify(created.error)), /./)
  const keys = await run('keys', 'verify')
  assert.equal(keys.code, 0, keys.out + keys.err)
  await stop(second)
  for (const child of [first, second]) for (const share of shares) assert.ok(!child.err().includes(share), 'a share is in the log')
})

/** What the settings say of a provider, and the peers that `tessera init` connects to. */
function settings(gateway: Server, network: Server): string[] {
  const portOf = (server: Server): string => String((server.address() as AddressInfo).port)
  const password = join(scratch, 'password')
  writeFileSync(password, 'secret\n', { mode: 0o600 })
  return [
    '--provider-name=A provider',
    '--provider-address=1 Amir Temur, Tashkent',
    '--provider-url=https://provider.example',
    '--terms-url=https://provider.example/terms',
    '--privacy-url=https://provider.example/privacy',
    `--disclosure=${JSON.stringify({ version: '1', en: 'a', ru: 'b', uz: 'c' })}`,
    '--form-origin=https://pay.provider.example',
    '--dashboard-origin=https://merchants.provider.example',
    '--kek=shares',
    '--sms=http',
    '--sms-http-template=kannel',
    `--sms-http-base-url=http://127.0.0.1:${portOf(gateway)}`,
    '--sms-http-username=tessera',
    `--sms-http-password-file=${password}`,
    '--sms-http-sender=4546',
    '--sms-http-transport=private',
    '--sms-http-private-reason=loopback of a test',
    '--network=iso8583',
    '--network-iso8583-host=127.0.0.1',
    `--network-iso8583-port=${portOf(network)}`,
    '--network-iso8583-transport=private',
    '--network-iso8583-private-reason=loopback of a test',
    '--network-iso8583-routes=8600',
    '--network-iso8583-terminal-id=TERM0001',
    '--network-iso8583-acceptor-id=ACCEPTOR0000001',
  ]
}

/** A peer that accepts connections and never replies. */
async function listen(): Promise<Server> {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume()).unref()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function start(): Promise<CustodiedService> {
  const service = await startCustodied(data, [`--config=${config}`])
  await service.untilState('sealed')
  return service
}

/** The reason of /readyz, which is 503 for load balancers. */
async function sealedReason({ adminUrl }: CustodiedService): Promise<string> {
  const reply = await fetch(`${adminUrl}/readyz`)
  const { ready, state, reason } = (await reply.json()) as { ready: boolean; state: string; reason?: string }
  assert.deepEqual([reply.status, ready, state], [503, false, 'sealed'])
  return reason ?? ''
}

function run(...command: readonly string[]): Promise<Ended> {
  return runTessera([...command, `--config=${config}`]).ended
}

function atTerminal(typed: Parameters<typeof runAtTerminal>[1], ...command: readonly string[]): Promise<TerminalSession> {
  return runAtTerminal([...command, `--config=${config}`], typed)
}

async function unseal(custodian: string, share: string, expected: RegExp): Promise<void> {
  const { code, shown } = await atTerminal([[/not shown\): $/, `${share}\r`]], 'keys', 'unseal', `--custodian=${custodian}`)
  assert.equal(code, 0, shown)
  assert.match(shown, expected)
  assert.ok(!shown.includes(share) && !shown.includes(share.slice(0, 11)), 'a share is shown')
}

/** As the custodian writes it down: the groups of three lines. */
function readShare({ code, shown }: TerminalSession): string {
  assert.equal(code, 0, shown)
  return [...shown.matchAll(/^ {2}((?:[0-9A-Z]{4}-){5}[0-9A-Z]{4})$/gm)].map(([, groups]) => groups).join('-')
}

interface CardReply {
  readonly result?: { readonly card: { readonly token: string } }
  readonly error?: { readonly reason: string; readonly retry_after?: number }
}

async function create({ url }: CustodiedService, merchantId: string): Promise<CardReply> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'cards.create',
    params: { card: { number: pan, expire: '0399' }, save: true },
  })
  return (await (await fetch(`${url}/api/cards.create`, { method: 'POST', headers: { 'x-auth': merchantId }, body })).json()) as CardReply
}

async function stop(service: CustodiedService): Promise<void> {
  service.kill('SIGTERM')
  const { code, err } = await service.ended
  assert.equal(code, 0, err)
}
