/** What is typed into the form. Only cards of the test environment: docs/guides/testing.md has all seven. */
export interface CardEntry {
  readonly number: string
  /** `0399` or `03/99`. */
  readonly expire: string
  /** The code of the SMS; null stops where it is asked for. Default `666666`, which every test card takes. */
  readonly code?: string | null
  /** Ticks the box with which the cardholder agrees that the card is kept, or leaves it; absent: as it is. */
  readonly save?: boolean
  /** Presses your own button, where the form shows none (`button: false`). */
  readonly submit?: () => Promise<unknown>
  readonly verify?: () => Promise<unknown>
  /** The iframe, when the page holds more than one form. */
  readonly frame?: string
  /** How long an answer may take, milliseconds. Default 30,000: one of the test cards takes ten seconds. */
  readonly waitMsMax?: number
}

/**
 * How far it came. `code`: the form asks for the code. `done`: the card is confirmed and your page has its token. Otherwise what the form says,
 * in the cardholder's language, and at which field; null where it is said of the whole.
 */
export type FilledCard =
  | { readonly ok: true; readonly step: 'code' | 'done' }
  | { readonly ok: false; readonly step: 'card' | 'code'; readonly field: 'number' | 'expiry' | 'code' | null; readonly said: string }

/** Of playwright's Page, or playwright-core's, what is needed: this file imports neither. */
export interface FormPage {
  locator(selector: string): FormLocator
  frameLocator(selector: string): { locator(selector: string): FormLocator }
}

export interface FormLocator {
  first(): FormLocator
  fill(text: string, options?: Waiting): Promise<unknown>
  click(options?: Waiting): Promise<unknown>
  setChecked(isChecked: boolean, options?: Waiting): Promise<unknown>
  waitFor(options?: Waiting & { readonly state?: 'visible' | 'attached' | 'detached' }): Promise<unknown>
  evaluateAll(deed: (elements: { textContent: string | null }[]) => void): Promise<unknown>
  getAttribute(name: string, options?: Waiting): Promise<string | null>
  textContent(options?: Waiting): Promise<string | null>
  isVisible(): Promise<boolean>
}

type Waiting = { readonly timeout?: number }

/**
 * Fills our form inside its iframe as a cardholder does, and presses its buttons. Throws when there is no form, or none of the outcomes came in
 * time; a refusal is no throw, it is returned. Ends well too when your page goes elsewhere as soon as it has the token, to a page with another form too.
 */
export async function fillCard(page: FormPage, entry: CardEntry): Promise<FilledCard> {
  const { waitMsMax = waitMsDefault, frame = frameSelector, code = testCode } = entry
  const wait = { timeout: waitMsMax }
  const form = page.frameLocator(frame)
  await form.locator(places.number).fill(entry.number, wait)
  const address = await page.locator(frame).getAttribute('src', wait)
  await form.locator(places.expiry).fill(entry.expire, wait)
  // Enabled as soon as the page has told the form what it wants; a form without a button has one too, out of sight.
  await form.locator(`${places.submit}:enabled`).waitFor({ state: 'attached', ...wait })
  if (entry.save !== undefined) await tick(form.locator(places.consent), entry.save, wait)
  await press(form, { own: entry.submit, button: places.submit, wait })
  await form.locator(`${places.code}, ${places.fault}`).first().waitFor(wait)
  if (!(await form.locator(places.code).isVisible())) return readFault(form.locator(places.fault).first(), 'card', wait)
  if (code === null) return { ok: true, step: 'code' }

  await form.locator(places.code).fill(code, wait)
  await press(form, { own: entry.verify, button: places.verify, wait })
  const end = form.locator(`${places.done}, ${places.fault}`).first().waitFor(wait)
  // Each form has an address of its own: a page that shows another form at once has left this one all the same.
  const gone = page.locator(`iframe[src=${JSON.stringify(address)}]`).waitFor({ state: 'detached', ...wait })
  const isGone = await Promise.any([end.then(() => false), gone.then(() => true)])
  const fault = form.locator(places.fault).first()
  return !isGone && (await fault.isVisible()) ? readFault(fault, 'code', wait) : { ok: true, step: 'done' }
}

type Form = ReturnType<FormPage['frameLocator']>

async function tick(box: FormLocator, isTicked: boolean, wait: Waiting): Promise<void> {
  if (!isTicked && !(await box.isVisible())) return
  // Playwright would wait in silence for a box that never comes.
  if (!(await box.isVisible())) throw new Error("fillCard: the form shows no box for keeping the card: make it with save: 'ask'")
  await box.setChecked(isTicked, wait)
}

/** What was said before is wiped first, so that what is read afterwards is new. */
async function press(form: Form, by: { own: (() => Promise<unknown>) | undefined; button: string; wait: Waiting }): Promise<void> {
  await form.locator(places.fault).evaluateAll((faults) => {
    for (const fault of faults) fault.textContent = ''
  })
  await (by.own === undefined ? form.locator(by.button).click(by.wait) : by.own())
}

async function readFault(fault: FormLocator, step: 'card' | 'code', wait: Waiting): Promise<FilledCard> {
  const id = await fault.getAttribute('id', wait)
  const field = (['number', 'expiry', 'code'] as const).find((name) => id === `${name}-fault`) ?? null
  return { ok: false, step, field, said: (await fault.textContent(wait)) ?? '' }
}

/** Where things are in the form. A test drives the real one by these. */
const places = {
  number: '#number',
  expiry: '#expiry',
  consent: '.consent input:visible',
  submit: 'form.card button.main',
  code: '#code:visible',
  verify: 'form.code button.main',
  done: '.done h2:visible',
  fault: '.fault:not(:empty):visible',
} as const
const frameSelector = 'iframe[src*="/form/v1?"]'
const testCode = '666666'
const waitMsDefault = 30_000
