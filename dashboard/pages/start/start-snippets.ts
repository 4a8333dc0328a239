import type { Result } from '@tessera/contract/operations'

export type StartContext = Pick<Result<'dashboard.start.get'>, 'merchantId' | 'sdk'> & {
  /** Where the form and the API are served. */
  readonly origin: string
  /** The public demo password, or a text to be replaced. */
  readonly password: string
}

/** The three calls of a page and one of a server, as curl commands. */
export function startCurl({ origin, merchantId, password }: StartContext, number: string): string {
  return `URL=${origin}
MERCHANT=${merchantId}
PASSWORD='${password}'

curl -s $URL/api/cards.create -H "X-Auth: $MERCHANT" \\
  -d '{"id":1,"method":"cards.create","params":{"card":{"number":"${number}","expire":"0399"},"save":true}}'

TOKEN=…   # result.card.token

curl -s $URL/api/cards.get_verify_code -H "X-Auth: $MERCHANT" \\
  -d '{"id":2,"method":"cards.get_verify_code","params":{"token":"'$TOKEN'"}}'

curl -s $URL/api/cards.verify -H "X-Auth: $MERCHANT" \\
  -d '{"id":3,"method":"cards.verify","params":{"token":"'$TOKEN'","code":"666666"}}'

curl -s $URL/api/cards.check -H "X-Auth: $MERCHANT:$PASSWORD" \\
  -d '{"id":4,"method":"cards.check","params":{"token":"'$TOKEN'"}}'`
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
export function librarySnippets({ origin, merchantId, password }: StartContext): Readonly<Record<string, string>> {
  return {
    TypeScript: `import { Tessera } from '@tessera/client'

const tessera = new Tessera({
  url: '${origin}',
  merchantId: '${merchantId}',
  password: '${password}',
})
const { card } = await tessera.cards.check({ token })
const { receipt } = await tessera.receipts.create({ amount: 500_000, account: { order_id: '197' } })
const paid = await tessera.outcome('receipts.pay', { id: receipt._id, token })`,
    Python: `# payme-pkg 3
from payme.classes.cards import Cards

cards = Cards(url="${origin}/api", payme_id="${merchantId}")
cards.check(token=token)`,
    PHP: `// urfysoft/laravel-paymeuz
$client = new Urfysoft\\Payme\\PaymeClient(
    merchantId: '${merchantId}',
    secretKey: '${password}',
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
