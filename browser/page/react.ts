import * as React from 'react'

import { CardForm, type CardFormEvents, type CardFormOptions } from './card-form.ts'

type Heard = { readonly [E in keyof CardFormEvents as `on${Capitalize<E>}`]?: (value: CardFormEvents[E]) => void }

/** Options of the form and what is told of it; `formRef` is handed the form while it is there. */
export type CardFormProps = CardFormOptions & Heard & { readonly formRef?: (form: CardForm | null) => void }

/** The form as a React component. It is made in an effect, so a server renders an empty element, and StrictMode's second mount makes a fresh one. */
export function TesseraCardForm(props: CardFormProps): unknown {
  const place = React.useRef<Element | null>(null)
  const form = React.useRef<CardForm | null>(null)
  const latest = React.useRef(props)
  latest.current = props
  React.useEffect(() => {
    if (place.current === null) return undefined
    const made = new CardForm(optionsOf(latest.current))
    for (const name of names) {
      made.on(name, (value) => (latest.current[`on${name.charAt(0).toUpperCase()}${name.slice(1)}` as 'onReady'] as Told)?.(value))
    }
    form.current = made.mount(place.current)
    latest.current.formRef?.(made)
    return () => {
      latest.current.formRef?.(null)
      made.unmount()
      form.current = null
    }
  }, [props.merchant, props.formOrigin])
  const changed = JSON.stringify(optionsOf(props))
  React.useEffect(() => form.current?.update(optionsOf(latest.current)), [changed])
  return React.createElement('div', { ref: place })
}

type Told = ((value: unknown) => void) | undefined

function optionsOf(props: CardFormProps): CardFormOptions {
  return Object.fromEntries(
    Object.entries(props).filter(([, value]) => typeof value !== 'function' && value !== undefined),
  ) as unknown as CardFormOptions
}

const names = ['ready', 'change', 'step', 'token', 'error', 'wait', 'seen'] as const
