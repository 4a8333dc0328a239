import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { settings } from '../config/config.ts'

import { makeScratch, runHere, runTessera, startTesseraChild } from '../../testing/child.fixture.ts'
import type { Ended, Started } from '../../testing/child.fixture.ts'
import { commands } from './commands.ts'

const scratch = makeScratch()
const nowhere = join(scratch, 'nowhere')
const merchantFile = join(scratch, 'merchants.csv')
const networkFile = join(scratch, 'network.csv')
const sentByService = { number: '8600495473316478', expire: '0399' }
let service: Started

before(async () => {
  service = await startTesseraChild(join(scratch, 'data'))
})
after(() => service.stop())

async function facts<T>(...args: string[]): Promise<T> {
  const { code, out, err } = await service.ask(...args, '--json')
  assert.equal(code, 0, err + out)
  return JSON.parse(out) as T
}

async function token(): Promise<string> {
  const { reply } = await service.call('cards.create', { card: sentByService, save: true })
  return reply.result?.card.token ?? assert.fail(JSON.stringify(reply))
}

function assertRefused({ code, out, err }: Ended, exit: number, message: RegExp): void {
  assert.equal(code, exit, err)
  assert.equal(out, '')
  assert.match(err, message)
}

test('the control socket and all files beside it are private', () => {
  assert.equal(statSync(service.folder).mode & 0o777, 0o700)
  const names = readdirSync(service.folder)
  assert.ok(names.includes('control.sock') && names.includes('development.kek') && names.includes('tessera.db-wal'), names.join())
  for (const name of names) assert.equal(statSync(join(service.folder, name)).mode & 0o777, 0o600, name)
})

test('status shows the URL and the durability of writes', async () => {
  const status = await facts<Record<string, unknown>>('status')
  assert.deepEqual(
    [status.ready, status.state, status.url, status.durability, status.pid],
    [true, 'ready', service.facts.url, 'local', service.pid],
  )
  assert.match((await service.ask('status')).out, /^durability +local$/m)
  assert.equal((await service.ask('status', '--ready')).code, 0)
})

interface KeyList {
  readonly oldestInUse: { readonly keyId: string; readonly cards: number } | null
  readonly keys: readonly {
    readonly keyId: string
    readonly purpose: string
    readonly epoch: number
    readonly state: string
    readonly cards: number | null
  }[]
}

test('a rotated card key seals new cards, and the old one cannot be destroyed while it has cards', async () => {
  const old = await token()
  const before = (await facts<KeyList>('keys', 'status')).oldestInUse ?? assert.fail('a card is sealed')
  const rotated = await facts<{ keyId: string; epoch: number }>('keys', 'rotate', 'card', service.facts.demo?.merchantId ?? '')
  assert.equal(rotated.epoch, 2)
  await token()
  const { keys } = await facts<KeyList>('keys', 'status')
  const card = (keyId: string) => keys.find((key) => key.keyId === keyId)
  assert.deepEqual(
    [card(before.keyId)?.state, card(before.keyId)?.cards, card(rotated.keyId)?.state, card(rotated.keyId)?.cards],
    ['decrypt_only', 1, 'active', 1],
  )
  assertRefused(await service.ask('keys', 'destroy', before.keyId), 64, /cannot be undone/)
  assertRefused(await service.ask('keys', 'destroy', before.keyId, '--yes'), 64, /1 cards are sealed under key/)
  assertRefused(await service.ask('keys', 'reseal', rotated.keyId), 64, /rotate it first/)
  assertRefused(await service.ask('keys', 'reseal', '0'.repeat(32)), 64, /no card key/)
  assertRefused(await service.ask('keys', 'reseal', before.keyId, '--share', '0'), 64, /percent from 1 to 100/)
  const resealed = await facts<{ resealed: number; left: number }>('keys', 'reseal', before.keyId, '--share', '100')
  // The background may have been first.
  assert.ok(resealed.resealed <= 1)
  assert.equal(resealed.left, 0)
  assert.equal((await service.call('cards.check', { token: old }, true)).reply.result?.card.token, old)
})

test('the clock of a machine that nobody has set is trusted, and there is nothing to confirm', async () => {
  const status = await facts<{ trusted: boolean; driftSeconds: number; refusal: null }>('clock', 'status')
  assert.deepEqual([status.trusted, status.refusal], [true, null])
  assert.ok(Math.abs(status.driftSeconds) < 60)
  assertRefused(await service.ask('clock', 'confirm'), 64, /The clock says .*clock confirm --time \d/)
  assertRefused(await service.ask('clock', 'confirm', '--time', new Date().toISOString()), 64, /nothing to confirm/)
})

