// time limit: 120 s
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { makeScratch, runTessera, startTesseraChild, until, type Ended, type Started } from '../../testing/child.fixture.ts'

import { parseCsv } from './csv.ts'

const scratch = makeScratch()
let service: Started

before(async () => {
  service = await startTesseraChild(join(scratch, 'data'))
})
after(() => service.stop())

test('a file is imported, each merchant with its settings and a password that works, and a second run changes nothing', async () => {
  const file = write(
    'shops.csv',
    'name,business-id,origins,min-amount,strict-server-auth\n' +
      '"Shop ""One"", Tashkent",B-1,"https://one.example,https://m.one.example",1000,on\n' +
      'Shop Two,B-2,,,\n',
  )
  const passwords = join(scratch, 'shops.passwords.csv')
  const dry = await run(0, 'merchants', 'import', file, '--dry-run')
  assert.match(dry.out, /2 merchants would be created; 0 exist already, by their business-id/)
  const { out } = await run(0, 'merchants', 'import', file, `--passwords=${passwords}`)
  assert.match(out, /2 merchants were created; 0 existed already/)
  assert.equal(statSync(passwords).mode & 0o777, 0o600)
  assert.ok(!existsSync(`${passwords}.pending`))
  const [heading, one, two] = parseCsv(readFileSync(passwords, 'utf8')) ?? []
  assert.deepEqual(
    [heading, one?.slice(0, 2), two?.slice(0, 2)],
    [
      ['name', 'business-id', 'merchant', 'password'],
      ['Shop "One", Tashkent', 'B-1'],
      ['Shop Two', 'B-2'],
    ],
  )
  assert.ok(!out.includes(one?.[3] ?? ''), 'the password is in the file alone')
  for (const [, , merchantId = '', password = ''] of [one ?? [], two ?? []]) assert.ok(await isAccepted(merchantId, password))
  const shown = JSON.parse((await run(0, 'merchants', 'show', one?.[2] ?? '', '--json')).out) as Record<string, unknown>
  assert.deepEqual(
    [shown['origins'], shown['minAmount'], shown['strictServerAuth'], shown['businessId']],
    [['https://one.example', 'https://m.one.example'], 1000, true, 'B-1'],
  )
  const text = readFileSync(passwords, 'utf8')
  assert.match((await run(0, 'merchants', 'import', file, `--passwords=${passwords}`)).out, /0 merchants were created; 2 existed already/)
  assert.equal(readFileSync(passwords, 'utf8'), text)
  assert.match((await run(0, 'audit', 'list', one?.[2] ?? '')).out, /merchant\.created/)
})

test('a file with faults creates nothing, and each fault is named with its line', async () => {
  const count = await countMerchants()
  const faulty = write(
    'faulty.csv',
    'name,origins,min-amount,max-amount,business-id\n' +
      'Good,https://good.example,,,G-1\n' +
      ',https://a.example,,,G-2\n' +
      'Http,http://shop.example,,,G-3\n' +
      'Amounts,,5000,100,G-4\n' +
      'Number,,abc,,G-5\n' +
      'Cells,,\n' +
      'Card 8600 4954 7331 6478,,,,G-6\n' +
      'Again,,,,G-1\n' +
      'File,@/etc/passwd,,,G-7\n',
  )
  const { err } = await run(64, 'merchants', 'import', faulty, '--print')
  for (const fault of [
    /line 3: the name is missing/,
    /line 4: /,
    /line 5: /,
    /line 6: --min-amount must be/,
    /line 7: has 3 cells/,
    /line 8: contains a card number/,
    /line 9: has the same business-id as line 2/,
    /line 10: origins must be written in the cell/,
  ])
    assert.match(err, fault)
  assert.match(err, /nothing was created/)
  for (const [name, text, message] of [
    ['columns.csv', 'name,colour\nA,red\n', /column colour is unknown/],
    ['twice.csv', 'name\nSame\nSame\n', /line 3: has the same name as line 2; give each a business-id/],
    ['open.csv', 'name\n"A\n', /not CSV/],
    ['empty.csv', 'name\n', /has no merchants/],
    ['object.json', '{"name":"A"}', /a list of objects/],
    ['members.json', '[{"name":"A","state":"blocked"}]', /entry 1: state is no setting/],
    ['broken.json', '[{', /not JSON/],
  ] as const)
    assert.match((await run(64, 'merchants', 'import', write(name, text), '--print')).err, message, name)
  assert.match((await run(64, 'merchants', 'import', faulty)).err, /either --passwords <file> or --print/)
  assert.match((await run(64, 'merchants', 'import', join(scratch, 'none.csv'), '--print')).err, /cannot be read \(ENOENT\)/)
  assert.equal(await countMerchants(), count)
})

