import { findCardFields, isTypedInto, type TypingBehavior } from '../fields/card-fields.ts'
import { digitsOf } from '../fields/field-groups.ts'
import { buildPromptOutline } from '../fields/script-fields.ts'
import { namesExpiry, normalizeText } from '../fields/words.ts'
import { noLocation } from '../finding.ts'

import { listTransferTraces } from './check-card-traces.ts'
import { optionToChoose } from './explore-page.ts'
import { isTextInput, type LiveElement, type LivePage } from './live-elements.ts'
import type { OutgoingTransfer, ProbedPage } from './probed-page.ts'
import { sandboxExpiry, sandboxPan } from './type-cards.ts'

/**
 * Types the card into inputs that ask for one, and into the others of the page what they ask for, so that a step is not held up by an empty
 * field. With `shouldSubmit` it presses Enter and the nearest button.
 */
export async function typeCard(probed: ProbedPage, page: LivePage, { shouldSubmit }: { shouldSubmit: boolean }): Promise<void> {
  const inputs = page.live.filter(({ element: { card }, isVisible }) => card !== null && isVisible).slice(0, maxCardInputs)
  await fillOthers(probed, page)
  const numbers = inputs.filter(({ element }) => element.card?.data === 'number')
  const expiries = inputs.filter(({ element }) => element.card?.data === 'expiry')
  for (const input of inputs) await typeValue(probed, input, cardValueOf(input, { numbers, expiries }))
  const last = numbers.at(-1) ?? inputs.at(-1)
  if (last === undefined || !shouldSubmit) return
  await probed.settle(quietMs)
  if (!isKeypad(last)) await pressEnter(probed, last)
  await probed.settle(quietMs)
  await probed.perform(last.frame, 'press', last.selector)
}

/** Fills the visible inputs that ask for something else, once, with a value of that kind. */
export async function fillOthers(probed: ProbedPage, { live }: LivePage): Promise<void> {
  const others = live.filter(({ element: { card }, isVisible }) => card === null && isVisible)
  for (const input of others.slice(0, maxOtherInputs)) {
    const { element, frame, selector } = input
    const type = (element.attributes['type'] ?? '').toLowerCase()
    if (element.tag === 'select' || (element.tag === 'input' && (isRequired(input, live) || isDate(type)))) await chooseValue(probed, input)
    else if (isTextInput(input) && (await probed.valueOf(frame, selector)) === '') await typeValue(probed, input, otherValueOf(input))
  }
}

/** Whether a page does not go on without the box: it says so, or the box is that of the terms. Of several radios one is enough. */
function isRequired({ element: { attributes, isChecked, text } }: LiveElement, live: readonly LiveElement[]): boolean {
  const isRequiredHere = attributes['required'] !== undefined && !isChecked
  if (attributes['type'] === 'checkbox') return isRequiredHere || (!isChecked && asksToAgree(text))
  const isSame = ({ element: other }: LiveElement): boolean =>
    other.attributes['type'] === 'radio' && other.attributes['name'] === attributes['name']
  return attributes['type'] === 'radio' && isRequiredHere && !live.filter(isSame).some(({ element: other }) => other.isChecked)
}

function asksToAgree(text: string): boolean {
  return /\b(agree|accept|terms|soglas\w*|prinima\w*|oferta|uslovi\w*|rozi\w*|shart\w*|qabul)\b/.test(normalizeText(text))
}

/** Presses Enter in an input, which sends it or leads on. */
export async function pressEnter({ page, perform }: ProbedPage, { frame, selector }: LiveElement): Promise<void> {
  if (await perform(frame, 'focus', selector)) await page.keyboard.press('Enter').catch(() => undefined)
}

/** Chooses in a list what pays by card, ticks a box, or gives a date. */
export async function chooseValue(probed: ProbedPage, { frame, selector, options }: LiveElement): Promise<boolean> {
  return probed.perform(frame, 'choose', selector, `${optionToChoose(options)}`)
}

/** What a person would answer to a question that asks for card data; null for any other question. */
export function promptAnswerOf(question: string): string | null {
  const [element] = findCardFields(buildPromptOutline([{ question, location: noLocation }]))
  if (element?.data === 'number') return sandboxPan
  return namesExpiry(normalizeText(question)) ? sandboxExpiry : null
}

/** Types the card into an input that asks for something else or for nothing, and observes what the page does with it. */
export async function probeInput(
  probed: ProbedPage,
  input: LiveElement,
): Promise<{ behavior: TypingBehavior; transfers: readonly OutgoingTransfer[] }> {
  const { activity, page } = probed
  const before = activity.transfers.length
  await replaceValue(probed, input, sandboxPan)
  await page.keyboard.press('Tab').catch(() => undefined)
  await probed.settle(observeMs)
  const transfers = activity.transfers.slice(before)
  const value = await probed.valueOf(input.frame, input.selector)
  await replaceValue(probed, input, otherValueOf(input))
  // Without it the input keeps the focus, and typing the same number again changes nothing for the page.
  await page.keyboard.press('Tab').catch(() => undefined)
  return {
    behavior: {
      isGrouped: /^\d{4}([ \u00a0-])\d{4}\1\d{4}\1\d{4}$/.test(value.trim()),
      isDisguised: isCardDisguised(transfers),
    },
    transfers,
  }
}

