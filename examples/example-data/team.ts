import { tashkentDay } from '../../contract/src/calendar-day.ts'
import type { App } from '../../service/src/app.ts'

import { type ExampleCaller, type ExamplePerson, makePerson } from './callers.ts'
import type { LaterEvent } from './shop-visits.ts'
import { hourMs } from './traffic.ts'

export interface TeamOptions {
  readonly merchantId: string
  readonly owner: { readonly phone: string; readonly password: string }
  readonly ownerName: string
  /** The first digits of the other users' phones; one of `0` to `9` follows. */
  readonly phonePrefix: string
  /** Midnight of the first day. */
  readonly from: number
  readonly days: number
  readonly webhookOrigin: string
}

/** The people of a merchant and what they do at the dashboard in these days. */
export interface ExampleTeam {
  readonly events: readonly LaterEvent[]
  /** Whether the refund was accepted; not before somebody of the support is there. */
  refund(receiptId: string): Promise<boolean>
}

const users = [
  { role: 'developer', phoneEnd: '1', name: 'Jasur Tursunov', address: '203.0.113.24', userAgent: browsers('Linux; X11', 'Firefox/145.0') },
  {
    role: 'support',
    phoneEnd: '2',
    name: 'Dilnoza Karimova',
    address: '203.0.113.31',
    userAgent: browsers('Windows NT 10.0; Win64; x64', 'Chrome/142.0.0.0 Safari/537.36'),
  },
  {
    role: 'read',
    phoneEnd: '3',
    name: 'Madina Yusupova',
    address: '203.0.113.31',
    userAgent: browsers('Windows NT 10.0; Win64; x64', 'Chrome/142.0.0.0 Safari/537.36 Edg/142.0'),
  },
  {
    role: 'support',
    phoneEnd: '4',
    name: 'Aziz Rahimov',
    address: '198.51.100.77',
    userAgent: browsers('iPhone; CPU iPhone OS 18_1 like Mac OS X', 'Version/18.1 Mobile/15E148 Safari/604.1'),
  },
] as const

export function makeTeam(app: App, operator: ExampleCaller, options: TeamOptions): ExampleTeam {
  const { merchantId, from, webhookOrigin } = options
  const firstDay = { from: tashkentDay(from), to: tashkentDay(from) }
  const owner = makePerson(app, {
    ...options.owner,
    address: '203.0.113.9',
    userAgent: browsers('Macintosh; Intel Mac OS X 10_15_7', 'Version/18.1 Safari/605.1.15'),
  })
  const people = new Map<string, { readonly person: ExamplePerson; readonly userId: string }>()

  const events: LaterEvent[] = [
    at(0, 9.1, async () => {
      await owner.signIn()
      for (const user of users) {
        const phone = `${options.phonePrefix}${user.phoneEnd}`
        const { userId, password } = await owner.expect<{ userId: string; password: string }>('dashboard.users.create', {
          phone,
          role: user.role,
          name: user.name,
        })
        people.set(user.phoneEnd, { userId, person: makePerson(app, { ...user, phone, password }) })
      }
      const { session } = await owner.expect<{ session: { userId: string } }>('dashboard.session.get', {})
      await owner.expect('dashboard.users.rename', { userId: session.userId, name: options.ownerName })
      await owner.expect('dashboard.settings.change', { refundUnconfirmedMaxTiyin: 100_000_000 })
    }),
    at(0, 9.4, async () => {
      const developer = personOf('1')
      await developer.signIn()
      for (const path of ['/webhooks', '/legacy']) await developer.expect('dashboard.webhooks.add', { url: `${webhookOrigin}${path}` })
      await developer.expect('dashboard.settings.change', { origins: ['https://shop.example', 'https://m.shop.example'] })
    }),
    at(1, 10.2, () => work('3', (person) => person.expect('dashboard.overview.get', firstDay))),
    at(3, 11.5, () =>
      work('1', async (person) => {
        await person.expect('dashboard.sandbox.setStep', { scenario: 'receipts.pay', step: 'late_5' })
        await person.expect('dashboard.sandbox.setStep', { scenario: 'receipts.pay', step: 'none' })
      }),
    ),
    at(4, 16.3, () =>
      work('0', (person) => person.expect('dashboard.settings.change', { minAmountTiyin: 100_000, maxAmountTiyin: 2_000_000_000 })),
    ),
    // A new password of the API beside the old one, which is retired two days later. The server of the shop uses the first one throughout.
    at(6, 10.5, () => work('1', (person) => person.expect('dashboard.passwords.rotate', { scope: 'cards' }))),
    at(7, 8.9, () => failSignIn('2')),
    at(8, 15.2, () => work('1', (person) => person.expect('dashboard.passwords.retire', { number: 2 }))),
    at(9, 9.2, () =>
      work('0', async (person) => {
        const left = people.get('4')
        if (left === undefined) return
        await person.expect('dashboard.users.setRole', { userId: left.userId, role: 'read' })
        await person.expect('dashboard.users.block', { userId: left.userId, blocked: true })
      }),
    ),
    at(10, 12.1, () =>
      work('1', async (person) => {
        const { endpoints } = await person.expect<{ endpoints: { endpointId: string; url: string }[] }>('dashboard.webhooks.list', {})
        const main = endpoints.find(({ url }) => url.endsWith('/webhooks'))
        if (main !== undefined) await person.expect('dashboard.webhooks.rotate', { endpointId: main.endpointId })
      }),
    ),
    at(11, 17.6, () => work('0', (person) => person.expect('dashboard.settings.change', { maxAmountTiyin: 3_000_000_000 }))),
    at(12, 9.3, () => work('3', (person) => person.expect('dashboard.receipts.list', { count: 50 }))),
  ]
  return {
    events: events.filter(({ at }) => at < from + options.days * 24 * hourMs),
    async refund(receiptId) {
      if (people.get('2') === undefined) return false
      const { reason } = await work('2', (person) => person.call('dashboard.receipts.cancel', { receiptId }))
      return reason === null
    },
  }

  function at(day: number, hour: number, run: () => Promise<unknown>): LaterEvent {
    return { at: from + (day * 24 + hour) * hourMs, run: () => run().then(() => undefined) }
  }

  /** Somebody signs in, does something and signs out. */
  async function work<T>(phoneEnd: string, action: (person: ExamplePerson) => Promise<T>): Promise<T> {
    const person = phoneEnd === '0' ? owner : personOf(phoneEnd)
    await person.signIn()
    const result = await action(person)
    await person.signOut()
    return result
  }

  async function failSignIn(phoneEnd: string): Promise<void> {
    const user = users.find((each) => each.phoneEnd === phoneEnd) ?? users[0]
    const stranger = makePerson(app, { ...user, phone: `${options.phonePrefix}${phoneEnd}`, password: 'not the right one' })
    await stranger.call('dashboard.session.signIn', { phone: `${options.phonePrefix}${phoneEnd}`, password: 'not the right one' })
    await operator.expect('operator.users.list', { merchantId })
  }

  function personOf(phoneEnd: string): ExamplePerson {
    const found = people.get(phoneEnd)
    if (found === undefined) throw new Error(`nobody has the phone ${options.phonePrefix}${phoneEnd} yet`)
    return found.person
  }
}

function browsers(system: string, engine: string): string {
  return `Mozilla/5.0 (${system}) ${engine}`
}
