import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { after, test } from 'node:test'

import { makeRowAuthenticator } from '@tessera/vault/rowmac'

import { createDashboardClient, type DashboardUser } from '../../testing/dashboard-user.fixture.ts'
import { createTestApp } from '../../testing/test-app.fixture.ts'
import { dashboardUsersTable } from '../../store/dashboard-users.ts'
import type { Store } from '../../store/store.ts'
import { countSubjectAttempt, deleteSignInAttempts } from '../../store/sign-in-attempts.ts'

import { makeDashboard } from './dashboard.ts'
import { userSettings } from './dependencies.ts'
import { makeDashboardPasswords } from './passwords.ts'
import { makeSignInAttempts } from './sign-in-attempts.ts'
import { makeSignInQueue } from './sign-in-queue.ts'
import { makeSlowHash } from './slow-hash.ts'

const app = await createTestApp({ after })
const users = createDashboardClient(app)

/** A dashboard that lists its work: each slow hash by its cost, each statement and transaction by its text or name. `before` runs before each of them. */
function makeListedDashboard(before: (step: string) => Promise<void> = async () => undefined) {
  const work: string[] = []
  const slowHash = makeSlowHash()
  const store: Store = {
    ...app.store,
    durability: app.store.durability,
    read(query) {
      work.push(`read ${query.statement.text.slice(0, 60)}`)
      return app.store.read(query)
    },
    async write(transaction, input) {
      work.push(`write ${transaction.name}`)
      await before(`write ${transaction.name}`)
      return app.store.write(transaction, input)
    },
  }
  const { keyring, clock, environment } = app
  const queue = makeSignInQueue({
    clock,
    now: () => clock.moment().monotonicMs,
    settings: { waitingMax: 64, waitingPerLoginMax: 8, waitingPerAddressMax: 4, loadedFrom: 2, restShare: 0 },
  })
  const derive: typeof slowHash = async (order) => {
    work.push(`hash ${order.cost}`)
    await before(`hash ${order.cost}`)
    return slowHash(order)
  }
  const passwords = makeDashboardPasswords({ cost: 4, queue, derive })
  const alarm = (): void => assert.fail('nothing was tampered with')
  const deps = {
    store,
    keyring,
    clock,
    environment,
    alarm,
    settings: userSettings,
    passwords,
    queue,
    onSignIn: () => undefined,
    requiresSecondFactor: async () => false,
  }
  return { work, dashboard: makeDashboard(deps) }
}

const attemptBase = { passkey: null, origin: 'http://localhost', device: null, proof: null, requestId: '', userAgent: '', address: '' }

async function workOf(
  phone: string,
  { password = 'wrong', code = null as string | null, address = '' } = {},
  { work, dashboard } = makeListedDashboard(),
): Promise<string[]> {
  work.length = 0
  await dashboard.signIn({ ...attemptBase, phone, password, code, address }).catch(() => work.push('refused'))
  return [...work]
}

function withoutNames(step: string): string {
  return step.replace(/^(read|write) .*/, '$1')
}

/** The field `nice` of proc_pid_stat(5). */
function niceOf(stat: string): string | undefined {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]
}

async function lock(phone: string): Promise<void> {
  const subject = await makeSignInAttempts({ ...app, settings: userSettings }).subjectOf('phone', phone)
  const now = app.clock.now()
  const lockUntil = now + userSettings.lockMs
  for (let n = 0; n < userSettings.maxAttempts; n++)
    await app.store.write(countSubjectAttempt, { subject, now, maxAttempts: userSettings.maxAttempts, lockUntil, endsAt: lockUntil })
}

test('an unknown phone, a wrong password and a blocked user cost the same hash, statements and transactions; a success does not (control)', async () => {
  const [blocked, open] = [await users.user('read'), await users.user('read')]
  await app.dashboard.users.setBlocked(blocked, true, { actor: 'operator', requestId: '', address: '' })
  const unknown = await workOf('998222222222')
  assert.deepEqual(
    unknown.filter((step) => /^(hash|refused)/.test(step)),
    ['hash 4', 'refused'],
  )
  assert.deepEqual(await workOf(open.phone), unknown)
  assert.deepEqual(await workOf(blocked.phone), unknown)
  assert.deepEqual(await workOf(blocked.phone, { password: blocked.password }), unknown)
  assert.notDeepEqual(await workOf(open.phone, { password: open.password }), unknown)
})