/** Whether the card left the page, and in no transfer as it was typed: reversed, encoded or in parts. */
export function isCardDisguised(transfers: readonly OutgoingTransfer[]): boolean {
  const traces = listTransferTraces(transfers, null).map(({ trace }) => trace)
  return traces.length > 0 && !traces.some((trace) => trace.startsWith('digits') && !trace.includes('parts'))
}

/** Types the number of the card into an input, whatever it asks for. */
export async function typeCardInto(probed: ProbedPage, input: LiveElement): Promise<void> {
  await replaceValue(probed, input, sandboxPan)
  await probed.page.keyboard.press('Tab').catch(() => undefined)
}

async function typeValue(probed: ProbedPage, input: LiveElement, value: string): Promise<void> {
  const { frame, selector, element } = input
  if (element.attributes['type'] === 'file') return
  if (isKeypad(input)) await probed.perform(frame, 'pressDigits', selector, value)
  else if (element.tag === 'select') await probed.perform(frame, 'choose', selector, `${optionOf(input, value)}`)
  else {
    await replaceValue(probed, input, value)
    await probed.page.keyboard.press('Tab')
  }
}

/** Real keys. The probe in the page sets the focus, because it reaches closed shadow roots too. */
async function replaceValue({ page, perform }: ProbedPage, { frame, selector }: LiveElement, value: string): Promise<void> {
  if (!(await perform(frame, 'focus', selector))) return
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(value)
}

function cardValueOf(
  input: LiveElement,
  { numbers, expiries }: { numbers: readonly LiveElement[]; expiries: readonly LiveElement[] },
): string {
  const { card, attributes } = input.element
  const length = Number(attributes['maxlength'] ?? 0)
  if (card?.data === 'number') return partOf(sandboxPan, numbers, input) ?? wholeCardOf(input, sandboxPan)
  if (card?.data === 'expiry') {
    if ((attributes['type'] ?? '') === 'month') return '2099-03'
    if (expiries.length < 2) return sandboxExpiry
    if (length === 1) return partOf(sandboxExpiry, expiries, input) ?? ''
    return expiries.indexOf(input) === 0 ? sandboxExpiry.slice(0, 2) : length === 2 ? sandboxExpiry.slice(2) : '2099'
  }
  if (card?.data === 'holder') return 'TEST CARD'
  return card?.data === 'code' ? '123' : '1234'
}

/** The digits of one box of a number in parts; null: the input takes all of it. */
function partOf(digits: string, boxes: readonly LiveElement[], input: LiveElement): string | null {
  const lengthOf = ({ element, options }: LiveElement): number => digitsOf({ ...element, code: options.join('\n') })
  if (lengthOf(input) === 0) return null
  const from = boxes.slice(0, boxes.indexOf(input)).reduce((sum, box) => sum + lengthOf(box), 0)
  return digits.slice(from, from + lengthOf(input))
}

/** The option that says the value, such as the month 03; or else the last one. */
function optionOf({ options }: LiveElement, value: string): number {
  const found = options.findIndex((option) => Number(/\d+/.exec(option)?.[0]) === Number(value))
  return found >= 0 ? found : options.length - 1
}

/** One input for everything gets the number and the expiry. */
function wholeCardOf({ element: { tag, attributes } }: LiveElement, pan: string): string {
  return tag === 'textarea' || Object.hasOwn(attributes, 'contenteditable') ? `${pan} ${sandboxExpiry}` : pan
}

function otherValueOf({ element: { attributes, tag }, caption }: LiveElement): string {
  const type = (attributes['type'] ?? 'text').toLowerCase()
  const hint = normalizeText([caption, ...['id', 'name', 'placeholder', 'aria-label'].map((name) => attributes[name] ?? '')].join(' '))
  if (type === 'email' || /mail|pocht/.test(hint)) return 'test@example.com'
  if (type === 'tel' || /phone|telefon|tel/.test(hint)) return '998901234567'
  if (type === 'number' || /summ|amount|miqdor/.test(hint)) return '10000'
  if (type === 'url') return 'https://example.com/'
  // A short input beside one for a number may be for the expiry, and the page may wait for both.
  const length = Number(attributes['maxlength'] ?? attributes['size'] ?? 0)
  if (type === 'text' && length > 0 && length <= 7) return sandboxExpiry
  return type === 'password' ? 'Test-1234' : tag === 'textarea' ? 'Test' : 'Test Test'
}

/** Digits are pressed on what takes neither text nor keys. */
function isKeypad({ element: { tag, attributes } }: LiveElement): boolean {
  return attributes['tabindex'] === undefined
    ? !isTypedInto({ tag, attributes })
    : /^(button|td)$/.test(tag) || attributes['role'] === 'button'
}

function isDate(type: string): boolean {
  return /^(date|datetime-local|month|time|week)$/.test(type)
}

const maxCardInputs = 20
const maxOtherInputs = 25
const observeMs = 3000
const quietMs = 1500
