import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { median } from '../fault/statistics.ts'
import { startService, type RunningService } from '../fault/spawn.ts'
import { measureSpeed, type Speed } from './compare.ts'
import { openDashboardBrowser, pause, type DashboardVisitor, type DashboardCredentials } from './dashboard-browser.ts'
import type { FloodOrder, FloodResult } from './flood-child.ts'
import { startLoadGenerator } from './load.ts'
import { codeOfStep, totpStep } from './totp.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'
import { crop, meanOf, welchT } from './welch.ts'

/** Sign-ins to the dashboard with wrong passwords: whom a flood of them keeps out, what it does to the merchants' calls, and what a duration reveals. */
export const flood: Measurement = {
  name: 'flood',
  question:
    'Whom does a flood of sign-ins keep out, what does it do to the merchants’ calls, and does a duration reveal which phones have a login?',
  async run(bench) {
    return [...(await compareTimes(bench)), ...(await floodService(bench))]
  },
}

/** Wrong passwords for phones with and without a login, alternately, of a service whose hash is fast enough for the rest to show. */
async function compareTimes({ dataFactory, isQuick, say }: Bench): Promise<Measure[]> {
  const serviceData = await dataFactory.create('sqlite')
  const running = await startService({ flags: [...serviceData.flags, '--log-level=warn', '--dashboard-password-cost=8'] })
  try {
    const people = await createPeople(running)
    const browser = openDashboardBrowser(running.url, '127.0.0.1')
    const samples: Record<'known' | 'unknown' | 'lockedKnown' | 'lockedUnknown', number[]> = {
      known: [],
      unknown: [],
      lockedKnown: [],
      lockedUnknown: [],
    }
    const timeOne = async (into: number[], phone: string): Promise<void> => {
      const startedAt = performance.now()
      await browser.call('dashboard.session.signIn', { phone, password: 'a wrong password' })
      into.push(performance.now() - startedAt)
    }
    const count = isQuick ? 300 : 2000
    for (let n = 0; n < count; n++) {
      const unknown = `99866${String(Math.floor(n / 8)).padStart(7, '0')}`
      // Whichever comes second finds warmer caches.
      const both = [(): Promise<void> => timeOne(samples.known, people.other.phone), (): Promise<void> => timeOne(samples.unknown, unknown)]
      for (const one of n % 2 === 0 ? both : both.reverse()) await one()
      // Before the tenth, so that the login is not locked.
      if (n % 8 === 7) await openDashboardBrowser(running.url, '127.0.0.1').signIn(people.other)
    }
    for (const phone of [people.other.phone, '998670000000'])
      for (let n = 0; n < 10; n++) await browser.call('dashboard.session.signIn', { phone, password: 'a wrong password' })
    for (let n = 0; n < count; n++) {
      const both = [
        (): Promise<void> => timeOne(samples.lockedKnown, people.other.phone),
        (): Promise<void> => timeOne(samples.lockedUnknown, '998670000000'),
      ]
      for (const one of n % 2 === 0 ? both : both.reverse()) await one()
    }
    // The control: the same phone, where one kind has 0.2 ms more to do.
    const slower = samples.unknown.map((ms, at) => ms + (at % 2 === 0 ? 0.2 : 0))
    say(`flood: ${count} sign-ins of each kind`)
    const distance = (one: readonly number[], other: readonly number[]): number => {
      const [first = [], second = []] = crop([one, other])
      return Math.abs(welchT(first, second))
    }
    const of = 'sign-in'
    return [
      { of, name: 'refused', value: meanOf(samples.unknown), unit: 'ms' },
      {
        of,
        name: 'refused: phone with a login against one without',
        value: distance(samples.known, samples.unknown),
        unit: '|t|',
        target: { most: 4.5 },
      },
      {
        of,
        name: 'locked: phone with a login against one without',
        value: distance(samples.lockedKnown, samples.lockedUnknown),
        unit: '|t|',
        target: { most: 4.5 },
      },
      {
        of,
        name: 'control: 0.2 ms more',
        value: distance(
          slower.filter((_ms, at) => at % 2 === 0),
          samples.unknown.filter((_ms, at) => at % 2 === 1),
        ),
        unit: '|t|',
      },
    ]
  } finally {
    await running.stop()
    await serviceData.remove()
  }
}

