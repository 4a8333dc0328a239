// From a card to a verified token, in four calls and in both spellings of the service. Needs Node 24 and nothing else:
//
//   TESSERA_URL=http://127.0.0.1:8080 MERCHANT_ID=… MERCHANT_PASSWORD=… node first-token.ts

const url = process.env.TESSERA_URL ?? 'http://127.0.0.1:8080'
// The demo merchant that every test environment has; production refuses it.
const merchant = process.env.MERCHANT_ID ?? '65f0c0ffee0000000000cafe'
const password = process.env.MERCHANT_PASSWORD ?? 'sandbox-only-password-not-for-live-0'
// A public test card, good through 03/99, and the code that is right for every test card.
const card = { number: '8600069195406311', expire: '0399' }
const code = '666666'

/** A card as the service tells it. */
interface Card {
  number: string
  token: string
  verify: boolean
}

type Caller = 'browser' | 'server'
type Spelling = 'spec' | 'subscribe'

try {
  console.log(`Tessera at ${url}, merchant ${merchant}`)
  await firstToken('spec profile: POST /api/<method>', 'spec')
  await firstToken('subscribe profile: POST /api', 'subscribe')
  console.log('\nDone. The token stands for the card from now on; the card number stays in the vault.')
} catch (err) {
  console.error(err instanceof Error ? err.message : err)
  process.exitCode = 1
}

async function firstToken(title: string, spelling: Spelling): Promise<void> {
  console.log(`\n${title}`)

  // What the cardholder's browser or app does: the merchant id is enough, and the password must not be there.
  const created = await call<{ card: Card }>('browser', spelling, 'cards.create', { card, save: true })
  const { token } = created.card
  tell('cards.create', 'browser', `${created.card.number}, token ${token.slice(0, 12)}…, verify ${created.card.verify}`)

  const { phone } = await call<{ phone: string }>('browser', spelling, 'cards.get_verify_code', { token })
  tell('cards.get_verify_code', 'browser', `a code goes to ${phone}`)

  const verified = await call<{ card: Card }>('browser', spelling, 'cards.verify', { token, code })
  tell('cards.verify', 'browser', `verify ${verified.card.verify}`)

  // What the merchant's server does, with its password: ask before the token is used for a payment.
  const checked = await call<{ card: Card }>('server', spelling, 'cards.check', { token })
  tell('cards.check', 'server', `verify ${checked.card.verify}`)
  if (!checked.card.verify) throw new Error('The card is not verified.')
}

interface Answer<Result> {
  result?: Result
  error?: { code: number; message: string; reason: string }
}

/** Calls a method; throws a sentence that says what went wrong and what to do. */
async function call<Result>(caller: Caller, spelling: Spelling, method: string, params: object): Promise<Result> {
  const { result, error } = await post<Result>(
    spelling === 'spec' ? `${url}/api/${method}` : `${url}/api`,
    caller === 'browser' ? merchant : `${merchant}:${password}`,
    { id: '1', method, params },
  )
  if (result !== undefined) return result
  if (error === undefined) throw new Error(`${url} answered something that is no JSON-RPC: is this Tessera?`)
  throw new Error(`${method} was refused: ${error.message} (code ${error.code}, reason ${error.reason})\n${adviceOn(error.reason)}`)
}

async function post<Result>(to: string, xAuth: string, body: object): Promise<Answer<Result>> {
  const headers = { 'Content-Type': 'application/json', 'X-Auth': xAuth }
  const reply = await fetch(to, { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(20_000) }).catch(() => {
    throw new Error(`Nobody answers at ${url}. Start the service with npm start, or say where it is: TESSERA_URL=http://host:port`)
  })
  return (await reply.json().catch(() => ({}))) as Answer<Result>
}

function adviceOn(reason: string): string {
  if (reason === 'merchant_unknown') return 'Set MERCHANT_ID to the id that you were issued for this environment.'
  if (reason === 'access_denied') return 'Set MERCHANT_PASSWORD to the password that you were issued with that id.'
  return 'What to do about each reason: docs/reference/errors.md'
}

function tell(method: string, caller: Caller, text: string): void {
  console.log(`  ${method.padEnd(22)} ${caller.padEnd(8)} ${text}`)
}
