// needs: build
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

import { addDays, tashkentDay } from '@tessera/contract/calendar-day'

import { readConfig } from '../../service/src/ops/config/config.ts'
import { plainEnvironment, readReady } from '../../tools/service-child.ts'

import { makePerson, type ExamplePerson } from './callers.ts'
import type { FilledShop } from './fill.ts'
import { withExampleApp } from './open-app.ts'
import { makePastClock } from './past-clock.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const parent = mkdtempSync(join(tmpdir(), 'tessera-example-data-'))
const data = join(parent, 'filled')
let printed = ''
let shops: readonly FilledShop[] = []

before(async () => {
  const { code, stdout, stderr } = await run('--size', 'small', '--data', data)
  assert.equal(stderr, '')
  assert.equal(code, 0)
  printed = stdout
  shops = JSON.parse(readFileSync(join(data, 'example-data.json'), 'utf8')) as FilledShop[]
})
after(() => rmSync(parent, { recursive: true }))

describe('npm run example:data', () => {
  it('prints how much it made, and where to sign in', () => {
    assert.match(printed, /Novvot \(65f0c0ffee0000000000cafe\)\n.*\n {4}payments {3}[0-9]+ paid/)
    assert.match(printed, /phone 998900000000, password sandbox/)
  })

  it('stores no password of the API', () => {
    assert.doesNotMatch(readFileSync(join(data, 'example-data.json'), 'utf8'), /sandbox-only|"password"/)
  })

  it('leaves a folder that was filled as it is', async () => {
    const before = statSync(join(data, 'tessera.db')).mtimeMs
    const { code, stdout } = await run('--size', 'small', '--data', data)
    assert.equal(code, 0)
    assert.match(stdout, /was filled before; nothing was changed/)
    assert.equal(statSync(join(data, 'tessera.db')).mtimeMs, before)
  })

  it('refuses a folder with other data', async () => {
    const other = mkdtempSync(join(parent, 'other-'))
    writeFileSync(join(other, 'tessera.db'), '')
    const { code, stderr } = await run('--data', other)
    assert.equal(code, 73)
    assert.match(stderr, /already has data, and is left as it is/)
  })

  it('refuses production, and creates nothing', async () => {
    const folder = join(parent, 'production')
    const { code, stderr } = await run('--data', folder, { TESSERA_ENV: 'production' })
    assert.equal(code, 78)
    assert.match(stderr, /TESSERA_ENV is production\. Nothing was changed\./)
    assert.equal(statSync(folder, { throwIfNoEntry: false }), undefined)
  })

  it('explains its options, and what is wrong with one', async () => {
    assert.match((await run('--help')).stdout, /--size <size> +small, medium \(the default\) or large/)
    const { code, stderr } = await run('--size', 'huge')
    assert.equal(code, 64)
    assert.match(stderr, /--size is small, medium or large, not huge/)
  })
})

