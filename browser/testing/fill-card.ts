/** What is entered into the form. Use cards of the test environment only: docs/guides/testing.md lists all seven. */
export interface CardEntry {
  readonly number: string
  /** `0399` or `03/99`. */
  readonly expire: string
  /** The SMS code. Null stops when the form asks for it. Default `666666`, the code of every test card. */
  readonly code?: string | null
  /** Ticks or unticks the consent checkbox. Absent: leaves it as it is. */
  readonly save?: boolean
  /** Presses your own button, when the form shows none (`button: false`). */
  readonly submit?: () => Promise<unknown>
  readonly verify?: () => Promise<unknown>
  /** A selector of the iframe, when the page has more than one form. */
  readonly frame?: string
  /** How long each step may take, milliseconds. Default 30,000: one of the test cards takes ten seconds. */
  readonly timeoutMs?: number
}

/**
 * The outcome. `code`: the form asks for the code. `done`: the card is confirmed and your page has its token. Otherwise the form's error
 * message, in the cardholder's language, and its field; null when the message belongs to the whole form.
 */
export type FilledCard =
  | { readonly ok: true; readonly step: 'code' | 'done' }
  | { readonly ok: false; readonly step: 'card' | 'code'; readonly field: 'number' | 'expiry' | 'code' | null; readonly message: string }

/** The part of Playwright's Page that is used here, so that neither playwright nor playwright-core is imported. */
export interface FormPage {
  locator(selector: string): FormLocator
  frameLocator(selector: string): { locator(selector: string): FormLocator }
}

export interface FormLocator {
  first(): FormLocator
  fill(text: string, options?: Timeout): Promise<unknown>
  click(options?: Timeout): Promise<unknown>
  setChecked(isChecked: boolean, options?: Timeout): Promise<unknown>
  waitFor(options?: Timeout & { readonly state?: 'visible' | 'attached' | 'detached' }): Promise<unknown>
  evaluateAll(action: (elements: { textContent: string | null }[]) => void): Promise<unknown>
  getAttribute(name: string, options?: Timeout): Promise<string | null>
  textContent(options?: Timeout): Promise<string | null>
  isVisible(): Promise<boolean>
}

type Timeout = { readonly timeout?: number }

/**
 * Fills in the form inside its iframe as a cardholder does, and presses its buttons. Returns an error that the form shows; throws when there
 * is no form, or no outcome in time. Your page may navigate, or show another form, as soon as it has the token.
 */
export async function fillCard(page: FormPage, entry: CardEntry): Promise<FilledCard> {
  const { timeoutMs = defaultTimeoutMs, frame = frameSelector, code = testCode } = entry
  const wait = { timeout: timeoutMs }
  const form = page.frameLocator(frame)
  // The button is enabled when the form has received its options. A form without a visible button has a hidden one.
  await form.locator(`${selectors.complete} ${selectors.submit}:enabled`).waitFor({ state: 'attached', ...wait })
  if (await form.locator(selectors.addCard).isVisible()) await form.locator(selectors.addCard).click(wait)
  await form.locator(selectors.number).fill(entry.number, wait)
  const address = await page.locator(frame).getAttribute('src', wait)
  await form.locator(selectors.expiry).fill(entry.expire, wait)
  if (entry.save !== undefined) await tick(form.locator(selectors.consent), entry.save, wait)
  await press(form, { own: entry.submit, button: selectors.submit, wait })
  await form.locator(`${selectors.code}, ${selectors.fault}`).first().waitFor(wait)
  if (!(await form.locator(selectors.code).isVisible())) return readFault(form.locator(selectors.fault).first(), 'card', wait)
  if (code === null) return { ok: true, step: 'code' }

  await clearFaults(form)
  await form.locator(selectors.code).fill(code, wait)
  // Digits confirm themselves, unless the form was created with autoConfirm: false. Then there may be nothing to press any more.
  const pressed = entry.verify === undefined ? form.locator(selectors.verify).click(wait) : entry.verify()
  void pressed.catch(() => undefined)
  const outcome = form.locator(`${selectors.done}, ${selectors.fault}`).first().waitFor(wait)
  // Every form has its own address, so this detects that the form is gone even when the page shows another one at once.
  const gone = page.locator(`iframe[src=${JSON.stringify(address)}]`).waitFor({ state: 'detached', ...wait })
  const isGone = await Promise.any([outcome.then(() => false), gone.then(() => true)])
  const fault = form.locator(selectors.fault).first()
  return !isGone && (await fault.isVisible()) ? readFault(fault, 'code', wait) : { ok: true, step: 'done' }
}

type FormFrame = ReturnType<FormPage['frameLocator']>

async function tick(box: FormLocator, isTicked: boolean, wait: Timeout): Promise<void> {
  if (!isTicked && !(await box.isVisible())) return
  // Playwright would wait for the checkbox until the timeout.
  if (!(await box.isVisible())) throw new Error("fillCard: the form has no consent checkbox: create it with save: 'ask'")
  await box.setChecked(isTicked, wait)
}

/** Earlier messages, so that a message read afterwards is new. */
function clearFaults(form: FormFrame): Promise<unknown> {
  return form.locator(selectors.fault).evaluateAll((faults) => {
    for (const fault of faults) fault.textContent = ''
  })
}

async function press(form: FormFrame, by: { own: (() => Promise<unknown>) | undefined; button: string; wait: Timeout }): Promise<void> {
  await clearFaults(form)
  await (by.own === undefined ? form.locator(by.button).click(by.wait) : by.own())
}

async function readFault(fault: FormLocator, step: 'card' | 'code', wait: Timeout): Promise<FilledCard> {
  const id = await fault.getAttribute('id', wait)
  const field = (['number', 'expiry', 'code'] as const).find((name) => id === `${name}-fault`) ?? null
  return { ok: false, step, field, message: (await fault.textContent(wait)) ?? '' }
}

/** Selectors of the form's elements. Tests use them on the real form. */
const selectors = {
  /** Not while the form looks whether its session offers saved cards. */
  complete: 'body:not(.waiting)',
  addCard: '.saved .add',
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
const defaultTimeoutMs = 30_000