test('a key that was just in use cannot be destroyed, even without cards', async () => {
  const merchantId = service.facts.demo?.merchantId ?? ''
  const unaffected = await token()
  const rotated = await facts<{ keyId: string }>('keys', 'rotate', 'card', merchantId)
  const last = await facts<{ keyId: string }>('keys', 'rotate', 'card', merchantId)
  // It sealed nothing, but has just been in use: another process may be about to seal under it.
  assertRefused(await service.ask('keys', 'destroy', rotated.keyId, '--yes'), 64, /two minutes|in use/)
  assertRefused(await service.ask('keys', 'destroy', last.keyId, '--yes'), 64, /in use|active/)
  assert.equal((await service.call('cards.check', { token: unaffected }, true)).reply.result?.card.token, unaffected)
})

test('a rotation of a key that does not rotate, or without its merchant, is refused', async () => {
  assertRefused(await service.ask('keys', 'rotate', 'row_mac'), 64, /A purpose is one of: card, otp/)
  assertRefused(await service.ask('keys', 'rotate', 'card'), 64, /belongs to a merchant/)
  assertRefused(await service.ask('keys', 'rotate', 'otp', service.facts.demo?.merchantId ?? ''), 64, /Only a card key has a merchant/)
  assertRefused(await service.ask('keys', 'rotate'), 64, /Usage: tessera keys rotate <purpose>/)
  assertRefused(await service.ask('keys', 'destroy', 'x', '--yes'), 64, /32 hex digits/)
  assertRefused(await service.ask('keys', 'destroy', '0'.repeat(32), '--yes'), 64, /[Tt]here is no key/)
})

test('the audit verifies, card by card', async () => {
  await token()
  const report = await facts<{ entries: number; cards: number; findings: unknown[] }>('audit', 'verify')
  assert.deepEqual(report.findings, [])
  assert.ok(report.entries >= 2 && report.cards >= 1)
})

test('checkpoints and an export of the audit are verified by their signatures, and what was changed in them is found', async () => {
  await token()
  const head = await facts<{ line: string; chains: { chain: string; seq: number }[] }>('audit', 'head')
  const keyFile = join(scratch, 'audit-key.pem')
  writeFileSync(keyFile, (await service.ask('audit', 'public-key')).out)
  const compared = await facts<{ checkpoints: { checkpoints: number; heads: number; findings: unknown[] } }>(
    'audit',
    'verify',
    '--from',
    join(service.folder, 'audit-checkpoints.jsonl'),
    '--key',
    keyFile,
  )
  assert.ok(compared.checkpoints.checkpoints >= 1 && compared.checkpoints.heads >= 1)
  assert.deepEqual(compared.checkpoints.findings, [])
  const forgedFile = join(scratch, 'forged.jsonl')
  writeFileSync(forgedFile, `<109>1 a syslog header - ${head.line}\n${head.line.replace('"seq":', '"seq":1')}\n`)
  const forged = await service.ask('audit', 'verify', '--from', forgedFile)
  assert.equal(forged.code, 1)
  assert.match(forged.out, /2 checkpoints with 1 heads compared\.\ncheckpoint of .*: none of the keys made its signature/)

  const exported = join(scratch, 'audit.jsonl')
  const { entries } = await facts<{ entries: number }>('audit', 'export', exported)
  assert.ok(entries >= (head.chains[0]?.seq ?? 1))
  const verified = await runHere(['audit', 'verify-export', exported, '--key', keyFile])
  assert.deepEqual([verified.code, verified.err], [0, ''])
  assert.match(verified.out, /No findings\./)
  const text = readFileSync(exported, 'utf8')
  writeFileSync(exported, text.replace('card.created', 'card.removed'))
  const changed = await runHere(['audit', 'verify-export', exported, '--key', keyFile])
  assert.equal(changed.code, 1)
  assert.match(changed.out, /line 2: the entries of this segment are not those that were signed/)
  assertRefused(await service.ask('audit', 'export', exported), 64, /exists: give the name of a new file/)
  assertRefused(await runHere(['audit', 'verify-export', exported]), 64, /Give the public keys with --key/)
})

