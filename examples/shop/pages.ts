import { html, type Markup } from './markup.ts'
import type { Buyer, Order } from './records.ts'
import { fill, tellDay, tellMoney, tellReason, texts, type Language, type Texts } from './texts.ts'
import { boxTiyin, makeOrderId } from './till.ts'

/** Where the card form is, and as whom it takes cards. */
export interface FormPlace {
  readonly merchantId: string
  readonly formOrigin: string
  /** The SDK of one version, and what it must be: a changed script is not run (W3C Subresource Integrity). */
  readonly sdkUrl: string
  readonly sdkIntegrity: string
  readonly providerName: string
}

/** Who looks, in which language, at which path. */
export interface Looking {
  readonly language: Language
  readonly path: string
  readonly buyer: Buyer
  readonly place: FormPlace
}

export function productPage(looking: Looking): string {
  const words = texts[looking.language]
  const total = tellMoney(boxTiyin, looking.language)
  const inside = [words.inside1, words.inside2, words.inside3, words.inside4]
  return page(
    looking,
    words.title,
    html`<div class="product">
      <img src="/box.svg" width="480" height="480" alt="" />
      <div>
        <p class="over">${words.tagline}</p>
        <h1>${words.title}</h1>
        <p>${words.about}</p>
        <ul>
          ${inside.map((line) => html`<li>${line}</li>`)}
        </ul>
        <form method="post" action="/orders">
          <input type="hidden" name="key" value="${makeOrderId()}" />
          ${choice('once', words.once, words.onceSays)} ${choice('monthly', words.monthly, words.monthlySays)}
          <button>${fill(words.buy, total)}</button>
        </form>
        <p class="quiet">${words.delivery}</p>
      </div>
    </div>`,
  )
}

export function orderPage(looking: Looking, order: Order): string {
  const words = texts[looking.language]
  const head = html`<p class="over">${fill(words.order, shortName(order))}</p>`
  const body = { open: checkout, paying: waiting, paid, returned }[order.state](looking, order, words)
  return page(looking, fill(words.order, shortName(order)), html`<div class="narrow">${head}${body}</div>`)
}

export function minePage(looking: Looking, orders: readonly Order[], { note, rehearses }: { note: Note; rehearses: boolean }): string {
  const { language, buyer } = looking
  const words = texts[language]
  const states = { open: words.toPay, paying: words.isPaying, paid: words.isPaid, returned: words.isReturned }
  const rows = orders.map(
    (order) =>
      html`<li>
        <a href="/orders/${order.id}">${tellDay(order.placedAt, language)}</a><span>${tellMoney(order.amountTiyin, language)}</span
        ><span class="state ${order.state}">${states[order.state]}</span>
      </li>`,
  )
  const card =
    buyer.card === null
      ? html`<p>${words.noCard}</p>`
      : html`<p class="card">${buyer.card.number}</p>
          <p>${fill(words.keptSays, buyer.card.number)}</p>
          <p>${nextBox(looking, words)}</p>
          <form method="post" action="/card/remove"><button class="plain">${words.remove}</button></form>`
  const rehearsal =
    rehearses && buyer.nextBoxAt !== null
      ? html`<section class="rehearsal">
          <h2>${words.rehearse}</h2>
          <p>${words.rehearseSays}</p>
          <form method="post" action="/month"><button class="plain">${words.letPass}</button></form>
        </section>`
      : null
  return page(
    looking,
    words.mine,
    html`<div class="narrow">
      <h1>${words.mine}</h1>
      ${note === null ? null : notice(note)}
      <section>
        <h2>${words.keptCard}</h2>
        ${card}
      </section>
      ${rehearsal}
      <section>
        <h2>${words.orders}</h2>
        ${
          rows.length === 0
            ? html`<p>${words.noOrders} <a href="/">${words.see}</a></p>`
            : html`<ul class="orders">
                ${rows}
              </ul>`
        }
      </section>
    </div>`,
  )
}

/** A sentence for a buyer; `bad` is one of something that did not work. */
export type Note = { readonly kind: 'good' | 'bad'; readonly text: string } | null

/** Something is not as it should be: what, and what to do. */
export function plainPage(looking: Looking, what: 'missing' | 'failed' | 'foreign'): string {
  const words = texts[looking.language]
  const says = { missing: words.missingSays, failed: words.failedSays, foreign: words.foreignSays }[what]
  const body = html`<div class="narrow">
    <h1>${words[what]}</h1>
    <p>${says}</p>
    <p><a href="/">${words.see}</a></p>
  </div>`
  return page(looking, words[what], body)
}

