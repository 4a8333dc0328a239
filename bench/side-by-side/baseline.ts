// The baseline, run as a program: what a vault could cost that does nothing but store. It parses, seals each number with AES-256-GCM under one key in memory,
// and inserts what has come meanwhile as one statement, so that requests share a COMMIT. Nothing is checked, authenticated, linked, logged or counted.
import { createCipheriv, randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'
import pg from 'pg'

const { values } = parseArgs({ options: { data: { type: 'string' }, 'database-url': { type: 'string' } } })
const key = randomBytes(32)
const inserting = await connect()
const reading = await connect()
await inserting.query('create table if not exists baseline_cards (id text primary key, masked text not null, sealed bytea not null)')

interface NewCard {
  readonly id: string
  readonly masked: string
  readonly sealed: Buffer
}

const insertCards = batched<NewCard, undefined>(async (cards) => {
  const columns = [cards.map(({ id }) => id), cards.map(({ masked }) => masked), cards.map(({ sealed }) => sealed)]
  await inserting.query({
    name: 'insert',
    text: 'insert into baseline_cards select * from unnest($1::text[], $2::text[], $3::bytea[])',
    values: columns,
  })
  return cards.map(() => undefined)
})

const findCards = batched<string, string | undefined>(async (ids) => {
  const { rows } = await reading.query<{ id: string; masked: string }>({
    name: 'find',
    text: 'select id, masked from baseline_cards where id = any($1)',
    values: [ids],
  })
  const found = new Map(rows.map(({ id, masked }) => [id, masked]))
  return ids.map((id) => found.get(id))
})

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => void answer(Buffer.concat(chunks).toString(), response))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const ready = { url: `http://127.0.0.1:${String(port)}`, adminUrl: '', demo: { merchantId: 'baseline', password: '' } }
  process.stdout.write(`${JSON.stringify({ ready })}\n`)
})
process.once('SIGTERM', () => process.exit(0))

interface BaselineParams {
  readonly card?: { readonly number: string; readonly expire: string }
  readonly token?: string
}

async function answer(body: string, response: ServerResponse): Promise<void> {
  const { id, params } = JSON.parse(body) as { readonly id: number; readonly params: BaselineParams }
  const card = params.card === undefined ? await read(params.token ?? '') : await store(params.card)
  const text = JSON.stringify(
    card === null ? { jsonrpc: '2.0', id, error: { reason: 'not_found' } } : { jsonrpc: '2.0', id, result: { card } },
  )
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

async function store({ number, expire }: NonNullable<BaselineParams['card']>): Promise<object> {
  const card = { id: randomBytes(24).toString('hex'), masked: `${number.slice(0, 6)}******${number.slice(-4)}`, sealed: seal(number) }
  await insertCards(card)
  return { number: card.masked, expire, token: card.id }
}

async function read(token: string): Promise<object | null> {
  const masked = await findCards(token)
  return masked === undefined ? null : { number: masked, token }
}

function seal(text: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  return Buffer.concat([nonce, cipher.update(text, 'latin1'), cipher.final(), cipher.getAuthTag()])
}

/** Passes on all inputs that came while the run before was in progress, as one. */
function batched<Input, Output>(run: (inputs: readonly Input[]) => Promise<readonly Output[]>): (input: Input) => Promise<Output> {
  let waiting: { readonly input: Input; readonly resolve: (output: Output) => void; readonly reject: (err: unknown) => void }[] = []
  let isRunning = false
  const runNext = async (): Promise<void> => {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const outputs = await run(batch.map(({ input }) => input))
        batch.forEach(({ resolve }, at) => resolve(outputs[at] as Output))
      } catch (err) {
        for (const { reject } of batch) reject(err)
      }
    }
    isRunning = false
  }
  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject })
      if (!isRunning) setImmediate(() => void (isRunning ? undefined : runNext()))
    })
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: values['database-url'] ?? '', connectionTimeoutMillis: 20_000, query_timeout: 60_000 })
  await client.connect()
  return client
}
