import type { Pale } from './contrast.ts'
import type { Language } from './profile.ts'
import type { Theme } from './theme.ts'

/**
 * The two sets of messages between a merchant's page and the form's frame. Both ends read every message here and drop what does not fit.
 * No message holds a digit that was typed, a length, an IIN, a key or a code. Written by hand, without a schema library: it is loaded by every buyer.
 */
export const frameProtocol = 1

/**
 * What the page says first and once, beside the port that everything else goes over. `id` is 128 bits in hex, and the fragment of the frame's address.
 * The frame says the same, without a port and to the page's exact origin, as soon as its script runs: it is there to be greeted, and nothing else.
 */
export interface Hello {
  readonly tessera: typeof frameProtocol
  readonly id: string
}

export type FormStep = 'card' | 'code' | 'done'
export type FormField = 'number' | 'expiry' | 'code' | 'consent'
export type FormLayout = 'stacked' | 'row' | 'compact'

/** How the form looks and what it asks; everything may be left out. */
export interface FrameOptions {
  readonly locale?: Language
  readonly theme?: Theme
  /** `ask`: a box that the cardholder ticks for the card to be kept; `off`: the token pays once. */
  readonly save?: 'ask' | 'off'
  readonly layout?: FormLayout
  /** Whether the form shows its own button. */
  readonly button?: boolean
  /** Form session, as form.sessions.create gave it. */
  readonly session?: string
  readonly direction?: 'ltr' | 'rtl'
  /** Other words for labels; legal texts are not among them. */
  readonly labels?: Readonly<Partial<Record<FormLabel, string>>>
}

/** What a page may word in its own way; no text of the law is among them. */
export type FormLabel = (typeof formLabels)[number]
export const formLabels = ['number', 'expiry', 'submit', 'code', 'verify', 'resend', 'back', 'done'] as const

export type FrameDeed = 'submit' | 'verify' | 'resend' | 'back' | 'clear' | 'focus'
/** `refused` names the options that did not fit and were left out; theme and labels are read one by one where they are used. */
export type ToFrame =
  { readonly type: 'configure'; readonly options: FrameOptions; readonly refused?: readonly string[] } | { readonly type: FrameDeed }

/** What went wrong, as a merchant's script may act on it. `code` is the wire's, or 0 where no reply came. */
export interface FormError {
  readonly code: number
  readonly reason: string
  readonly field: FormField | null
  readonly retryable: boolean
  readonly message: string
  /** Of `option_refused`: which one, as `theme.accent`. */
  readonly option?: string
}

/** A theme that WCAG 2.2 AA would not pass: the form shows it as asked, and this tells what is too near to what, and what would do. */
export interface FormWarning extends Pale {
  readonly reason: 'theme_contrast'
  /** In which the two are seen; of a theme for both, each is measured, whichever the cardholder's device shows. */
  readonly scheme: 'light' | 'dark'
  readonly message: string
}

/** A card as the service told of it, masked. */
export interface FormCard {
  readonly number: string
  readonly expire: string
  readonly recurrent: boolean
  readonly verify: boolean
  readonly type: string
}

export type FromFrame =
  | { readonly type: 'ready' }
  | {
      readonly type: 'change'
      readonly complete: boolean
      readonly empty: boolean
      readonly errors: Readonly<Partial<Record<FormField, string>>>
    }
  | { readonly type: 'step'; readonly step: FormStep }
  | { readonly type: 'size'; readonly height: number }
  | { readonly type: 'token'; readonly token: string; readonly card: FormCard }
  | { readonly type: 'error'; readonly error: FormError }
  | { readonly type: 'warning'; readonly warning: FormWarning }
  | { readonly type: 'wait'; readonly ms: number }
  /** Whether the cardholder can see who takes the card; `unverified` where a browser cannot tell. */
  | { readonly type: 'seen'; readonly state: 'visible' | 'hidden' | 'unverified' }

/** Null for anything but a hello of this protocol. */
export function readHello(value: unknown): Hello | null {
  return isRecord(value) && value['tessera'] === frameProtocol && isId(value['id']) ? { tessera: frameProtocol, id: value['id'] } : null
}

/** Null for anything that a page cannot say. Options that do not fit are left out, one by one. */
export function readToFrame(value: unknown): ToFrame | null {
  if (!isRecord(value)) return null
  const { type, options } = value
  if (type === 'configure') return isRecord(options) ? readOptions(options) : null
  const deed = oneOf(deeds, type)
  return deed === undefined ? null : { type: deed }
}

/** Null for anything that a frame cannot say. */
export function readFromFrame(value: unknown): FromFrame | null {
  if (!isRecord(value)) return null
  const { type } = value
  if (type === 'ready') return { type }
  if (type === 'change') return isRecord(value['errors']) ? (value as FromFrame) : null
  if (type === 'step') return oneOf(steps, value['step']) === undefined ? null : (value as FromFrame)
  if (type === 'size') return isCount(value['height'], heightMax) ? (value as FromFrame) : null
  if (type === 'wait') return isCount(value['ms'], waitMsMax) ? (value as FromFrame) : null
  if (type === 'seen') return oneOf(seenStates, value['state']) === undefined ? null : (value as FromFrame)
  if (type === 'error' || type === 'warning') return isRecord(value[type]) ? (value as FromFrame) : null
  return type === 'token' && isText(value['token'], 128) && isRecord(value['card']) ? (value as FromFrame) : null
}

function readOptions(given: Readonly<Record<string, unknown>>): ToFrame {
  const { session, button, theme, labels } = given
  const read: Record<keyof FrameOptions, unknown> = {
    locale: oneOf(languages, given['locale']),
    theme: isRecord(theme) ? theme : undefined,
    save: oneOf(['ask', 'off'], given['save']),
    layout: oneOf(layouts, given['layout']),
    button: typeof button === 'boolean' ? button : undefined,
    session: isText(session, 128) ? session : undefined,
    direction: oneOf(['ltr', 'rtl'], given['direction']),
    labels: isRecord(labels) ? labels : undefined,
  }
  const names = Object.keys(read) as (keyof FrameOptions)[]
  const options = Object.fromEntries(names.flatMap((name) => (read[name] === undefined ? [] : [[name, read[name]]])))
  return { type: 'configure', options, refused: names.filter((name) => given[name] !== undefined && read[name] === undefined) }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/.test(value)
}

function isText(value: unknown, charactersMax: number): value is string {
  return typeof value === 'string' && value.length <= charactersMax
}

function isCount(value: unknown, countMax: number): boolean {
  return typeof value === 'number' && value >= 0 && value <= countMax
}

function oneOf<const T extends string>(words: readonly T[], value: unknown): T | undefined {
  return words.find((word) => word === value)
}

const deeds = ['submit', 'verify', 'resend', 'back', 'clear', 'focus'] as const
const steps = ['card', 'code', 'done'] as const
const layouts = ['stacked', 'row', 'compact'] as const
const languages = ['uz', 'ru', 'en'] as const
const seenStates = ['visible', 'hidden', 'unverified'] as const
const heightMax = 5000
const waitMsMax = 86_400_000