test('a change is listed with what it changed from what to what', async () => {
  const { merchantId } = await facts<{ merchantId: string }>('merchants', 'create', '--name', 'A shop to change')
  await facts('merchants', 'set', merchantId, '--origins', 'https://shop.example')
  const { entries } = await facts<{ entries: { action: string; changes: unknown[] }[] }>('audit', 'list', merchantId)
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['merchant.changed', 'merchant.created'],
  )
  assert.deepEqual(entries[0]?.changes, [{ name: 'origins', from: null, to: 'https://shop.example' }])
  assert.match((await service.ask('audit', 'list', merchantId)).out, /origins: — → https:\/\/shop\.example/)
})

test('a scenario takes effect at the step that was set, and the list shows it', async () => {
  const expired = { number: '3333336415804657', expire: '0399' }
  await facts('sandbox', 'step', 'card_expired', 'create')
  assert.equal((await service.call('cards.create', { card: expired })).reply.error?.reason, 'card_expired')
  const { steps } = await facts<{ steps: { scenario: string; step: string }[] }>('sandbox', 'steps')
  assert.equal(steps.find(({ scenario }) => scenario === 'card_expired')?.step, 'create')
  const { merchantId } = await facts<{ merchantId: string }>('merchants', 'create', '--name', 'Another shop')
  const other = await facts<{ steps: { scenario: string; step: string }[] }>('sandbox', 'steps', '--merchant', merchantId)
  assert.equal(other.steps.find(({ scenario }) => scenario === 'card_expired')?.step, 'get_verify_code')
  assertRefused(await service.ask('sandbox', 'step', 'card_lost', 'create'), 64, /A scenario is one of: sms_not_connected/)
  assertRefused(await service.ask('sandbox', 'step', 'card_expired', 'soon'), 64, /A step is one of: create, get_verify_code, verify, pay/)
  assertRefused(await service.ask('sandbox', 'step', 'cards.verify', 'late_31'), 64, /one of: none, late_1 … late_30, lose_answer, /)
  assertRefused(await service.ask('sandbox', 'step', 'receipts.cancel', 'late'), 64, /one of: none, late_1 … late_30, declined, /)
})

test('clock, limits and faults are set and reset together, and the data of a merchant is deleted by its id', async () => {
  const demo = { merchantId: '65f0c0ffee0000000000cafe' }
  assert.deepEqual(await facts('sandbox', 'clock'), { offsetMs: 0 })
  assert.deepEqual(await facts('sandbox', 'clock', '8d'), { offsetMs: 8 * 86_400_000 })
  assertRefused(await service.ask('sandbox', 'clock', 'soon'), 64, /A duration is a number and s, m, h or d/)
  assertRefused(await service.ask('sandbox', 'clock', '401d'), 64, /0 to 400 days/)
  assert.deepEqual(await facts('sandbox', 'step', 'cards.verify', 'late_5'), { ...demo, scenario: 'cards.verify', step: 'late_5' })
  assert.deepEqual(await facts('sandbox', 'limits', 'on'), { ...demo, on: true })
  assert.deepEqual(await facts('sandbox', 'restore'), { ...demo, offsetMs: 0 })
  const { merchantId } = await facts<{ merchantId: string }>('merchants', 'create', '--name', 'A shop to empty')
  const reset = await facts<{ isComplete: boolean }>('sandbox', 'reset', merchantId)
  assert.equal(reset.isComplete, true)
  const unknownMerchant = '0'.repeat(24)
  for (const args of [
    ['steps', '--merchant', unknownMerchant],
    ['step', 'card_expired', 'create', '--merchant', unknownMerchant],
    ['limits', 'on', '--merchant', unknownMerchant],
    ['restore', '--merchant', unknownMerchant],
    ['reset', unknownMerchant],
  ]) {
    assertRefused(await service.ask('sandbox', ...args), 64, /There is no merchant 0{24}: see tessera merchants list/)
  }
})

test('the inbox shows the SMS that we would have sent, newest first', async () => {
  await service.call('cards.get_verify_code', { token: await token() })
  const { inbox } = await facts<{ inbox: { phone: string; text: string }[] }>('sandbox', 'inbox', '--count', '1')
  assert.equal(inbox.length, 1)
  assert.deepEqual([inbox[0]?.phone, inbox[0]?.text.includes('666666')], ['99890*****66', true])
  assertRefused(await service.ask('sandbox', 'inbox', '--count', 'many'), 64, /from 1 to 100/)
})

