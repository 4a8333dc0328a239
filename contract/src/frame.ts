import type { ContrastProblem } from './appearance-contrast.ts'
import type { Appearance } from './appearance.ts'
import type { Language } from './profile.ts'
import type { CardNetwork } from './route.ts'
import type { Theme } from './theme.ts'

/**
 * The messages between a merchant's page and the form's frame. Both ends validate every message with these functions and ignore invalid ones.
 * No message contains a typed digit, a length, an IIN, a key or a code; the brand is known to the page from the fourth digit on. Written without
 * a schema library, because every buyer loads it.
 */
export const frameProtocol = 1

/**
 * The first message of the page, sent once together with the port for everything else. `id` is 128 bits in hex, and the fragment of the frame's
 * address. The hello of the SDK is a `configure` as well, because a message over the port would arrive a task later. The frame sends the same `id`,
 * without a port and to the page's exact origin, as soon as its script runs, to announce that it is ready for the hello.
 */
export interface Hello {
  readonly tessera: typeof frameProtocol
  readonly id: string
}

export type FormStep = 'card' | 'code' | 'done'
export type FormField = 'number' | 'expiry' | 'code' | 'consent'
/** The payment system that issued the card, by the first digits of its number. */
export type CardBrand = Exclude<CardNetwork, 'test'>
export type FormLayout = 'stacked' | 'row' | 'compact'

/** Options of the form. All are optional. */
export interface FrameOptions {
  readonly locale?: Language
  readonly appearance?: Appearance
  /** The variables of `appearance` in their former spelling: one flat object, with `scheme` and `dark`. */
  readonly theme?: Theme
  /** `ask`: shows a checkbox for consent to store the card. `off`: the token is for one payment. */
  readonly save?: 'ask' | 'off'
  readonly layout?: FormLayout
  /** Whether the form shows its own button. */
  readonly button?: boolean
  /** Whether the code is sent as soon as it is complete. `true` by default; letters that are typed need the button. */
  readonly autoConfirm?: boolean
  /** A form session, as returned by form.sessions.create. */
  readonly session?: string
  readonly direction?: 'ltr' | 'rtl'
  /** The page's own labels. Legal texts cannot be replaced. */
  readonly labels?: Readonly<Partial<Record<FormLabel, string>>>
}

/** The labels that a page may replace. No legal text is among them. */
export type FormLabel = (typeof formLabels)[number]
export const formLabels = ['number', 'expiry', 'submit', 'code', 'verify', 'resend', 'back', 'done'] as const

/** `moved`: the page scrolls or is being touched, so that the frame puts off what would cost a tap. */
export type FrameAction = 'submit' | 'verify' | 'resend' | 'back' | 'clear' | 'focus' | 'moved'
/**
 * `refused` lists invalid options, which were ignored. Appearance and labels are validated where they are used. `page`: the color of the page's
 * text where the form stands, and the backgrounds around it, from the inside out, as CSS writes them.
 */
export type ToFrame =
  | {
      readonly type: 'configure'
      readonly options: FrameOptions
      readonly page?: readonly string[] | undefined
      readonly refused?: readonly string[]
    }
  | { readonly type: FrameAction }

/** An error for the merchant's script. `code` is the service's error code, or 0 when there was no response. */
export interface FormError {
  readonly code: number
  readonly reason: string
  readonly field: FormField | null
  readonly retryable: boolean
  readonly message: string
  /** For `option_refused`: the option, such as `theme.accent`. */
  readonly option?: string
}

/**
 * Two colors of the appearance that do not have the contrast of WCAG 2.2 AA, and a color that would. The form shows them as requested, unless nobody
 * could see the text.
 */
export interface FormWarning extends ContrastProblem {
  readonly reason: 'theme_contrast'
  /** The scheme of the two colors. Both schemes are measured, whichever the device shows. */
  readonly scheme: 'light' | 'dark'
  readonly message: string
}

/** A card from a response of the service, with its number masked. */
export interface FormCard {
  readonly number: string
  readonly expire: string
  readonly recurrent: boolean
  readonly verify: boolean
  readonly type: string
}

