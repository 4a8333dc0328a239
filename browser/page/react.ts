import * as React from 'react'

import { CardForm, eventNames, type CardFormEvents, type CardFormOptions } from './card-form.ts'

/**
 * The form as a React component, for React 18 or later. The form is created in an effect: a server renders an empty element, and the second
 * mount of StrictMode creates a new form.
 */
export function TesseraCardForm(props: CardFormProps): React.ReactElement {
  const element = React.useRef<HTMLDivElement | null>(null)
  const form = React.useRef<CardForm | null>(null)
  const latestProps = React.useRef(props)
  React.useEffect(() => {
    latestProps.current = props
  })
  React.useEffect(() => {
    if (element.current === null) return undefined
    const cardForm = new CardForm(optionsOf(latestProps.current))
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
  return React.createElement('div', { ref: element })
}

/** Options of the form, and a listener for each event. `formRef` receives the form when it is mounted, and null when it is removed. */
export type CardFormProps = CardFormOptions & CardFormListeners & { readonly formRef?: (form: CardForm | null) => void }

export type CardFormListeners = { readonly [E in keyof CardFormEvents as `on${Capitalize<E>}`]?: (value: CardFormEvents[E]) => void }

function notify<E extends keyof CardFormEvents>(props: CardFormListeners, name: E, value: CardFormEvents[E]): void {
  const listener = props[`on${name.charAt(0).toUpperCase()}${name.slice(1)}` as keyof CardFormListeners]
  ;(listener as ((value: CardFormEvents[E]) => void) | undefined)?.(value)
}

/** Every option by name: one that is missing is undefined, so that it has its default again. */
function optionsOf({ merchant, formOrigin, ...props }: CardFormProps): CardFormOptions {
  const options = Object.fromEntries(optionNames.map((name) => [name, props[name]]))
  return { ...options, merchant, ...(formOrigin === undefined ? {} : { formOrigin }) }
}

const optionNames = ['locale', 'theme', 'save', 'layout', 'button', 'session', 'direction', 'labels'] as const