test('JSON has every setting, and the passwords can be printed', async () => {
  const accountFields = [{ name: 'order_id', title: { en: 'Order', ru: 'Заказ', uz: 'Buyurtma' }, required: true, kind: 'reference' }]
  const file = write('shops.json', JSON.stringify([{ name: 'Json shop', accountFields, limits: { writeMinuteMax: 600 } }]))
  const { out } = await run(0, 'merchants', 'import', file, '--print', '--json')
  const { created } = JSON.parse(out) as { created: { merchantId: string; password: string }[] }
  assert.ok(await isAccepted(created[0]?.merchantId ?? '', created[0]?.password ?? ''))
})

test('a passwords file of others, or one that others may read, is not written to', async () => {
  const file = write('more.csv', 'name\nMore\n')
  for (const [name, text, mode] of [
    ['notes.txt', 'my notes\n', 0o600],
    ['open.csv', 'name,business-id,merchant,password\n', 0o644],
  ] as const) {
    const path = join(scratch, `foreign-${name}`)
    writeFileSync(path, text, { mode })
    assert.match((await run(64, 'merchants', 'import', file, `--passwords=${path}`)).err, /is not the file of an earlier import/)
    assert.equal(readFileSync(path, 'utf8'), text)
  }
})

test('an import that is killed again and again ends with every merchant once, and one working password for each', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `Killed ${String(i)}`)
  const file = write('killed.csv', `name\n${names.join('\n')}\n`)
  const passwords = join(scratch, 'killed.passwords.csv')
  const lines = (): number => (existsSync(passwords) ? readFileSync(passwords, 'utf8').split('\n').length - 1 : 0)
  const args = ['merchants', 'import', file, `--passwords=${passwords}`, `--data=${service.folder}`]
  for (const target of [5, 12, 20, 30]) {
    const child = runTessera(args)
    let isEnded = false
    void child.ended.then(() => (isEnded = true))
    await until(() => isEnded || lines() >= target, 'some merchants')
    child.kill('SIGKILL')
    await child.ended
  }
  // The merchant was created, and its password did not get into the file.
  const pending = existsSync(`${passwords}.pending`) ? readFileSync(`${passwords}.pending`, 'utf8').trim() : ''
  const lost = readFileSync(passwords, 'utf8').trimEnd().split('\n')
  const [name = ''] = lost.pop()?.split(',') ?? []
  // Unless the last kill left another one in that state.
  const isPlanted = pending === '' || pending === name
  if (isPlanted) writeFileSync(passwords, `${lost.join('\n')}\n${name},,abc`, { mode: 0o600 })
  if (isPlanted) writeFileSync(`${passwords}.pending`, name)
  const { out } = await run(0, 'merchants', 'import', file, `--passwords=${passwords}`)
  if (isPlanted) assert.match(out, new RegExp(`${name} was created by an import that was interrupted, and got another password`))
  const handedOut = (parseCsv(readFileSync(passwords, 'utf8')) ?? []).slice(1)
  assert.deepEqual(handedOut.map(([each]) => each).sort(), [...names].sort())
  for (const [, , merchantId = '', password = ''] of handedOut) assert.ok(await isAccepted(merchantId, password))
  const all = JSON.parse((await run(0, 'merchants', 'list', '--count=500', '--json')).out) as {
    merchants: { name: string; merchantId: string }[]
  }
  assert.equal(all.merchants.filter((each) => each.name.startsWith('Killed ')).length, names.length)
  const reissued = handedOut.find(([each]) => each === name)?.[2] ?? ''
  const { passwords: issued } = JSON.parse((await run(0, 'merchants', 'show', reissued, '--json')).out) as {
    passwords: { retiredAt: string | null }[]
  }
  assert.equal(issued.filter(({ retiredAt }) => retiredAt === null).length, 1, 'the password that nobody received is retired')
})

function write(name: string, text: string): string {
  const path = join(scratch, name)
  writeFileSync(path, text)
  return path
}

async function run(expected: number, ...args: string[]): Promise<Ended> {
  const ended = await service.ask(...args)
  assert.equal(ended.code, expected, ended.err + ended.out)
  return ended
}

async function countMerchants(): Promise<number> {
  return (JSON.parse((await run(0, 'merchants', 'list', '--count=500', '--json')).out) as { merchants: object[] }).merchants.length
}

/** Whether a server with this password may call what needs one. */
async function isAccepted(merchantId: string, password: string): Promise<boolean> {
  const body = JSON.stringify({ id: 1, method: 'receipts.get_all', params: { count: 1, from: 0, to: 1, offset: 0 } })
  const response = await fetch(`${service.facts.url}/api`, { method: 'POST', headers: { 'x-auth': `${merchantId}:${password}` }, body })
  return 'result' in ((await response.json()) as object)
}
