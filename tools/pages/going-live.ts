import type { GoingLiveItem } from '../../service/src/ops/cli/going-live.ts'
import { page, printedFrom } from './markdown.ts'

/** The checklist before live cards, by section. */
export function printGoingLivePage(items: readonly GoingLiveItem[]): string {
  const sections = [...new Set(items.map(({ section }) => section))]
  return page(
    '# Going live',
    printedFrom('service/src/ops/cli/going-live.ts'),
    intro,
    ...order.split('\n\n'),
    ...sections.map((section) => [`## ${section}`, '', ...items.filter((item) => item.section === section).map(printItem)].join('\n')),
    ...firstCard.split('\n\n'),
  )
}

const intro = `What has to be so before live cards are accepted. \`tessera doctor --production\` goes through the same list with the settings of
the service: it ticks what it can see, and leaves the rest for a person to confirm. It ends with 1 while something that it can see is not so.`

const order = `## In this order

1. \`tessera init --output /etc/tessera/tessera.json\` writes the configuration, and says what is still missing. [Starting](starting.md)
2. \`tessera keys init\` generates the key encryption key. Back it up before anything is wrapped by it. [HSM or key service](hsm.md),
   [shares](custodian-shares.md): custodians generate theirs beside the first start, in step 4.
3. \`tessera doctor --production\`: whatever it marks \`FIX\` or \`[ ]\` is done before the start; a KEK in shares after it.
4. \`tessera start\` on each machine. \`/readyz\` of the admin port is 200, and \`tessera status\` says \`ready\`. [Running](running.md)
5. \`tessera doctor --production\` again, beside each process: it looks at what runs.
6. \`tessera merchants create\` or \`import\`, with \`tessera webhooks add\` for each. [Merchants](merchants.md)
7. [A card of your own](#a-card-of-your-own), and then those of the customers.

\`tessera\` is the command of the package, or \`npm run -s tessera --\` in its folder. Every command takes
\`--config /etc/tessera/tessera.json\`, and those for a running process the \`--data\` that it was started with. Run them as the user of the
service, in its environment: what the module of an HSM reads (\`SOFTHSM2_CONF\` and the like) and \`NODE_EXTRA_CA_CERTS\` belong to it.`

const firstCard = `## A card of your own

With a merchant of your own, from another machine, over the internet. Never type the number of a live card into a command: shells record
what is typed. The hosted page takes it.

\`\`\`bash
URL=https://pay.example.uz     # the host of formOrigin, or of apiOrigin where it is set
read -r MERCHANT && read -rs PASSWORD   # as tessera merchants create has printed them
api() { curl -sS "$URL/api" -H 'Content-Type: application/json' -H @<(printf 'X-Auth: %s:%s' "$MERCHANT" "$PASSWORD") "$@"; echo; }
api -d '{"id":1,"method":"form.sessions.create","params":{"origin":"https://shop.example.uz","return":"https://shop.example.uz/cards","save":"ask"}}'
\`\`\`

\`origin\` is one of the origins of the merchant. Open \`page\` of the reply in a browser within 15 minutes, enter the card, allow it to be saved, and enter the code of the SMS. Then
fetch the token, charge a small amount, and refund it:

\`\`\`bash
api -d '{"id":2,"method":"form.sessions.get","params":{"session":"<session>"}}'
api -H 'Idempotency-Key: first-1' -d '{"id":3,"method":"receipts.create","params":{"amount":100000,"account":{"order_id":"first"}}}'
api -H 'Idempotency-Key: first-2' -d '{"id":4,"method":"receipts.pay","params":{"id":"<receipt>","token":"<token>"}}'
api -H 'Idempotency-Key: first-3' -d '{"id":5,"method":"receipts.cancel","params":{"id":"<receipt>"}}'
tessera receipts show <receipt>
tessera events list --merchant "$MERCHANT"
api -d '{"id":6,"method":"cards.remove","params":{"token":"<token>"}}'
\`\`\`

The receipt goes to state 4, then to 21 and 50 when the network has confirmed the refund. The merchant's server gets \`receipt.paid\` and
\`receipt.cancelled\` (deliveries \`delivered\`), and the statement of the card shows both. The last call removes the card.`

function printItem({ what, how, isDone }: GoingLiveItem): string {
  return `- [ ] ${what}${isDone === undefined ? ' *For a person to confirm.*' : ''}\n      ${linkFromPage(how)}`
}

/** Links by their path from docs/operating/. */
function linkFromPage(markdown: string): string {
  return markdown.replaceAll('](docs/operating/', '](').replaceAll('](docs/', '](../').replaceAll('](SECURITY.md', '](../../SECURITY.md')
}
