// The shop alone, as on a merchant's server. README.md describes its settings. start.ts starts it together with Tessera.
import { createServer } from 'node:http'
import { Tessera } from '@tessera/client'

import { openRecords } from './records.ts'
import { createShopHandler } from './server.ts'
import { createPayments } from './payments.ts'

export interface ShopSettings {
  /** The address of Tessera, without `/api`. */
  readonly url: string
  readonly merchantId: string
  readonly password: string
  readonly formOrigin: string
  readonly sdkUrl: string
  readonly sdkIntegrity: string
  readonly providerName: string
  readonly shopOrigin: string
  readonly secrets: readonly string[]
  /** The file with the shop's data. */
  readonly records: string
  readonly isTestMode: boolean
}

/** Opens the shop: handles requests, and every half minute refreshes payments and charges what is due. */
export function openShop(settings: ShopSettings) {
  const { url, merchantId, password, shopOrigin, secrets, isTestMode } = settings
  const tessera = new Tessera({ url, merchantId, password })
  const records = openRecords(settings.records)
  const now = (): number => Date.now() + records.clockOffsetMs
  const payments = createPayments({ tessera, records, now })
  const runDueWork = (): void => void payments.refreshAll().then(payments.sendBoxesDue).catch(console.error)
  const timer = setInterval(runDueWork, 30_000)
  return {
    handleRequest: createShopHandler({ tessera, payments, records, formSource: settings, shopOrigin, secrets, now, isTestMode }),
    close: (): void => clearInterval(timer),
  }
}

if (import.meta.main) {
  const env = process.env
  const requireSetting = (name: string): string => env[name] ?? fail(`${name} is not set. README.md lists the settings.`)
  const port = Number(env.PORT ?? 8070)
  const shop = openShop({
    url: requireSetting('TESSERA_URL'),
    merchantId: requireSetting('MERCHANT_ID'),
    password: requireSetting('MERCHANT_PASSWORD'),
    formOrigin: requireSetting('FORM_ORIGIN'),
    sdkUrl: requireSetting('SDK_URL'),
    sdkIntegrity: requireSetting('SDK_INTEGRITY'),
    providerName: env.PROVIDER_NAME ?? 'Tessera',
    shopOrigin: env.SHOP_ORIGIN ?? `http://localhost:${port}`,
    secrets: (env.WEBHOOK_SECRET ?? '').split(' ').filter((secret) => secret !== ''),
    records: env.RECORDS ?? 'data/shop/records.json',
    isTestMode: env.TEST_MODE === 'yes',
  })
  const server = createServer(shop.handleRequest).listen(port, '127.0.0.1', () =>
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

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
