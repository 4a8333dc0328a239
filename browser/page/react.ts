import * as React from 'react'

import { FramedCardForm, type CardForm } from './card-form.ts'
import { eventNames } from './card-form-events.ts'
import { CardFormMisuse, readLocale } from './card-form-options.ts'
import type { CardFormEvents, CardFormOptions, CardFormUpdate } from './card-form-types.ts'
import type { TesseraCard, TesseraCardEvents } from './element.ts'

/**
 * The form as a React component, for React 18 or later. The form is created in an effect: a server renders an empty element, and the second
 * mount of StrictMode creates a new form. While `merchant` is not a merchant id, or the origin of the form is unknown, the component shows an
 * error in place of the form and calls `onError`. It does not throw.
 */
export function TesseraCardForm(props: CardFormProps): React.ReactElement {
  const element = React.useRef<HTMLDivElement | null>(null)
  const form = React.useRef<FramedCardForm | null>(null)
  const latestProps = React.useRef(props)
  const [isMisused, setMisused] = React.useState(false)
  React.useEffect(() => {
    latestProps.current = props
  })
  React.useEffect(() => {
    if (element.current === null) return undefined
    const cardForm = createForm(latestProps.current)
    setMisused(cardForm === null)
    if (cardForm === null) return undefined
    for (const name of eventNames) cardForm.on(name, (value) => notify(latestProps.current, name, value))
    form.current = cardForm.mount(element.current)
    latestProps.current.formRef?.(cardForm)
    return () => {
      latestProps.current.formRef?.(null)
      cardForm.unmount()
      form.current = null
    }
  }, [props.merchant, props.formOrigin])
  const options = optionsOf(props)
  React.useEffect(() => form.current?.assign(optionsOf(latestProps.current)), [JSON.stringify(options)])
  const { id, className, style } = props
  const message = isMisused ? React.createElement('p', { role: 'alert' }, unavailableText(props)) : null
  return React.createElement('div', { ref: element, id, className, style }, message)
}

/**
 * Options of the form, a listener for each event, and `id`, `className` and `style` of the element around the form. `formRef` receives the form
 * when it is mounted, and null when it is removed.
 */
export interface CardFormProps extends Omit<CardFormOptions, 'merchant'>, CardFormListeners {
  /** Undefined while your page does not know it yet. */
  readonly merchant: string | undefined
  readonly formRef?: ((form: CardForm | null) => void) | undefined
  readonly id?: string | undefined
  readonly className?: string | undefined
  readonly style?: React.CSSProperties | undefined
}

export type CardFormListeners = {
  readonly [E in keyof CardFormEvents as `on${Capitalize<E>}`]?: ((value: CardFormEvents[E]) => void) | undefined
}

/**
 * `<tessera-card>` in JSX. React 19 sets `appearance`, `theme` and `labels` as properties and adds listeners for `ontessera-token` and the other events; in
 * React 18 use `TesseraCardForm`.
 */
export type TesseraCardProps = React.DetailedHTMLProps<React.HTMLAttributes<TesseraCard>, TesseraCard> &
  Omit<CardFormUpdate, 'button' | 'autoConfirm'> & {
    readonly merchant?: string | undefined
    readonly 'form-origin'?: string | undefined
    readonly button?: 'true' | 'false' | undefined
    readonly 'auto-confirm'?: 'true' | 'false' | undefined
  } & { readonly [E in keyof TesseraCardEvents as `on${E}`]?: ((event: TesseraCardEvents[E]) => void) | undefined }

declare module 'react' {
  // Merging with React's own declaration takes a namespace.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace JSX {
    interface IntrinsicElements {
      'tessera-card': TesseraCardProps
    }
  }
}

/** Null, after `onError`, when an option is missing. */
function createForm(props: CardFormProps): FramedCardForm | null {
  try {
    return new FramedCardForm({ ...optionsOf(props), merchant: props.merchant ?? '', formOrigin: props.formOrigin })
  } catch (err) {
    if (!(err instanceof CardFormMisuse)) throw err
    // eslint-disable-next-line no-console
    console.error(err.message, err.docs)
    notify(props, 'error', err)
    return null
  }
}

function notify<E extends keyof CardFormEvents>(props: CardFormListeners, name: E, value: CardFormEvents[E]): void {
  const listener = props[`on${name.charAt(0).toUpperCase()}${name.slice(1)}` as keyof CardFormListeners]
  ;(listener as ((value: CardFormEvents[E]) => void) | undefined)?.(value)
}

/** Every option by name: one that is missing is undefined, so that it has its default again. */
function optionsOf(props: CardFormProps): CardFormUpdate {
  return Object.fromEntries(optionNames.map((name) => [name, props[name]]))
}

const optionNames = ['locale', 'appearance', 'theme', 'save', 'layout', 'button', 'autoConfirm', 'session', 'direction', 'labels'] as const

function unavailableText({ locale }: CardFormProps): string {
  return unavailable[readLocale(locale)] ?? unavailable['uz'] ?? ''
}

const unavailable: Readonly<Record<string, string>> = {
  uz: 'Karta formasini koʻrsatib boʻlmadi.',
  ru: 'Не удалось показать форму карты.',
  en: 'The card form could not be shown.',
}
