import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ShopKind } from './receipt-record.ts'
import type { ShopRecords } from './shop-records.ts'
import type { ServiceData } from './service-data.ts'
import { dataFolderOf } from './inspect.ts'
import { runCommandHere } from './command-in-process.ts'
import { startProgram, type RunningService } from './spawn.ts'

/** Two merchants of one service: the demo merchant, and one with a server of its own that the service calls. */
export interface Shops {
  readonly xAuth: Readonly<Record<ShopKind, string>>
  /** The records of the second one's server, which is not killed with the service. */
  readRecords(): Promise<ShopRecords>
  close(): Promise<void>
}

/** Starts the server, and creates the merchant as an operator would. */
export async function openShops(
  { xAuth }: RunningService,
  { serviceData, seed }: { serviceData: ServiceData; seed: number },
): Promise<Shops> {
  const server = await startProgram('fault/shop.ts', { flags: [String(seed)] })
  const place = `--data=${dataFolderOf(serviceData)}`
  const { merchantId, password } = await createMerchant(serviceData, 'With endpoint')
  const key = join(serviceData.folder, 'shop.key')
  writeFileSync(key, 'the key of the shop\n')
  await run(['merchants', 'endpoint', 'set', merchantId, `--url=${server.url}/`, `--password-file=${key}`, '--json', place])
  return {
    xAuth: { plain: xAuth, withEndpoint: `${merchantId}:${password}` },
    readRecords: async () => (await (await fetch(server.url)).json()) as ShopRecords,
    close: () => server.kill(),
  }
}

/** Creates another merchant of a running service, as an operator does. */
export async function createMerchant(serviceData: ServiceData, name: string): Promise<CreatedMerchant> {
  return (await run(['merchants', 'create', `--name=${name}`, '--json', `--data=${dataFolderOf(serviceData)}`])) as CreatedMerchant
}

export interface CreatedMerchant {
  readonly merchantId: string
  readonly password: string
}

async function run(args: readonly string[]): Promise<object> {
  const { code, out } = await runCommandHere(args)
  if (code !== 0) throw new Error(`tessera ${args.slice(0, 3).join(' ')} ended with ${String(code)}: ${out}`)
  return JSON.parse(out) as object
}
