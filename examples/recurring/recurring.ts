// A shop whose members pay every month with a saved card. What it needs is said in README.md.
//
//   node recurring.ts add <member> <tiyin> <day of the month> <token>      again: another card
//   node recurring.ts charge [2026-12-01]      once, as of now or of that day
//   node recurring.ts run                      every ten minutes, and takes deliveries
import { createServer } from 'node:http'
import { Tessera } from '@tessera/client'

import { openBook, type Book } from './book.ts'
import { chargeDue } from './charge.ts'
import { receiveDeliveries } from './receive.ts'
import { changeCard } from './verdict.ts'

const env = process.env
const till = new Tessera({
  url: env.TESSERA_URL ?? 'http://127.0.0.1:8080',
  // The demo merchant that every test environment has; production refuses it.
  merchantId: env.MERCHANT_ID ?? '65f0c0ffee0000000000cafe',
  password: env.MERCHANT_PASSWORD ?? 'sandbox-only-password-not-for-live-0',
})
const book = openBook(env.BOOK ?? 'book.json')
const [deed, ...words] = process.argv.slice(2)

if (deed === 'add') add(words)
else if (deed === 'charge') await chargeOnce(words[0] === undefined ? Date.now() : Date.parse(words[0]))
else if (deed === 'run') run()
else stop('Say what to do: add <member> <tiyin> <day> <token>, charge [2026-12-01] or run.')

function add([id, amountTiyin, day, token]: string[]): void {
  if (token === undefined || !/^[\w-]{1,64}$/.test(id ?? '') || !(Number(amountTiyin) > 0) || !(Number(day) >= 1 && Number(day) <= 28)) {
    stop('add <member> <tiyin> <day 1 to 28> <token>')
    return
  }
  const known = book.members.find((member) => member.id === id)
  if (known !== undefined) changeCard(known, token, Date.now())
  else book.members.push({ id: id ?? '', amountTiyin: Number(amountTiyin), day: Number(day), token, charges: {} })
  book.save()
}

async function chargeOnce(now: number): Promise<void> {
  if (Number.isNaN(now)) {
    stop('A day is written 2026-12-01.')
    return
  }
  await chargeDue(now, { till, book })
  tell(book)
}

function run(): void {
  const secrets = (env.WEBHOOK_SECRET ?? '').split(' ').filter((secret) => secret !== '')
  const server = createServer(receiveDeliveries({ book, secrets, now: Date.now }))
  server.listen(Number(env.PORT ?? 8090), '127.0.0.1', () => {
    const at = server.address()
    if (typeof at === 'object' && at !== null) console.log(`Deliveries are taken at http://127.0.0.1:${at.port}/`)
  })
  void repeat()
}

/** One round after the other, never two at once. */
async function repeat(): Promise<never> {
  for (;;) {
    await chargeOnce(Date.now()).catch((err: unknown) => console.error(err))
    await new Promise((resolve) => setTimeout(resolve, 10 * 60 * 1000))
  }
}

function tell({ members }: Book): void {
  for (const { id, charges } of members) {
    for (const [month, { state, attempt, reason }] of Object.entries(charges)) {
      console.log(`${id}  ${month}  ${state}${attempt > 1 ? `, attempt ${attempt}` : ''}${reason === null ? '' : ` (${reason})`}`)
    }
  }
}

function stop(text: string): void {
  console.error(text)
  process.exitCode = 1
}
