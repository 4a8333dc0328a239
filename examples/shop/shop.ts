// The shop alone, as it would stand on a merchant's server. What it needs is said in README.md; start.ts starts it with a Tessera beside it.
import { createServer } from 'node:http'
import { Tessera } from '@tessera/client'

import { openRecords } from './records.ts'
import { serveShop } from './serve.ts'
import { openTill } from './till.ts'

export interface ShopSettings {
  /** Where Tessera is, without `/api`. */
  readonly url: string
  readonly merchantId: string
  readonly password: string
  readonly formOrigin: string
  readonly sdkUrl: string
  readonly sdkIntegrity: string
  readonly providerName: string
  readonly shopOrigin: string
  readonly secrets: readonly string[]
  /** The file of the shop's records. */
  readonly records: string
  readonly rehearses: boolean
}

/** Opens the shop: answers requests, and every half minute does what is due. */
export function openShop(settings: ShopSettings) {
  const { url, merchantId, password, shopOrigin, secrets, rehearses } = settings
  const tessera = new Tessera({ url, merchantId, password })
  const records = openRecords(settings.records)
  const now = (): number => Date.now() + records.clockMs
  const till = openTill({ tessera, records, now })
  const tend = (): void => void till.settleAll().then(till.sendBoxesDue).catch(console.error)
  const tending = setInterval(tend, 30_000)
  return {
    answer: serveShop({ tessera, till, records, place: settings, shopOrigin, secrets, now, rehearses }),
    close: (): void => clearInterval(tending),
  }
}

if (import.meta.main) {
  const env = process.env
  const need = (name: string): string => env[name] ?? stop(`${name} is missing: README.md has the list.`)
  const port = Number(env.PORT ?? 8070)
  const shop = openShop({
    url: need('TESSERA_URL'),
    merchantId: need('MERCHANT_ID'),
    password: need('MERCHANT_PASSWORD'),
    formOrigin: need('FORM_ORIGIN'),
    sdkUrl: need('SDK_URL'),
    sdkIntegrity: need('SDK_INTEGRITY'),
    providerName: env.PROVIDER_NAME ?? 'Tessera',
    shopOrigin: env.SHOP_ORIGIN ?? `http://localhost:${port}`,
    secrets: (env.WEBHOOK_SECRET ?? '').split(' ').filter((secret) => secret !== ''),
    records: env.RECORDS ?? 'data/shop/records.json',
    rehearses: env.REHEARSES === 'yes',
  })
  const server = createServer(shop.answer).listen(port, '127.0.0.1', () =>
    console.log(`The shop is open at ${env.SHOP_ORIGIN ?? `http://localhost:${port}`}`),
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      shop.close()
      server.close()
      server.closeIdleConnections()
    })
  }
}

function stop(text: string): never {
  console.error(text)
  process.exit(1)
}