test('limits are off in the test environment and can be switched on', async () => {
  const limited = await startTesseraChild(join(scratch, 'limited'), ['--limits=on'])
  const create = async (at: Started): Promise<string> =>
    (await at.call('cards.create', { card: sentByService })).reply.error?.reason ?? 'made'
  const outcomes: string[] = []
  for (let i = 0; i < 11; i++) outcomes.push(await create(limited))
  assert.deepEqual(outcomes, [...new Array<string>(10).fill('made'), 'address_limit'])
  assert.equal(await create(service), 'made')
  assert.equal((await limited.stop()).code, 0)
})

test('doctor reports a data folder that cannot be read, and continues', async () => {
  const file = join(scratch, 'file')
  writeFileSync(file, '')
  const { code, out, err } = await runTessera(['doctor', '--port=0', '--admin-port=0', `--data=${file}`]).ended
  assert.deepEqual([code, err], [1, ''])
  assert.match(out, /^FIX +data folder +the data folder .*file cannot be used \(ENOTDIR\): let this user write it/m)
  assert.match(out, /^ok +clock/m)
})

test('settings prints the effective values and their origins', async () => {
  const { out } = await runTessera(['settings', '--json', '--port=1234'], { TESSERA_DATABASE_URL: 'postgres://u:hunter2@h/d' }).ended
  const rows = JSON.parse(out) as { name: string; value: unknown; from: string }[]
  assert.deepEqual(
    rows.map(({ name }) => name),
    settings.map(({ name }) => name),
  )
  assert.deepEqual(
    rows.find(({ name }) => name === 'port'),
    { name: 'port', env: 'TESSERA_PORT', value: 1234, from: 'flag' },
  )
  assert.ok(!out.includes('hunter2'))
})

test('doctor finds nothing to fix at a running service, and reports an open folder', async () => {
  const healthy = await service.ask('doctor')
  assert.deepEqual([healthy.code, /FIX/.test(healthy.out)], [0, false], healthy.out)
  mkdirSync(join(scratch, 'open'))
  chmodSync(join(scratch, 'open'), 0o755)
  const faulty = await runTessera(['doctor', '--port=0', '--admin-port=0', `--data=${join(scratch, 'open')}`]).ended
  assert.equal(faulty.code, 1)
  assert.match(faulty.out, /^FIX +folder mode +755: other users can read it: chmod 700/m)
  const unset = await runTessera(['doctor', '--port=x']).ended
  assert.equal(unset.code, 1)
  assert.match(unset.out, /^FIX +settings +--port is "x"/m)
})

const wordsOfEvents = {
  'webhooks add': ['--url=https://shop.example/hook'],
  'events replay': ['x'],
  'events listen': ['--forward-to=http://127.0.0.1:1/'],
}
const wordsOfMerchants = {
  'merchants create': ['--name=x'],
  'merchants show': ['x'],
  'merchants set': ['x', '--name=x'],
  'merchants block': ['x', '--yes'],
  'merchants unblock': ['x'],
  'merchants rotate-password': ['x'],
  'merchants retire-password': ['x', '--yes'],
  'merchants endpoint': ['remove', 'x'],
  'dashboard users create': ['x', '--phone=998901234567'],
  'dashboard users list': ['x'],
  'dashboard users block': ['x', 'y'],
  'dashboard users reset-password': ['x', 'y'],
}

test('without a running service, every command that needs one reports that and how to start it', async () => {
  // prettier-ignore
  const local = [
    'init', 'start', 'settings', 'doctor', 'form-check', 'scan', 'audit verify-export', 'audit accept-restored', 'backup', 'keys init',
    'keys backup', 'keys check-share', 'keys node-key', 'restore', 'store check', 'store choose-primary', 'migrate', 'retention report', 'evidence', 'canary', 'version', 'help',
  ]
  const serviceCommands = commands.filter(({ name }) => !local.includes(name))
  const words: Record<string, string[]> = {
    'keys rotate': ['otp'],
    'keys destroy': ['x', '--yes'],
    'keys reseal': ['x'],
    'audit export': [join(scratch, 'never')],
    'merchants import': [merchantFile, '--print'],
    'keys sign-rows': ['--restored'],
    'store move': ['--database-url=postgres://u@127.0.0.1:1/x'],
    'keys enroll-node': ['node-b', '00'],
    'keys revoke-node': ['node-b'],
    'sandbox step': ['a', 'b'],
    'sandbox limits': ['on'],
    'sandbox reset': ['x'],
    'consents show': ['x'],
    'consents export': ['--merchant', 'x'],
    'sms find': ['998901234567'],
    'sms test': ['998901234567'],
    'receipts show': ['x'],
    'receipts reconcile': [networkFile, '--card-network=sandbox', '--date=2026-01-31'],
    'receipts resolve': ['x', '--not-paid', '--reference=r', '--reason=r', '--yes'],
    ...wordsOfEvents,
    ...wordsOfMerchants,
  }
  writeFileSync(merchantFile, 'name\nA shop\n')
  writeFileSync(networkFile, 'reference,amount,kind\n')
  for (const { name } of serviceCommands) {
    const ended = await runHere([...name.split(' '), ...(words[name] ?? []), `--data=${nowhere}`])
    assertRefused(
      ended,
      69,
      /^tessera: no service is running on .*nowhere: start one with tessera start, or give the folder of a running one with --data\n$/,
    )
  }
  const json = await runTessera(['status', '--json', `--data=${nowhere}`]).ended
  assert.deepEqual([json.code, (JSON.parse(json.out) as { error: { exit: string; code: number } }).error.code], [69, 69])
})