export type FromFrame =
  | { readonly type: 'ready' }
  /** Not an event: the last `submit` or `verify` of the page has no other outcome, because the form was at work with something else. */
  | { readonly type: 'ignored' }
  | {
      readonly type: 'change'
      /** Of the card in the form. Null while there are fewer than four digits, for a number of another payment system, and after the step `card`. */
      readonly brand?: CardBrand | null
      readonly complete: boolean
      readonly empty: boolean
      readonly errors: Readonly<Partial<Record<FormField, string>>>
    }
  | { readonly type: 'step'; readonly step: FormStep }
  /** Whether a call to the service is running, during which the fields are locked. */
  | { readonly type: 'busy'; readonly busy: boolean }
  | { readonly type: 'focus' | 'blur'; readonly field: FormField }
  | { readonly type: 'size'; readonly height: number }
  | { readonly type: 'token'; readonly token: string; readonly card: FormCard }
  | { readonly type: 'error'; readonly error: FormError }
  | { readonly type: 'warning'; readonly warning: FormWarning }
  | { readonly type: 'wait'; readonly ms: number }
  /** The id of a saved card of the session: the cardholder picked it, or asks to remove it. */
  | { readonly type: 'pick' | 'remove'; readonly id: string }
  /** Whether the cardholder can see who takes the card. `unverified`: the browser cannot tell. */
  | { readonly type: 'seen'; readonly state: 'visible' | 'hidden' | 'unverified' }

/** Parses a hello of this protocol; null for anything else. */
export function readHello(value: unknown): Hello | null {
  return isRecord(value) && value['tessera'] === frameProtocol && isId(value['id']) ? { tessera: frameProtocol, id: value['id'] } : null
}

/** Whether the frame with this id announces that it is ready for the hello. */
export function isHelloOf(id: string, value: unknown): boolean {
  const hello = value as Hello | null | undefined
  return hello?.tessera === frameProtocol && hello.id === id
}

/** Parses a message of the page; null for anything else. Invalid options are left out one by one. */
export function readToFrame(value: unknown): ToFrame | null {
  if (!isRecord(value)) return null
  const { type, options } = value
  if (type === 'configure') return isRecord(options) ? readOptions(options, value['page']) : null
  const action = oneOf(actions, type)
  return action === undefined ? null : { type: action }
}

/** Whether this is a message of the frame. The types of its members are checked, so that a page gets no value of another type. */
export function isFromFrame(value: unknown): value is FromFrame {
  const message = value as (Readonly<Record<string, unknown>> & Pick<FromFrame, 'type'>) | null | undefined
  return (
    !!message &&
    Object.hasOwn(frameMembers, message.type) &&
    Object.entries(frameMembers[message.type]).every(([name, kind]) => typeof (message[name] ?? undefined) === kind)
  )
}

/** The members of each message of the frame, with their types. */
export const frameMembers: Readonly<Record<FromFrame['type'], Readonly<Record<string, 'string' | 'number' | 'boolean' | 'object'>>>> = {
  ready: {},
  ignored: {},
  change: { errors: 'object' },
  step: { step: 'string' },
  size: { height: 'number' },
  busy: { busy: 'boolean' },
  focus: { field: 'string' },
  blur: { field: 'string' },
  pick: { id: 'string' },
  remove: { id: 'string' },
  token: { token: 'string', card: 'object' },
  error: { error: 'object' },
  warning: { warning: 'object' },
  wait: { ms: 'number' },
  seen: { state: 'string' },
}

function readOptions(input: Readonly<Record<string, unknown>>, page: unknown): ToFrame {
  const { session, button, autoConfirm, appearance, theme, labels } = input
  const read: Record<keyof FrameOptions, unknown> = {
    locale: oneOf(languages, input['locale']),
    appearance: isRecord(appearance) ? appearance : undefined,
    theme: isRecord(theme) ? theme : undefined,
    save: oneOf(['ask', 'off'], input['save']),
    layout: oneOf(layouts, input['layout']),
    button: typeof button === 'boolean' ? button : undefined,
    autoConfirm: typeof autoConfirm === 'boolean' ? autoConfirm : undefined,
    session: isText(session, 128) ? session : undefined,
    direction: oneOf(['ltr', 'rtl'], input['direction']),
    labels: isRecord(labels) ? labels : undefined,
  }
  const names = Object.keys(read) as (keyof FrameOptions)[]
  const options = Object.fromEntries(names.flatMap((name) => (read[name] === undefined ? [] : [[name, read[name]]])))
  return {
    type: 'configure',
    options,
    page: Array.isArray(page) ? page.slice(0, maxPageColors).filter((color) => isText(color, 100)) : undefined,
    refused: names.filter((name) => input[name] !== undefined && read[name] === undefined),
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/.test(value)
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength
}

function oneOf<const T extends string>(values: readonly T[], value: unknown): T | undefined {
  return values.find((allowed) => allowed === value)
}

const maxPageColors = 100
const actions = ['submit', 'verify', 'resend', 'back', 'clear', 'focus', 'moved'] as const
const layouts = ['stacked', 'row', 'compact'] as const
const languages = ['uz', 'ru', 'en'] as const
