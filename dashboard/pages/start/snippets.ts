import type { Result } from '@tessera/contract/methods'

export type StartPlace = Pick<Result<'dashboard.start.get'>, 'merchantId' | 'sdk'> & {
  /** Where form and API are. */
  readonly origin: string
  /** Shown when it is the public one; otherwise a name to be put in. */
  readonly password: string
}

/** The three calls of a page and the one of a server, for a shell. */
export function curlOf({ origin, merchantId, password }: StartPlace, number: string): string {
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

/** The form on a page, with Subresource Integrity of what is served. */
export function formOf({ origin, sdk }: StartPlace): string {
  return `<div id="card"></div>
<script src="${origin}/sdk/${sdk.version}/tessera.js"
  integrity="${sdk.integrity}" crossorigin="anonymous"></script>
<script src="/checkout.js"></script>`
}

/** What stands in /checkout.js: a page with a policy has no script of its own inline. */
export function checkoutOf({ merchantId }: StartPlace): string {
  return `const form = new Tessera.CardForm({ merchant: '${merchantId}', locale: 'uz', save: 'ask' })
form.on('token', ({ token, card }) => sendToYourServer(token))
form.on('error', ({ reason, message }) => console.warn(reason, message))
form.mount('#card')`
}

/** What a page's own policy has to allow. */
export function policyOf({ origin }: StartPlace): string {
  return `Content-Security-Policy: script-src 'self' ${origin}; frame-src ${origin}`
}

/** By the name of the tab. Addresses of public libraries as docs/guides/client-libraries.md has them. */
export function librariesOf({ origin, merchantId, password }: StartPlace): Readonly<Record<string, string>> {
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
