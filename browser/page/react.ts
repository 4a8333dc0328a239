import * as React from 'react'

import { CardForm, CardFormMisuse, eventNames, type CardFormEvents, type CardFormOptions } from './card-form.ts'

/**
 * The form as a React component, for React 18 or later. The form is created in an effect: a server renders an empty element, and the second
 * mount of StrictMode creates a new form. While `merchant` is not a merchant id, or the origin of the form is unknown, the component shows an
 * error in place of the form and calls `onError`. It does not throw.
 */
export function TesseraCardForm(props: CardFormProps): React.ReactElement {
  const element = React.useRef<HTMLDivElement | null>(null)
  const form = React.useRef<CardForm | null>(null)
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
  React.useEffect(() => form.current?.update(optionsOf(latestProps.current)), [JSON.stringify(options)])
  const message = isMisused ? React.createElement('p', { role: 'alert' }, unavailable[props.locale ?? 'uz']) : null
  return React.createElement('div', { ref: element }, message)
}

/** Options of the form, and a listener for each event. `formRef` receives the form when it is mounted, and null when it is removed. */
export type CardFormProps = Omit<CardFormOptions, 'merchant'> &
  CardFormListeners & {
    /** Undefined while your page does not know it yet. */
    readonly merchant: string | undefined
    readonly formRef?: (form: CardForm | null) => void
  }

export type CardFormListeners = { readonly [E in keyof CardFormEvents as `on${Capitalize<E>}`]?: (value: CardFormEvents[E]) => void }

/** Null, after `onError`, when an option is missing. */
function createForm(props: CardFormProps): CardForm | null {
  try {
    return new CardForm(optionsOf(props))
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
function optionsOf({ merchant = '', formOrigin, ...props }: CardFormProps): CardFormOptions {
  const options = Object.fromEntries(optionNames.map((name) => [name, props[name]]))
  return { ...options, merchant, ...(formOrigin === undefined ? {} : { formOrigin }) }
}

const optionNames = ['locale', 'theme', 'save', 'layout', 'button', 'autoConfirm', 'session', 'direction', 'labels'] as const

const unavailable = {
  uz: 'Karta shaklini koʻrsatib boʻlmadi.',
  ru: 'Не удалось показать форму карты.',
  en: 'The card form could not be shown.',
} as const