describe('the data', () => {
  it('adds up to what the shops counted, by the receipts and by the overview', async () => {
    for (const shop of shops) {
      const { receipts, overview } = await asOwner(shop, async (owner) => ({
        receipts: await listReceipts(owner),
        overview: await owner.expect<{ total: Record<string, number> }>('dashboard.overview.get', {
          from: addDays(tashkentDay(Date.now()), -29),
          to: tashkentDay(Date.now()),
        }),
      }))
      const { totals } = shop
      const sum = (name: 'capturedTiyin' | 'refundedTiyin'): number => receipts.reduce((all, receipt) => all + receipt[name], 0)
      // The network debits a payment whose reply was lost, and the service returns it.
      const lost = receipts.filter(({ status, reason }) => status === 'failed' && reason === null)
      const lostTiyin = lost.reduce((all, { capturedTiyin }) => all + capturedTiyin, 0)
      assert.equal(receipts.length, totals.receipts)
      assert.equal(sum('capturedTiyin') - lostTiyin, totals.paidTiyin)
      assert.equal(sum('refundedTiyin') - lostTiyin, totals.refundedTiyin)
      assert.equal(overview.total['created'], totals.cardsCreated)
      assert.equal(overview.total['verified'], totals.cardsVerified)
      assert.ok(totals.paid > 20 && totals.declined > 2 && totals.codesFailed > 2, 'a shop with little traffic shows nothing')
    }
  })

  it('has something of everything that a merchant may have to look for', async () => {
    const [novvot, travel] = shops
    assert.ok(novvot !== undefined && travel !== undefined)
    await asOwner(novvot, async (owner) => {
      const statuses = new Set((await listReceipts(owner)).map(({ status }) => status))
      for (const status of ['paid', 'failed', 'refunded', 'expired', 'cancelled'])
        assert.ok(statuses.has(status), `no receipt is ${status}`)
      const { users } = await owner.expect<{ users: { role: string; state: string }[] }>('dashboard.users.list', {})
      assert.deepEqual(users.map(({ role }) => role).sort(), ['developer', 'owner', 'read', 'read', 'support'])
      assert.equal(users.filter(({ state }) => state === 'blocked').length, 1)
      const failed = await owner.expect<{ deliveries: unknown[] }>('dashboard.webhooks.deliveries', { count: 50, state: 'dead' })
      assert.ok(failed.deliveries.length > 0, 'no webhook failed')
    })
    await asOwner(travel, async (owner) => {
      const statuses = new Set((await listReceipts(owner)).map(({ status }) => status))
      for (const status of ['captured', 'voided']) assert.ok(statuses.has(status), `no receipt is ${status}`)
    })
  })

  it('passes the check of the whole store', async () => {
    const report = await opened((app) => app.services.storeCheck.run('audit') ?? Promise.reject(new Error('a check is running')))
    assert.deepEqual(report.findings, [])
  })

  it('is what a service starts on', async () => {
    const args = ['service/bin/tessera.mjs', 'start', '--json', '--port=0', '--admin-port=0', '--log-level=error', `--data=${data}`]
    const child = spawn(process.execPath, args, { cwd: root, env: plainEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    const ready = await Promise.race([readReady(child), ended])
    assert.ok(typeof ready === 'object' && ready !== null, 'the service ended instead')
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
  })
})

interface ListedReceipt {
  readonly status: string
  readonly reason: string | null
  readonly capturedTiyin: number
  readonly refundedTiyin: number
}

async function listReceipts(owner: ExamplePerson): Promise<ListedReceipt[]> {
  const receipts: ListedReceipt[] = []
  for (let after: string | null = null; ;) {
    const page: { receipts: ListedReceipt[]; next: string | null } = await owner.expect('dashboard.receipts.list', {
      count: 50,
      ...(after === null ? {} : { after }),
    })
    receipts.push(...page.receipts)
    after = page.next
    if (after === null) return receipts
  }
}

/** The application on the filled folder, at the present time. */
function opened<T>(work: Parameters<typeof withExampleApp<T>>[2]): Promise<T> {
  const { config } = readConfig([`--data=${data}`, '--dashboard-password-cost=10'], {})
  return withExampleApp(config, makePastClock(Date.now()), work)
}

function asOwner<T>({ ownerPhone: phone, ownerPassword: password }: FilledShop, work: (owner: ExamplePerson) => Promise<T>): Promise<T> {
  return opened(async (app) => {
    const owner = makePerson(app, { phone, password, address: '203.0.113.9', userAgent: 'Browser/1' })
    await owner.signIn()
    return work(owner)
  })
}

async function run(...given: (string | Record<string, string>)[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const args = given.filter((each) => typeof each === 'string')
  const env = Object.assign(plainEnvironment(), ...given.filter((each) => typeof each === 'object')) as NodeJS.ProcessEnv
  return new Promise((resolve) => {
    execFile(process.execPath, ['examples/example-data/start.ts', ...args], { cwd: root, env }, (err, stdout, stderr) => {
      resolve({ code: err === null ? 0 : Number(err.code), stdout, stderr })
    })
  })
}