test('keys init leaves the development KEK to the first start', async () => {
  const ended = await runHere(['keys', 'init', `--data=${nowhere}`])
  assert.deepEqual([ended.code, existsSync(nowhere)], [0, false])
  assert.match(ended.out, /the first start generates it/)
})

test('an unknown command is refused with a suggestion', async () => {
  for (const [typed, meant] of [
    [['statsu'], /There is no command "statsu"\. Did you mean: tessera status/],
    [['stauts'], /There is no command "stauts"\. Did you mean: tessera status/],
    [['status', '--jsn'], /There is no option --jsn\. Did you mean --json\?/],
    [['status', '--hlep'], /There is no option --hlep\. Did you mean --help\?/],
    [['keys', 'destroy', 'x', '--yess'], /There is no option --yess\. Did you mean --yes\?/],
    [['key', 'rotate'], /Did you mean: tessera keys rotate/],
    [['keys'], /"keys" needs one of: init, status, rotate, destroy/],
    [['dashboard', 'users'], /"dashboard users" needs one of: create, list, block, reset-password/],
    [['--frob'], /There is no option --frob\. See: tessera help/],
    [['version', '--frob'], /"version" takes no --frob/],
    [['consents', 'export'], /The merchant is missing: tessera consents export --merchant <id>/],
    [['xyzzy'], /See: tessera help/],
    [['status', '--count', '3'], /"status" takes no --count/],
    [['status', 'now'], /Too many arguments. Usage: tessera status/],
    [['start', 'production'], /Too many arguments. Usage: tessera start/],
  ] as const) {
    assertRefused(await runHere(typed), 64, meant)
  }
  // What follows it would be a word too many: the flag is what is wrong.
  assertRefused(await runTessera(['start', '--prot', '9000']).ended, 78, /--prot is not a setting\. Did you mean --port\?/)
})

test('every command has its own help, and the list names them all', async () => {
  const list = await runTessera(['--help']).ended
  assert.equal(list.code, 0)
  for (const { name, summary } of commands) {
    assert.ok(list.out.includes(`  ${name}`) && list.out.includes(summary), name)
    const own = await runHere([...name.split(' '), '--help'])
    assert.equal(own.code, 0)
    assert.ok(own.out.includes(summary) || name === 'help', name)
  }
  const { code, out } = await runTessera([]).ended
  assert.deepEqual([code, out], [64, list.out])
})

test('the common first word of several commands lists them with --help', async () => {
  for (const typed of [
    ['sandbox', '--help'],
    ['help', 'sandbox'],
  ]) {
    const { code, out } = await runTessera(typed).ended
    assert.equal(code, 0)
    assert.match(out, /^tessera sandbox step <scenario> <step> .*takes effect\.$/m)
    assert.doesNotMatch(out, /keys/)
  }
  const users = await runTessera(['dashboard', 'users', '--help']).ended
  assert.match(users.out, /^tessera dashboard users block <merchant> <user> /m)
})

test('the help of start is the table of settings', async () => {
  const { out } = await runTessera(['start', '--help']).ended
  for (const { flag, env, meaning } of settings) assert.ok(out.includes(flag) && out.includes(env) && out.includes(meaning), flag)
})

test('the version is printed by the command and by the flag', async () => {
  const printed = await runTessera(['version']).ended
  assert.match(printed.out, /^Tessera \d+\.\d+\.\d+ on Node 24\./)
  for (const short of ['--version', '-v']) assert.equal((await runHere([short])).out, printed.out)
})
