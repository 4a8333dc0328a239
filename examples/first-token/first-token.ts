// From a card to a verified token in four calls, in both profiles of the service. Needs Node 24 and nothing else:
//
//   TESSERA_URL=http://127.0.0.1:8080 MERCHANT_ID=… MERCHANT_PASSWORD=… node first-token.ts

const url = process.env.TESSERA_URL ?? 'http://127.0.0.1:8080'
// The demo merchant of every test environment. Production rejects it.
const merchant = process.env.MERCHANT_ID ?? '65f0c0ffee0000000000cafe'
const password = process.env.MERCHANT_PASSWORD ?? 'sandbox-only-password-not-for-live-0'
// A public test card, valid through 03/99, and the SMS code of every test card.
const card = { number: '8600069195406311', expire: '0399' }
const code = '666666'

/** A card in a response. */
interface Card {
  number: string
  token: string
  verify: boolean
}

type Caller = 'browser' | 'server'
type Profile = 'spec' | 'subscribe'

try {
  console.log(`Tessera at ${url}, merchant ${merchant}`)
  await firstToken('spec profile: POST /api/<method>', 'spec')
  await firstToken('subscribe profile: POST /api', 'subscribe')
  console.log('\nDone. The token replaces the card from now on; the card number stays in the vault.')
} catch (err) {
  console.error(err instanceof Error ? err.message : err)
  process.exitCode = 1
}

async function firstToken(title: string, profile: Profile): Promise<void> {
  console.log(`\n${title}`)

  // Called by the cardholder's browser or app, with the merchant id alone: the password must never be there.
  const created = await call<{ card: Card }>('browser', profile, 'cards.create', { card, save: true })
  const { token } = created.card
  print('cards.create', 'browser', `${created.card.number}, token ${token.slice(0, 12)}…, verify ${created.card.verify}`)

  const { phone } = await call<{ phone: string }>('browser', profile, 'cards.get_verify_code', { token })
  print('cards.get_verify_code', 'browser', `a code goes to ${phone}`)

  const verified = await call<{ card: Card }>('browser', profile, 'cards.verify', { token, code })
  print('cards.verify', 'browser', `verify ${verified.card.verify}`)

  // Called by the merchant's server with the password, before the token is used for a payment.
  const checked = await call<{ card: Card }>('server', profile, 'cards.check', { token })
  print('cards.check', 'server', `verify ${checked.card.verify}`)
  if (!checked.card.verify) throw new Error('The card is not verified.')
}

interface RpcResponse<Result> {
  result?: Result
  error?: { code: number; message: string; reason: string }
}

/** Calls a method. Throws an error that says what went wrong and what to do. */
async function call<Result>(caller: Caller, profile: Profile, method: string, params: object): Promise<Result> {
  const { result, error } = await post<Result>(
    profile === 'spec' ? `${url}/api/${method}` : `${url}/api`,
    caller === 'browser' ? merchant : `${merchant}:${password}`,
    { id: '1', method, params },
  )
  if (result !== undefined) return result
  if (error === undefined) throw new Error(`${url} responded with something other than JSON-RPC. Is this Tessera?`)
  throw new Error(`${method} failed: ${error.message} (code ${error.code}, reason ${error.reason})\n${adviceFor(error.reason)}`)
}

async function post<Result>(to: string, xAuth: string, body: object): Promise<RpcResponse<Result>> {
  const headers = { 'Content-Type': 'application/json', 'X-Auth': xAuth }
  const response = await fetch(to, { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(20_000) }).catch(
    () => {
      throw new Error(`No service responds at ${url}. Start it with npm start, or set its address: TESSERA_URL=http://host:port`)
    },
  )
  return (await response.json().catch(() => ({}))) as RpcResponse<Result>
}

function adviceFor(reason: string): string {
  if (reason === 'merchant_unknown') return 'Set MERCHANT_ID to the id that was issued to you for this environment.'
  if (reason === 'access_denied') return 'Set MERCHANT_PASSWORD to the password that was issued with this id.'
  return 'Every reason is described in docs/reference/errors.md'
}

function print(method: string, caller: Caller, text: string): void {
  console.log(`  ${method.padEnd(22)} ${caller.padEnd(8)} ${text}`)
}
