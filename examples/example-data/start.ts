// `npm run example:data`: fills a new data folder with two weeks of traffic. --help lists the options.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { readConfig, type Config } from '../../service/src/ops/config/config.ts'
import { InvalidSettingsError } from '../../service/src/ops/config/sources.ts'
import { ExitError } from '../../service/src/ops/exits.ts'

import { exampleUserPassword } from './callers.ts'
import { fillExampleData, firstMidnight, type FilledShop } from './fill.ts'
import { hasMerchants, withExampleApp } from './open-app.ts'
import { makePastClock } from './past-clock.ts'

const sizes = { small: 12, medium: 60, large: 400 } as const
const days = 14
const summaryName = 'example-data.json'

const usage = `npm run example:data -- [options]

Fills a new data folder with two weeks of traffic of two shops: cards, payments, holds, refunds, declines, failed SMS and
webhooks, users and what they changed. Every call goes through the operations of the service, in its test environment.

  --data <folder>        the data folder; default ./example-data. It must be new; a folder that was filled is left as it is
  --database-url <url>   a new PostgreSQL database instead of the embedded one (or TESSERA_DATABASE_URL)
  --size <size>          small, medium (the default) or large: 12, 60 or 400 visits a day at the larger shop
  --help                 prints this`

try {
  await run()
} catch (err) {
  if (!(err instanceof ExitError) && !(err instanceof InvalidSettingsError)) throw err
  exitWith(err.message, 78)
}

async function run(): Promise<void> {
  const { data, size, databaseUrl } = readOptions()
  const config = readExampleConfig(data, databaseUrl)
  const summary = join(config.dataFolder, summaryName)
  if (existsSync(summary)) {
    console.log(`${data} was filled before; nothing was changed.\n`)
    printSummary(JSON.parse(readFileSync(summary, 'utf8')) as FilledShop[], data, databaseUrl)
    return
  }
  if (existsSync(config.dataFolder) && readdirSync(config.dataFolder).length > 0) refuseOld(data)
  const until = Date.now()
  const clock = makePastClock(firstMidnight({ days, until }))
  const shops = await withExampleApp(config, clock, async (app, faults) => {
    if (await hasMerchants(app)) return null
    return fillExampleData(app, clock, faults, { visitsPerDay: sizes[size], days, until, onDay: printDay })
  })
  if (shops === null) return refuseOld('The database')
  const known = shops.map((shop, index) => ({ ...shop, ownerPassword: index === 0 ? shop.ownerPassword : exampleUserPassword }))
  writeFileSync(summary, `${JSON.stringify(known, null, 2)}\n`, { mode: 0o600 })
  printSummary(known, data, databaseUrl)
}

function refuseOld(what: string): never {
  exitWith(`${what} already has data, and is left as it is. Choose a new one: --data <folder>`, 73)
}

function readExampleConfig(data: string, databaseUrl: string | undefined): Config {
  const flags = [`--data=${data}`, ...(databaseUrl === undefined ? [] : [`--database-url=${databaseUrl}`])]
  const { config } = readConfig(flags)
  if (config.environment === 'production')
    exitWith('Example data is for the test environment alone, and TESSERA_ENV is production. Nothing was changed.', 78)
  // All passwords are public, so a slow hash would protect nothing.
  return { ...config, dashboardPasswordCost: 10 }
}

function readOptions(): { data: string; size: keyof typeof sizes; databaseUrl: string | undefined } {
  const options = {
    data: { type: 'string', default: 'example-data' },
    size: { type: 'string', default: 'medium' },
    'database-url': { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const
  try {
    const { values } = parseArgs({ options })
    if (values.help) exitWith(usage, 0)
    const { size } = values
    if (!isSize(size)) return exitWith(`--size is small, medium or large, not ${size}.\n\n${usage}`, 64)
    return { data: values.data, size, databaseUrl: values['database-url'] }
  } catch (err) {
    return exitWith(`${err instanceof Error ? err.message : String(err)}\n\n${usage}`, 64)
  }
}

function isSize(text: string): text is keyof typeof sizes {
  return Object.hasOwn(sizes, text)
}

function printDay(day: number): void {
  console.log(`day ${String(day)} of ${String(days)}`)
}

function printSummary(shops: readonly FilledShop[], data: string, databaseUrl: string | undefined): void {
  const rows = shops.flatMap(({ name, merchantId, ownerPhone, ownerPassword, totals }) => [
    `  ${name} (${merchantId})`,
    `    cards      ${String(totals.cardsCreated)} created, ${String(totals.cardsVerified)} verified, ${String(totals.codesFailed)} without a code, ${String(totals.cardsRemoved)} removed`,
    `    payments   ${String(totals.paid)} paid, ${String(totals.paidTiyin / 100)} so'm; ${String(totals.declined)} declined, ${String(totals.held)} held, ${String(totals.captured)} captured`,
    `    refunds    ${String(totals.refunded)}, ${String(totals.refundedTiyin / 100)} so'm`,
    `    sign in    phone ${ownerPhone}, password ${ownerPassword}`,
    '',
  ])
  const database = databaseUrl === undefined ? '' : ' --database-url <the same>'
  console.log(['', ...rows, `  To look at it: npm start -- --data ${data}${database}, then http://localhost:8080/dashboard`, ''].join('\n'))
}

/** Ends the program. */
function exitWith(text: string, code: number): never {
  ;(code === 0 ? console.log : console.error)(text)
  process.exit(code)
}
