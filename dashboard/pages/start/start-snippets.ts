import type { Result } from '@tessera/contract/operations'

export type StartContext = Pick<Result<'dashboard.start.get'>, 'merchantId' | 'sdk' | 'example'> & {
  /** Where the form and the API are served. */
  readonly origin: string
  /** The public demo password; null: the shell has it in TESSERA_PASSWORD. */
  readonly password: string | null
}

/** The calls of a page and those of a server, for a shell with jq and for one without. Each has the token from the call before. */
export function curlSnippets(context: StartContext, number: string, comments: CurlComments): Readonly<Record<string, string>> {
  return {
    'curl + jq': curlScript(
      context,
      { number, ...comments },
      { token: 'jq -r .result.card.token', receipt: 'jq -r .result.receipt._id', show: ' | jq .' },
    ),
    curl: curlScript(
      context,
      { number, ...comments },
      {
        token: `sed -n 's/.*"token":"\\([^"]*\\)".*/\\1/p'`,
        receipt: `sed -n 's/.*"receipt":{"_id":"\\([^"]*\\)".*/\\1/p'`,
        show: '; echo',
      },
    ),
  }
}

/** What the commands below stand for, in the language of the page. */
export interface CurlComments {
  readonly asPage: string
  readonly asServer: string
}

interface CurlReaders {
  readonly token: string
  readonly receipt: string
  readonly show: string
}

function curlScript(
  { origin, merchantId, password, example }: StartContext,
  { number, asPage, asServer }: CurlComments & { readonly number: string },
  { token, receipt, show }: CurlReaders,
): string {
  const { amountTiyin: amount, account } = example
  return `URL=${origin}
MERCHANT=${merchantId}
SERVER="$MERCHANT:${password ?? '${TESSERA_PASSWORD:?the password of your API}'}"
call() { curl -sS "$URL/api/$2" -H "X-Auth: $1" -d '{"id":1,"method":"'$2'","params":'"$3"'}'; }

# ${asPage}
TOKEN=$(call $MERCHANT cards.create '{"card":{"number":"${number}","expire":"0399"},"save":true}' | ${token})
call $MERCHANT cards.get_verify_code '{"token":"'$TOKEN'"}'${show}
call $MERCHANT cards.verify '{"token":"'$TOKEN'","code":"666666"}'${show}

# ${asServer}
RECEIPT=$(call "$SERVER" receipts.create '${JSON.stringify({ amount, account })}' | ${receipt})
call "$SERVER" receipts.pay '{"id":"'$RECEIPT'","token":"'$TOKEN'"}'${show}`
}

/** The library for Node, from the service itself. */
export function installLine({ origin, sdk }: Pick<StartContext, 'origin' | 'sdk'>): string {
  return `npm install ${origin}/sdk/${sdk.version}/tessera-client.tgz`
}

/** The form on a page, with Subresource Integrity of the script as it is served. */
export function formHtml({ origin, sdk }: StartContext): string {
  return `<div id="card"></div>
<script src="${origin}/sdk/${sdk.version}/tessera.js"
  integrity="${sdk.integrity}" crossorigin="anonymous"></script>
<script src="/checkout.js"></script>`
}

/** The content of /checkout.js. A page with a Content-Security-Policy has no inline scripts. */
export function checkoutScript({ merchantId }: StartContext): string {
  return `const form = new Tessera.CardForm({ merchant: '${merchantId}', locale: 'uz', save: 'ask' })
form.on('token', ({ token, card }) => sendToYourServer(token))
form.on('error', ({ reason, message }) => console.warn(reason, message))
form.mount('#card')`
}

/** What the page's Content-Security-Policy has to allow. */
export function pagePolicy({ origin }: StartContext): string {
  return `Content-Security-Policy: script-src 'self' ${origin}; frame-src ${origin}`
}

/** Code by the name of its tab. Public libraries are set up as in docs/guides/client-libraries.md. */
export function librarySnippets({ origin, merchantId, password, example }: StartContext): Readonly<Record<string, string>> {
  return {
    'Node.js': `// pay.mjs: TOKEN=… node pay.mjs
import { Tessera } from '@tessera/client'

const tessera = new Tessera({
  url: '${origin}',
  merchantId: '${merchantId}',
  password: ${password === null ? 'process.env.TESSERA_PASSWORD' : `'${password}'`},
})
const token = process.env.TOKEN
const { receipt } = await tessera.receipts.create(${JSON.stringify({ amount: example.amountTiyin, account: example.account })})
const paid = await tessera.outcome('receipts.pay', { id: receipt._id, token })
console.log(paid.ok ? \`paid, receipt \${receipt._id}\` : paid.problem.reason)`,
    Python: `# payme-pkg 3
from payme.classes.cards import Cards

cards = Cards(url="${origin}/api", payme_id="${merchantId}")
cards.check(token=token)`,
    PHP: `// urfysoft/laravel-paymeuz
$client = new Urfysoft\\Payme\\PaymeClient(
    merchantId: '${merchantId}',
    secretKey: ${password === null ? "getenv('TESSERA_PASSWORD')" : `'${password}'`},
    baseUrl: '${origin}/api',
    loggingEnabled: false, // it logs card numbers
);`,
    Go: `// Xusk947/payme-sdk-go has its address fixed; it takes an http.Client:
type toTessera struct{ base *url.URL } // ${origin}

func (t toTessera) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = t.base.Scheme, t.base.Host, ""
	r.URL.Path = "/api"
	return http.DefaultTransport.RoundTrip(r)
}`,
  }
}