async function floodService({ dataFactory, isQuick, say }: Bench): Promise<Measure[]> {
  const serviceData = await dataFactory.create('sqlite')
  const running = await startService({ flags: [...serviceData.flags, '--log-level=warn'] })
  try {
    const people = await createPeople(running)
    say('flood: sign-ins of honest users during a flood')
    const entered = await measureHonest(running, people, isQuick ? 4 : 10)
    return [...entered, ...(await compareLoads(running, people, { pairs: isQuick ? 3 : 6, roundMs: 4000 }))]
  } finally {
    await running.stop()
    await serviceData.remove()
  }
}

interface People {
  /** A login that is not attacked, on a device that is not known. */
  readonly other: DashboardCredentials
  /** An attacked login with a second factor. */
  readonly factor: DashboardCredentials
  /** Its codes, each good once. */
  readonly nextCode: () => string
  /** An attacked login, and a browser in which its user has signed in before. */
  readonly known: DashboardCredentials
  readonly knownBrowser: DashboardVisitor
}

/** Created by the demo merchant's owner. */
async function createPeople({ url }: RunningService): Promise<People> {
  const owner = openDashboardBrowser(url, '127.0.0.1')
  await owner.signIn({ phone: '998900000000', password: 'sandbox' })
  await expectResult(owner, 'dashboard.session.confirm', { password: 'sandbox' })
  const create = async (phone: string): Promise<{ credentials: DashboardCredentials; browser: DashboardVisitor }> => {
    const { password } = await expectResult(owner, 'dashboard.users.create', { phone, role: 'owner' })
    const browser = openDashboardBrowser(url, '127.0.0.1')
    await browser.signIn({ phone, password: String(password) })
    const newPassword = 'four plain words here'
    await expectResult(browser, 'dashboard.password.change', { password, newPassword })
    return { credentials: { phone, password: newPassword }, browser }
  }
  const other = await create('998901111111')
  const factor = await create('998902222222')
  const known = await create('998903333333')
  await expectResult(factor.browser, 'dashboard.session.confirm', { password: factor.credentials.password })
  const { secret } = await expectResult(factor.browser, 'dashboard.totp.begin', { password: factor.credentials.password })
  const codeOf = (step: number): string => codeOfStep(String(secret), step)
  let lastStep = totpStep() - 1
  const { recoveryCodes } = await expectResult(factor.browser, 'dashboard.totp.confirm', { code: codeOf(lastStep) })
  const recovery = [...(recoveryCodes as string[])]
  return {
    other: other.credentials,
    factor: factor.credentials,
    // The authenticator's next code is accepted too; when both were used, a recovery code takes its place.
    nextCode: () => {
      const next = Math.max(lastStep + 1, totpStep())
      if (next > totpStep() + 1) return recovery.pop() ?? ''
      lastStep = next
      return codeOf(next)
    },
    known: known.credentials,
    knownBrowser: known.browser,
  }
}

async function expectResult(browser: DashboardVisitor, method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
  const { result, error } = await browser.call(method, params)
  if (result === undefined) throw new Error(`${method} was refused: ${String(error?.reason)}`)
  return result
}

