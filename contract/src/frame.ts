import type { Language } from './profile.ts'

/**
 * The two sets of messages between a merchant's page and the form's frame. Both ends read every message here and drop what does not fit.
 * No message holds a digit that was typed, a length, an IIN, a key or a code. Written by hand, without a schema library: it is loaded by every buyer.
 */
export const frameProtocol = 1

/** What the page says first and once, beside the port that everything else goes over. `id` is 128 bits in hex, and the fragment of the frame's address. */
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
  readonly theme?: Readonly<Record<string, string>>
  /** `ask`: a box that the cardholder ticks for the card to be kept; `off`: the token pays once. */
  readonly save?: 'ask' | 'off'
  readonly layout?: FormLayout
  /** Whether the form shows its own button. */
  readonly button?: boolean
  /** Form session, as form.sessions.create gave it. */
  readonly session?: string
  readonly direction?: 'ltr' | 'rtl'
  /** Other words for labels; legal texts are not among them. */
  readonly labels?: Readonly<Record<string, string>>
}

export type FrameDeed = 'submit' | 'verify' | 'resend' | 'back' | 'clear' | 'focus'
export type ToFrame = { readonly type: 'configure'; readonly options: FrameOptions } | { readonly type: FrameDeed }

/** What went wrong, as a merchant's script may act on it. `code` is the wire's, or 0 where no reply came. */
export interface FormError {
  readonly code: number
  readonly reason: string
  readonly field: FormField | null
  readonly retryable: boolean
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
  if (type === 'configure') return isRecord(options) ? { type, options: readOptions(options) } : null
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
  if (type === 'error') return isRecord(value['error']) ? (value as FromFrame) : null
  return type === 'token' && isText(value['token'], 128) && isRecord(value['card']) ? (value as FromFrame) : null
}

function readOptions(given: Readonly<Record<string, unknown>>): FrameOptions {
  const { session, button } = given
  const read = {
    locale: oneOf(languages, given['locale']),
    theme: readTexts(given['theme'], 100),
    save: oneOf(['ask', 'off'] as const, given['save']),
    layout: oneOf(layouts, given['layout']),
    button: typeof button === 'boolean' ? button : undefined,
    session: isText(session, 128) ? session : undefined,
    direction: oneOf(['ltr', 'rtl'] as const, given['direction']),
    labels: readTexts(given['labels'], 60),
  }
  return Object.fromEntries(Object.entries(read).filter(([, kept]) => kept !== undefined))
}

function readTexts(value: unknown, charactersMax: number): Record<string, string> | undefined {
  if (!isRecord(value)) return undefined
  const kept = Object.entries(value).filter((entry): entry is [string, string] => isText(entry[1], charactersMax))
  return Object.fromEntries(kept.slice(0, textsMax))
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
const textsMax = 40
const heightMax = 5000
const waitMsMax = 86_400_000
