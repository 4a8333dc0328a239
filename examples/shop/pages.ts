import { html, type Markup } from './html.ts'
import type { Buyer, ShopOrder } from './records.ts'
import { fill, formatShopDay, formatMoney, textForReason, texts, type ShopLanguage, type Texts } from './texts.ts'
import { boxTiyin, createOrderId } from './payments.ts'

/** Where the card form is loaded from, and for which merchant. */
export interface FormSource {
  readonly merchantId: string
  readonly formOrigin: string
  /** The SDK of one version, and its hash: the browser does not run a changed script (W3C Subresource Integrity). */
  readonly sdkUrl: string
  readonly sdkIntegrity: string
  readonly providerName: string
}

/** What a page depends on. */
export interface ShopPageContext {
  readonly language: ShopLanguage
  readonly path: string
  readonly buyer: Buyer
  readonly formSource: FormSource
}

export function productPage(context: ShopPageContext): string {
  const shopTexts = texts[context.language]
  const total = formatMoney(boxTiyin, context.language)
  const inside = [shopTexts.inside1, shopTexts.inside2, shopTexts.inside3, shopTexts.inside4]
  return page(
    context,
    shopTexts.title,
    html`<div class="product">
      <img src="/box.svg" width="480" height="480" alt="" />
      <div>
        <p class="over">${shopTexts.tagline}</p>
        <h1>${shopTexts.title}</h1>
        <p>${shopTexts.about}</p>
        <ul>
          ${inside.map((line) => html`<li>${line}</li>`)}
        </ul>
        <form method="post" action="/orders">
          <input type="hidden" name="key" value="${createOrderId()}" />
          ${choice('once', shopTexts.once, shopTexts.onceText)} ${choice('monthly', shopTexts.monthly, shopTexts.monthlyText)}
          <button>${fill(shopTexts.buy, total)}</button>
        </form>
        <p class="quiet">${shopTexts.delivery}</p>
      </div>
    </div>`,
  )
}

export function orderPage(context: ShopPageContext, order: ShopOrder): string {
  const shopTexts = texts[context.language]
  const head = html`<p class="over">${fill(shopTexts.order, shortName(order))}</p>`
  const body = { open: checkout, paying: waiting, paid, returned }[order.state](context, order, shopTexts)
  return page(context, fill(shopTexts.order, shortName(order)), html`<div class="narrow">${head}${body}</div>`)
}

export function myBoxesPage(
  context: ShopPageContext,
  orders: readonly ShopOrder[],
  { notice, isTestMode }: { notice: Notice; isTestMode: boolean },
): string {
  const { language, buyer } = context
  const shopTexts = texts[language]
  const states = { open: shopTexts.toPay, paying: shopTexts.isPaying, paid: shopTexts.isPaid, returned: shopTexts.isReturned }
  const rows = orders.map(
    (order) =>
      html`<li>
        <a href="/orders/${order.id}">${formatShopDay(order.placedAt, language)}</a><span>${formatMoney(order.amountTiyin, language)}</span
        ><span class="state ${order.state}">${states[order.state]}</span>
      </li>`,
  )
  const card =
    buyer.card === null
      ? html`<p>${shopTexts.noCard}</p>`
      : html`<p class="card">${buyer.card.number}</p>
          <p>${fill(shopTexts.savedCardText, buyer.card.number)}</p>
          <p>${nextBox(context, shopTexts)}</p>
          <form method="post" action="/card/remove"><button class="plain">${shopTexts.remove}</button></form>`
  const testMode =
    isTestMode && buyer.nextBoxAt !== null
      ? html`<section class="test-mode">
          <h2>${shopTexts.testMode}</h2>
          <p>${shopTexts.testModeText}</p>
          <form method="post" action="/month"><button class="plain">${shopTexts.advanceMonth}</button></form>
        </section>`
      : null
  return page(
    context,
    shopTexts.myBoxes,
    html`<div class="narrow">
      <h1>${shopTexts.myBoxes}</h1>
      ${notice === null ? null : renderNotice(notice)}
      <section>
        <h2>${shopTexts.savedCard}</h2>
        ${card}
      </section>
      ${testMode}
      <section>
        <h2>${shopTexts.orders}</h2>
        ${
          rows.length === 0
            ? html`<p>${shopTexts.noOrders} <a href="/">${shopTexts.toShop}</a></p>`
            : html`<ul class="orders">
                ${rows}
              </ul>`
        }
      </section>
    </div>`,
  )
}

/** A message to the buyer. `bad`: something did not work. */
export type Notice = { readonly kind: 'good' | 'bad'; readonly text: string } | null

/** An error page: what happened, and what to do. */
export function errorPage(context: ShopPageContext, error: 'missing' | 'failed' | 'foreign'): string {
  const shopTexts = texts[context.language]
  const text = { missing: shopTexts.missingText, failed: shopTexts.failedText, foreign: shopTexts.foreignText }[error]
  const body = html`<div class="narrow">
    <h1>${shopTexts[error]}</h1>
    <p>${text}</p>
    <p><a href="/">${shopTexts.toShop}</a></p>
  </div>`
  return page(context, shopTexts[error], body)
}