/** Three users who sign in one after the other, again and again, while the flood goes on. */
async function measureHonest(running: RunningService, people: People, rounds: number): Promise<Measure[]> {
  const flooders = startFlood(running, people)
  await pause(15_000)
  const { other, factor, known, knownBrowser, nextCode } = people
  const kinds = [
    {
      name: 'another login from another address on an unknown device',
      run: (address: string) => openDashboardBrowser(running.url, address).signIn(other),
    },
    {
      name: 'the flooded login from another address with its second factor',
      run: (address: string) => openDashboardBrowser(running.url, address).signIn({ ...factor, code: nextCode() }),
    },
    {
      name: 'a flooded login from the flooders’ address on a known device',
      run: () => knownBrowser.onSameDevice(floodAddresses[0] ?? '').signIn(known),
    },
  ]
  const seen = kinds.map(() => [] as { ms: number; isIn: boolean }[])
  for (let round = 0; round < rounds; round++) {
    for (const [at, { run }] of kinds.entries()) {
      const startedAt = performance.now()
      const reply = await Promise.race([run(`127.9.${at}.${round + 1}`), pause(30_000).then(() => 'late')])
      seen[at]?.push({ ms: performance.now() - startedAt, isIn: reply === 'signed_in' })
    }
  }
  const replies = await flooders.end()
  const of = 'flood of sign-ins'
  return [
    ...kinds.flatMap(({ name }, at) => {
      const all = seen[at] ?? []
      const inTime = all.filter(({ ms, isIn }) => isIn && ms <= 5000).length
      return [
        { of, name, value: (inTime / all.length) * 10, unit: 'of 10 within 5 s', target: { least: 9 } },
        { of, name: `${name}, median`, value: median(all.map(({ ms }) => ms)) / 1000, unit: 's' },
        { of, name: `${name}, slowest`, value: Math.max(...all.map(({ ms }) => ms)) / 1000, unit: 's' },
      ]
    }),
    ...Object.entries(replies).map(([kind, count]) => ({ of, name: `flooders’ replies: ${kind}`, value: count, unit: '' })),
  ]
}

async function compareLoads(
  running: RunningService,
  people: People,
  { pairs, roundMs }: { pairs: number; roundMs: number },
): Promise<Measure[]> {
  const load = startLoadGenerator()
  const round = { method: 'create', connections: 16, roundMs } as const
  const seen: { calm: Speed; flooded: Speed }[] = []
  await measureSpeed(running, load, round)
  for (let pair = 0; pair < pairs; pair++) {
    const calm = await measureSpeed(running, load, round)
    const flooders = startFlood(running, people)
    // They fill the line first: their proofs are the work of other computers.
    await pause(4000)
    flooders.rest()
    const flooded = await measureSpeed(running, load, round)
    await flooders.end()
    seen.push({ calm, flooded })
  }
  await load.stop()
  const ratio = (measure: keyof Speed): number => median(seen.map(({ calm, flooded }) => flooded[measure] / calm[measure]))
  const of = 'flood of sign-ins'
  return [
    { of, name: 'cards.create p99, calm', value: median(seen.map(({ calm }) => calm.p99Ms)), unit: 'ms' },
    { of, name: 'cards.create p99, flooded', value: ratio('p99Ms'), unit: 'times as long' },
    { of, name: 'cards.create requests, flooded', value: ratio('requestsPerSecond'), unit: 'times as many', target: { least: 0.85 } },
  ]
}

interface Flood {
  /** They solve no further proof. */
  rest(): void
  end(): Promise<FloodResult>
}

function startFlood({ url }: RunningService, { factor, known }: People): Flood {
  const child = fork(fileURLToPath(new URL('flood-child.ts', import.meta.url)), { execArgv: [] })
  const leave = (): void => void child.kill('SIGKILL')
  process.once('exit', leave)
  const order: FloodOrder = { url, phones: [factor.phone, known.phone], addresses: floodAddresses, connections: 16 }
  child.send(order)
  return {
    rest: () => void child.send('rest'),
    async end() {
      child.send('end')
      const [seen] = (await once(child, 'message')) as [FloodResult]
      await once(child, 'exit')
      process.off('exit', leave)
      return seen
    },
  }
}

/** Four of one block, and four of another. */
const floodAddresses = [2, 3, 4, 5].flatMap((last) => [`127.0.0.${last}`, `127.1.0.${last}`])