/** The one page with a card form. Its words go to checkout.js as attributes. */
function checkout({ language, buyer, place }: Looking, order: Order, words: Texts): Markup {
  const total = tellMoney(order.amountTiyin, language)
  const kept =
    buyer.card === null
      ? null
      : html`<form method="post" action="/orders/${order.id}/pay" class="kept" data-sending="${words.paying}">
            <button>${fill(words.paysWith, total, buyer.card.number)}</button>
          </form>
          <p class="or">${words.other}</p>`
  return html`<h1>${words.yourCard}</h1>
    <p class="sum"><span>${words.sum}</span> <strong>${total}</strong></p>
    ${order.reason === null ? null : notice({ kind: 'bad', text: tellReason(words, order.reason) })} ${kept}
    <div
      id="card"
      data-order="${order.id}"
      data-merchant="${place.merchantId}"
      data-form-origin="${place.formOrigin}"
      data-locale="${language}"
      data-no-form="${words.noForm}"
      data-again="${words.again}"
      data-sending="${words.sending}"
      data-unsent="${words.unsent}"
      data-try-again="${words.tryAgain}"
      data-reload="${words.reload}"
    ></div>
    <p id="told" class="notice" role="status">${words.loading}</p>
    <noscript><p class="notice bad">${words.noScript}</p></noscript>
    <script defer src="${place.sdkUrl}" integrity="${place.sdkIntegrity}" crossorigin="anonymous"></script>
    <script defer src="/checkout.js"></script>`
}

function waiting(_looking: Looking, order: Order, words: Texts): Markup {
  return html`<h1>${words.paying}</h1>
    <p class="notice" id="paying" data-order="${order.id}">${words.payingSays}</p>
    <p><a href="/orders/${order.id}">${words.reload}</a></p>
    <script defer src="/checkout.js"></script>`
}

function paid(looking: Looking, order: Order, words: Texts): Markup {
  const by = order.paidBy === null ? null : html`<p class="card">${fill(words.paidBy, order.paidBy)}</p>`
  return html`<h1 class="good">${words.paid}</h1>
    <p class="sum"><span>${words.title}</span> <strong>${tellMoney(order.amountTiyin, looking.language)}</strong></p>
    ${by}
    <p>${words.paidSays}</p>
    ${order.plan === 'monthly' ? html`<p>${nextBox(looking, words)}</p>` : null}
    <p><a href="/mine">${words.mine}</a></p>`
}

function returned({ language }: Looking, order: Order, words: Texts): Markup {
  return html`<h1>${words.returned}</h1>
    <p>${fill(words.returnedSays, tellMoney(order.amountTiyin, language))}</p>
    <p><a href="/">${words.see}</a></p>`
}

function nextBox({ buyer: { card, nextBoxAt }, language }: Looking, words: Texts): string {
  if (card === null) return words.noNext
  if (nextBoxAt === null) return words.noNextRemoved
  return fill(words.next, tellDay(nextBoxAt, language), tellMoney(boxTiyin, language), card.number)
}

function choice(plan: Order['plan'], name: string, says: string): Markup {
  return html`<label class="choice"
    ><input type="radio" name="plan" value="${plan}" ${plan === 'once' ? html`checked` : null} /><span
      ><strong>${name}</strong><small>${says}</small></span
    ></label
  >`
}

function notice(note: NonNullable<Note>): Markup {
  return html`<p class="notice ${note.kind}" role="${note.kind === 'bad' ? 'alert' : 'status'}">${note.text}</p>`
}

function shortName({ id }: Order): string {
  return id.slice(-6).toUpperCase()
}

function page({ language, path, place }: Looking, title: string, body: Markup): string {
  const words = texts[language]
  const languages = (['uz', 'ru', 'en'] as const).map((each) =>
    each === language ? html`<strong>${each}</strong>` : html`<a href="${path}?lang=${each}" hreflang="${each}" lang="${each}">${each}</a>`,
  )
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${words.shop}</title>
        <link rel="stylesheet" href="/shop.css" />
        <link rel="icon" href="/box.svg" />
      </head>
      <body>
        <header>
          <a class="name" href="/">${words.shop}</a>
          <nav><a href="/mine">${words.mine}</a><span class="languages">${languages}</span></nav>
        </header>
        <main>${body}</main>
        <footer><p>${fill(words.footer, place.providerName)}</p></footer>
      </body>
    </html>`.text
}