/** The only page with a card form. Its texts are passed to checkout.js as attributes. */
function checkout({ language, buyer, formSource }: ShopPageContext, order: ShopOrder, shopTexts: Texts): Markup {
  const total = formatMoney(order.amountTiyin, language)
  const savedCard =
    buyer.card === null
      ? null
      : html`<form method="post" action="/orders/${order.id}/pay" class="saved" data-sending="${shopTexts.paying}">
            <button>${fill(shopTexts.paysWith, total, buyer.card.number)}</button>
          </form>
          <p class="or">${shopTexts.otherCard}</p>`
  return html`<h1>${shopTexts.yourCard}</h1>
    <p class="sum"><span>${shopTexts.amount}</span> <strong>${total}</strong></p>
    ${order.reason === null ? null : renderNotice({ kind: 'bad', text: textForReason(shopTexts, order.reason) })} ${savedCard}
    <div
      id="card"
      data-order="${order.id}"
      data-merchant="${formSource.merchantId}"
      data-form-origin="${formSource.formOrigin}"
      data-locale="${language}"
      data-no-form="${shopTexts.noForm}"
      data-again="${shopTexts.again}"
      data-sending="${shopTexts.sending}"
      data-unsent="${shopTexts.unsent}"
      data-try-again="${shopTexts.tryAgain}"
      data-reload="${shopTexts.reload}"
    ></div>
    <p id="status" class="notice" role="status">${shopTexts.loading}</p>
    <noscript><p class="notice bad">${shopTexts.noScript}</p></noscript>
    <script defer src="${formSource.sdkUrl}" integrity="${formSource.sdkIntegrity}" crossorigin="anonymous"></script>
    <script defer src="/checkout.js"></script>`
}

function waiting(_context: ShopPageContext, order: ShopOrder, shopTexts: Texts): Markup {
  return html`<h1>${shopTexts.paying}</h1>
    <p class="notice" id="paying" data-order="${order.id}">${shopTexts.payingText}</p>
    <p><a href="/orders/${order.id}">${shopTexts.reload}</a></p>
    <script defer src="/checkout.js"></script>`
}

function paid(context: ShopPageContext, order: ShopOrder, shopTexts: Texts): Markup {
  const by = order.paidBy === null ? null : html`<p class="card">${fill(shopTexts.paidBy, order.paidBy)}</p>`
  return html`<h1 class="good">${shopTexts.paid}</h1>
    <p class="sum"><span>${shopTexts.title}</span> <strong>${formatMoney(order.amountTiyin, context.language)}</strong></p>
    ${by}
    <p>${shopTexts.paidText}</p>
    ${order.plan === 'monthly' ? html`<p>${nextBox(context, shopTexts)}</p>` : null}
    <p><a href="/mine">${shopTexts.myBoxes}</a></p>`
}

function returned({ language }: ShopPageContext, order: ShopOrder, shopTexts: Texts): Markup {
  return html`<h1>${shopTexts.returned}</h1>
    <p>${fill(shopTexts.returnedText, formatMoney(order.amountTiyin, language))}</p>
    <p><a href="/">${shopTexts.toShop}</a></p>`
}

function nextBox({ buyer: { card, nextBoxAt }, language }: ShopPageContext, shopTexts: Texts): string {
  if (card === null) return shopTexts.noNext
  if (nextBoxAt === null) return shopTexts.noNextRemoved
  return fill(shopTexts.next, formatShopDay(nextBoxAt, language), formatMoney(boxTiyin, language), card.number)
}

function choice(plan: ShopOrder['plan'], name: string, text: string): Markup {
  return html`<label class="choice"
    ><input type="radio" name="plan" value="${plan}" ${plan === 'once' ? html`checked` : null} /><span
      ><strong>${name}</strong><small>${text}</small></span
    ></label
  >`
}

function renderNotice(notice: NonNullable<Notice>): Markup {
  return html`<p class="notice ${notice.kind}" role="${notice.kind === 'bad' ? 'alert' : 'status'}">${notice.text}</p>`
}

function shortName({ id }: ShopOrder): string {
  return id.slice(-6).toUpperCase()
}

function page({ language, path, formSource }: ShopPageContext, title: string, body: Markup): string {
  const shopTexts = texts[language]
  const languages = (['uz', 'ru', 'en'] as const).map((each) =>
    each === language ? html`<strong>${each}</strong>` : html`<a href="${path}?lang=${each}" hreflang="${each}" lang="${each}">${each}</a>`,
  )
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${shopTexts.shop}</title>
        <link rel="stylesheet" href="/shop.css" />
        <link rel="icon" href="/box.svg" />
      </head>
      <body>
        <header>
          <a class="name" href="/">${shopTexts.shop}</a>
          <nav><a href="/mine">${shopTexts.myBoxes}</a><span class="languages">${languages}</span></nav>
        </header>
        <main>${body}</main>
        <footer><p>${fill(shopTexts.footer, formSource.providerName)}</p></footer>
      </body>
    </html>`.text
}
