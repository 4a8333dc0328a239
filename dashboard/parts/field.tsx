import type { InputHTMLAttributes } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

export interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly hint?: string
  readonly type?: 'text' | 'password' | 'tel' | 'search' | 'url' | 'number'
  readonly autocomplete?: string
  readonly inputMode?: 'text' | 'numeric' | 'tel'
  readonly isRequired?: boolean
  readonly maxLength?: number
  /** It has the focus when it is shown. */
  readonly isFirst?: boolean
}

/** One labelled input with its hint. */
export function Field({ label, value, onInput, hint, type = 'text', isRequired = false, isFirst = false, ...rest }: FieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  // A dialog looks for the attribute when it opens; what is put into a page that is there already, no browser looks at.
  useEffect(() => {
    if (isFirst) input.current?.focus()
  }, [isFirst])
  // The types of inputs are a union by kind, which no one kind here can satisfy.
  const attributes = { type, ...rest, ...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` }) } as InputHTMLAttributes
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        ref={input}
        id={id}
        value={value}
        required={isRequired}
        autofocus={isFirst}
        {...attributes}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  )
}