test('a sign-in in progress ends with a new password, a block and a sign-out everywhere, at every step until its session is stored', async () => {
  const operator = { actor: 'operator', requestId: '', address: '' }
  const changes: ((user: DashboardUser) => Promise<unknown>)[] = [
    (user) => app.dashboard.users.resetPassword(user, operator),
    (user) => app.dashboard.users.setBlocked(user, true, operator),
    (user) => user.call('dashboard.session.signOutEverywhere', {}),
  ]
  const signInDuring = async (step: string, change: (user: DashboardUser) => Promise<unknown>) => {
    const user = await users.user('read')
    let isDone = false
    const { work, dashboard } = makeListedDashboard(async (next) => {
      if (isDone || next !== step) return
      isDone = true
      await change(user)
    })
    const { phone, password } = user
    const reply = await dashboard.signIn({ ...attemptBase, phone, password, code: null }).catch((err: unknown) => String(err))
    assert.ok(isDone, work.join(', '))
    return { reply, sessions: (await app.dashboard.sessions.list(user.userId)).length }
  }
  for (const change of changes) {
    for (const step of ['hash 4', 'write resetSignInAttempts', 'write insertDashboardSession']) {
      const { reply, sessions } = await signInDuring(step, change)
      assert.ok(typeof reply === 'string' && reply.includes('signInRefused'), `${step}: ${JSON.stringify(reply)}`)
      assert.equal(sessions, 0, step)
    }
    const { reply } = await signInDuring('write insertKnownDevice', change)
    assert.ok(typeof reply === 'object' && 'session' in reply && reply.device === null, 'the device does not become known')
  }
  const { reply, sessions } = await signInDuring('hash 4', async () => undefined)
  assert.ok(typeof reply === 'object' && 'session' in reply && reply.device !== null, 'the control: nothing was changed')
  assert.equal(sessions, 2)
})

test('so do a locked login and a locked phone without one: nothing without a code, the same with one, whatever the password', async () => {
  const user = await users.user('read')
  const unknown = '998333333333'
  await lock(user.phone)
  await lock(unknown)
  const withoutCode = await workOf(unknown)
  assert.ok(!withoutCode.some((step) => /^(hash|write)/.test(step)), withoutCode.join(', '))
  assert.deepEqual(await workOf(user.phone, { password: user.password }), withoutCode)
  const withCode = await workOf(unknown, { code: '123456' })
  assert.ok(withCode.includes('hash 4'))
  assert.deepEqual(await workOf(user.phone, { code: '123456' }), withCode)
  // With the right password another row is counted in, by as many statements.
  const rightPassword = await workOf(user.phone, { code: '123456', password: user.password })
  assert.deepEqual(rightPassword.map(withoutNames), withCode.map(withoutNames))
  const recoveryCode = 'bcdf-ghjk-mnpq'
  const withRecoveryCode = await workOf(unknown, { code: recoveryCode })
  assert.deepEqual(
    (await workOf(user.phone, { code: recoveryCode, password: user.password })).map(withoutNames),
    withRecoveryCode.map(withoutNames),
  )
  assert.notEqual(withRecoveryCode.length, withCode.length)
})

test('in a locked login the fifteenth wrong password costs what the first did, and so does the fifteenth right one with a wrong code', async () => {
  const addresses = Array.from({ length: 15 }, (_, n) => `10.0.${n}.1`)
  for (const code of ['123456', 'bcdf-ghjk-mnpq']) {
    const [user, other, unknown] = [await users.user('read'), await users.user('read'), `99844444444${code.length % 10}`]
    for (const phone of [user.phone, other.phone, unknown]) await lock(phone)
    const dashboard = makeListedDashboard()
    // The first attempt of a process finds the row that is read for phones without a login.
    await workOf(unknown, { code, address: '10.1.1.1' }, dashboard)
    const expected = (await workOf(unknown, { code, address: '10.1.0.1' }, dashboard)).map(withoutNames)
    assert.deepEqual(expected.slice(-3), [code.length === 6 ? 'write' : 'read', 'write', 'refused'])
    const attempts = [{ phone: unknown }, { phone: other.phone }, { phone: user.phone, password: user.password }]
    for (const { phone, ...given } of attempts)
      for (const address of addresses)
        assert.deepEqual((await workOf(phone, { ...given, code, address }, dashboard)).map(withoutNames), expected, `${phone} ${address}`)
  }
})

