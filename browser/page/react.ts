import * as React from 'react'

import { CardForm, eventNames, type CardFormEvents, type CardFormOptions } from './card-form.ts'

/** The form as a React component, 18 or later. It is made in an effect: a server renders an empty element, and StrictMode's second mount makes a fresh form. */
export function TesseraCardForm(props: CardFormProps): React.ReactElement {
  const place = React.useRef<HTMLDivElement | null>(null)
  const form = React.useRef<CardForm | null>(null)
  const latest = React.useRef(props)
  React.useEffect(() => {
    latest.current = props
  })
  React.useEffect(() => {
    if (place.current === null) return undefined
    const made = new CardForm(optionsOf(latest.current))
    for (const name of eventNames) made.on(name, (value) => hear(latest.current, name, value))
    form.current = made.mount(place.current)
    latest.current.formRef?.(made)
    return () => {
      latest.current.formRef?.(null)
      made.unmount()
      form.current = null
    }
  }, [props.merchant, props.formOrigin])
  const options = optionsOf(props)
  React.useEffect(() => form.current?.update(optionsOf(latest.current)), [JSON.stringify(options)])
  return React.createElement('div', { ref: place })
}

/** Options of the form, and a listener for each of its events; `formRef` is handed the form when it is there, and null when it goes. */
export type CardFormProps = CardFormOptions & CardFormListeners & { readonly formRef?: (form: CardForm | null) => void }

export type CardFormListeners = { readonly [E in keyof CardFormEvents as `on${Capitalize<E>}`]?: (value: CardFormEvents[E]) => void }

function hear<E extends keyof CardFormEvents>(props: CardFormListeners, name: E, value: CardFormEvents[E]): void {
  const listener = props[`on${name.charAt(0).toUpperCase()}${name.slice(1)}` as keyof CardFormListeners]
  ;(listener as ((told: typeof value) => void) | undefined)?.(value)
}

/** Each by its name: one that is left out now is told as nothing, so that what it was before does not stay. */
function optionsOf({ merchant, formOrigin, ...props }: CardFormProps): CardFormOptions {
  const options = Object.fromEntries(optionNames.map((name) => [name, props[name]]))
  return { ...options, merchant, ...(formOrigin === undefined ? {} : { formOrigin }) }
}

const optionNames = ['locale', 'theme', 'save', 'layout', 'button', 'session', 'direction', 'labels'] as const
