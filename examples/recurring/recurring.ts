// A club whose members pay every month with a saved card. README.md describes its settings.
//
//   node recurring.ts add <member> <tiyin> <day of the month> <token>      a known member: another card
//   node recurring.ts charge [2026-12-01]      once, as of now or of that day
//   node recurring.ts run                      every ten minutes, and receives webhooks
import { createServer } from 'node:http'
import { Tessera } from '@tessera/client'

import { chargeDue } from './charge.ts'
import { changeCard } from './payment-result.ts'
import { openSubscriptions, type Subscriptions } from './subscriptions.ts'
import { createWebhookHandler } from './webhook.ts'

const env = process.env
const client = new Tessera({
  url: env.TESSERA_URL ?? 'http://127.0.0.1:8080',
  // The demo merchant of every test environment. Production rejects it.
  merchantId: env.MERCHANT_ID ?? '65f0c0ffee0000000000cafe',
  password: env.MERCHANT_PASSWORD ?? 'sandbox-only-password-not-for-live-0',
})
const subscriptions = openSubscriptions(env.SUBSCRIPTIONS ?? 'subscriptions.json')
const [command, ...args] = process.argv.slice(2)

if (command === 'add') addMember(args)
else if (command === 'charge') await chargeOnce(args[0] === undefined ? Date.now() : Date.parse(args[0]))
else if (command === 'run') run()
else fail('Usage: add <member> <tiyin> <day> <token>, charge [2026-12-01] or run.')

function addMember([id, amountTiyin, day, token]: string[]): void {
  if (token === undefined || !/^[\w-]{1,64}$/.test(id ?? '') || !(Number(amountTiyin) > 0) || !(Number(day) >= 1 && Number(day) <= 28)) {
    fail('Usage: add <member> <tiyin> <day 1 to 28> <token>')
    return
  }
  const existing = subscriptions.members.find((member) => member.id === id)
  if (existing !== undefined) changeCard(existing, token, Date.now())
  else subscriptions.members.push({ id: id ?? '', amountTiyin: Number(amountTiyin), day: Number(day), token, charges: {} })
  subscriptions.save()
}

async function chargeOnce(now: number): Promise<void> {
  if (Number.isNaN(now)) {
    fail('Write the day as 2026-12-01.')
    return
  }
  await chargeDue(now, { client, subscriptions })
  printCharges(subscriptions)
}

function run(): void {
  const secrets = (env.WEBHOOK_SECRET ?? '').split(' ').filter((secret) => secret !== '')
  const server = createServer(createWebhookHandler({ subscriptions, secrets, now: Date.now }))
  server.listen(Number(env.PORT ?? 8090), '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object' && address !== null) console.log(`Receiving webhooks at http://127.0.0.1:${address.port}/`)
  })
  void chargeRepeatedly()
}

/** One round after another, never two at once. */
async function chargeRepeatedly(): Promise<never> {
  for (;;) {
    await chargeOnce(Date.now()).catch((err: unknown) => console.error(err))
    await new Promise((resolve) => setTimeout(resolve, 10 * 60 * 1000))
  }
}

function printCharges({ members }: Subscriptions): void {
  for (const { id, charges } of members) {
    for (const [month, { state, attempt, reason }] of Object.entries(charges)) {
      console.log(`${id}  ${month}  ${state}${attempt > 1 ? `, attempt ${attempt}` : ''}${reason === null ? '' : ` (${reason})`}`)
    }
  }
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