test('in a locked login each address has ten attempts and each block forty, and other addresses have theirs', async () => {
  const user = await users.user('read')
  await lock(user.phone)
  const dashboard = makeListedDashboard()
  const isHashed = async (address: string, password = 'wrong'): Promise<boolean> =>
    (await workOf(user.phone, { password, code: '123456', address }, dashboard)).includes('hash 4')
  const isHashedBy = async (count: number, addressOf: (n: number) => string): Promise<number> => {
    let hashed = 0
    for (let n = 0; n < count; n++) if (await isHashed(addressOf(n))) hashed++
    return hashed
  }
  assert.equal(await isHashedBy(15, () => '10.2.0.1'), 10)
  assert.equal(await isHashed('10.2.0.1', user.password), false, 'the right password is not evaluated either')
  assert.equal(await isHashedBy(50, (n) => `10.2.0.${n + 2}`), 30)
  assert.equal(await isHashed('10.3.0.1'), true)
})

test('a lock in the memory of one process ends with a new password that another one stored, and not with a deleted count', async () => {
  const user = await users.user('read')
  const { dashboard } = makeListedDashboard()
  const reply = (password: string) =>
    dashboard.signIn({ ...attemptBase, phone: user.phone, password, code: null }).then(
      () => 'signed in',
      (err: unknown) => String(err),
    )
  for (let n = 0; n < userSettings.maxAttempts; n++) assert.match(await reply('wrong'), /signInRefused/)
  const subjects = [await makeSignInAttempts({ ...app, settings: userSettings }).subjectOf('phone', user.phone)]
  await app.store.write(deleteSignInAttempts, { subjects })
  assert.match(await reply(user.password), /signInLocked/, 'the control: nothing authentic has changed')
  const { password } = await app.dashboard.users.resetPassword(user, { actor: 'operator', requestId: '', address: '' })
  assert.equal(await reply(password), 'signed in')
})

test('a count in memory ends with a later version of its user only, so that an older row put back gives no attempts', async () => {
  const attempts = makeSignInAttempts({ ...app, settings: userSettings })
  const subject = 'a subject with versions'
  const countAll = async (version: number): Promise<number> => {
    await app.store.write(deleteSignInAttempts, { subjects: [subject] })
    let counted = 0
    for (let n = 0; n < 15; n++) if (await attempts.count(subject, { version })) counted++
    return counted
  }
  assert.deepEqual([await countAll(2), await countAll(1), await countAll(2), await countAll(3)], [10, 0, 0, 10])
})

test('a hash of the cost of production runs in a thread of a lower priority, and is the same', async () => {
  const order = { password: 'a password', salt: Buffer.alloc(16), length: 32 }
  const key = await makeSlowHash()({ ...order, cost: 13 })
  assert.deepEqual(key, scryptSync('a password', order.salt, 32, { N: 2 ** 13, r: 8, p: 1 }))
  if (process.platform !== 'linux') return
  const nice = readdirSync('/proc/self/task').map((thread) => Number(niceOf(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8'))))
  assert.ok(Math.max(...nice) > getPriority() && Math.min(...nice) === getPriority(), nice.join(' '))
})

test('the row of a user is not changed by failed sign-ins', async () => {
  const user = await users.user('read')
  await workOf(user.phone)
  const [row] = await app.dashboard.users.list(user.merchantId)
  assert.ok(row !== undefined && (await makeRowAuthenticator(app.keyring, app.environment, dashboardUsersTable).hasValidMac(row)))
  assert.equal(row.failedAttempts, 0)
})
