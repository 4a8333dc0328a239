import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ShopKind } from './bill.ts'
import type { ShopBook } from './book.ts'
import type { Home } from './home.ts'
import { dataFolderOf } from './inspect.ts'
import { runTessera, startProgram, type Running } from './spawn.ts'

/** Two merchants of one service: the demo merchant, and one whose own server is asked and told. */
export interface Shops {
  readonly xAuth: Readonly<Record<ShopKind, string>>
  /** What the server of the second one has in its book; it is not killed with the service. */
  readBook(): Promise<ShopBook>
  close(): Promise<void>
}

/** Starts the server, and makes the merchant as an operator would. */
export async function openShops({ xAuth }: Running, { home, seed }: { home: Home; seed: number }): Promise<Shops> {
  const server = await startProgram('fault/shop.ts', { flags: [String(seed)] })
  const place = `--data=${dataFolderOf(home)}`
  const { merchantId, password } = (await run(['merchants', 'create', '--name=Asked', '--json', place])) as Issued
  const key = join(home.folder, 'shop.key')
  writeFileSync(key, 'the key of the shop\n')
  await run(['merchants', 'endpoint', 'set', merchantId, `--url=${server.url}/`, `--password-file=${key}`, '--json', place])
  return {
    xAuth: { plain: xAuth, asked: `${merchantId}:${password}` },
    readBook: async () => (await (await fetch(server.url)).json()) as ShopBook,
    close: () => server.kill(),
  }
}

interface Issued {
  readonly merchantId: string
  readonly password: string
}

async function run(args: readonly string[]): Promise<object> {
  const { code, out } = await runTessera(args)
  if (code !== 0) throw new Error(`tessera ${args.slice(0, 3).join(' ')} ended with ${String(code)}: ${out}`)
  return JSON.parse(out) as object
}
