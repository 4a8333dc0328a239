import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { type Signal, useSignal } from '@preact/signals'

import { messages } from '../app/language.ts'

export interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly hint?: string
  /** What is wrong with the value; '' for nothing. */
  readonly problem?: string
  readonly type?: 'text' | 'password' | 'tel' | 'search' | 'url' | 'number'
  readonly autocomplete?: string
  readonly inputMode?: 'text' | 'numeric' | 'tel'
  readonly isRequired?: boolean
  readonly maxLength?: number
  /** Takes the focus when it is shown. */
  readonly hasFocus?: boolean
}

/** A labelled input with an optional hint. */
export function Field({
  label,
  value,
  onInput,
  hint,
  problem = '',
  type = 'text',
  isRequired = false,
  hasFocus = false,
  ...rest
}: FieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  // Browsers obey the autofocus attribute when a dialog opens, but not for an element added to a page.
  useEffect(() => {
    if (hasFocus) input.current?.focus()
  }, [hasFocus])
  // InputHTMLAttributes is a union by input type, which a variable type cannot satisfy.
  const described = [...(problem === '' ? [] : [`${id}-problem`]), ...(hint === undefined ? [] : [`${id}-hint`])].join(' ')
  const attributes = {
    type,
    ...rest,
    ...(described === '' ? {} : { 'aria-describedby': described }),
    ...(problem === '' ? {} : { 'aria-invalid': true }),
  } as InputHTMLAttributes
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        ref={input}
        id={id}
        value={value}
        required={isRequired}
        autofocus={hasFocus}
        {...attributes}
        onInput={({ currentTarget }) => {
          currentTarget.setCustomValidity('')
          onInput(currentTarget.value)
        }}
        // The browser says it in its own language.
        onInvalid={({ currentTarget }) => currentTarget.validity.valueMissing && currentTarget.setCustomValidity(messages.value.required)}
      />
      {problem !== '' && (
        <small id={`${id}-problem`} class="problem" role="alert">
          {problem}
        </small>
      )}
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  )
}

interface PasswordFieldProps {
  readonly label: string
  readonly value: Signal<string>
  readonly hint?: string
  /** Chosen here, and not the user's present one. */
  readonly isNew?: boolean
  readonly hasFocus?: boolean
}

/** A field for a password of a user. */
export function PasswordField({ label, value, hint, isNew = false, hasFocus = false }: PasswordFieldProps) {
  return (
    <Field
      label={label}
      type="password"
      value={value.value}
      onInput={(text) => (value.value = text)}
      {...(hint === undefined ? {} : { hint })}
      autocomplete={isNew ? 'new-password' : 'current-password'}
      isRequired
      hasFocus={hasFocus}
      maxLength={128}
    />
  )
}

/** A control in a toolbar, below its label. The control takes the id. */
export function LabelledControl({ label, children }: { label: string; children: (id: string) => ComponentChildren }) {
  const id = useId()
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  )
}

export interface SelectFieldProps {
  readonly label: string
  readonly value: string
  /** The label of each value. The empty value stands for all of them. */
  readonly options: SelectOptions
  /** More of them, each group below its name. */
  readonly groups?: readonly (readonly [name: string, options: SelectOptions])[]
  readonly onChange: (value: string) => void
}

type SelectOptions = readonly (readonly [value: string, label: string])[]

/** Selects one value to filter a list by. */
export function SelectField({ label, value, options, groups = [], onChange }: SelectFieldProps) {
  return (
    <LabelledControl label={label}>
      {(id) => (
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map(renderOption)}
          {groups.map(([name, grouped]) => (
            <optgroup key={name} label={name}>
              {grouped.map(renderOption)}
            </optgroup>
          ))}
        </select>
      )}
    </LabelledControl>
  )
}

function renderOption([value, label]: SelectOptions[number]) {
  return (
    <option key={value} value={value}>
      {label}
    </option>
  )
}

/**
 * The value of a control that is also set from outside, by the address or by the service: it starts as `source` and becomes `source` again whenever `key`
 * changes. The control is not remounted, so it keeps the focus.
 */
export function useSyncedValue<T>(source: T, key: unknown = source): Signal<T> {
  const value = useSignal(source)
  // Before the browser takes the next key: what is typed behind a change of the address stays.
  useLayoutEffect(() => void (value.value = source), [key])
  return value
}

interface FilterBoxProps {
  readonly label: string
  /** How many conditions are set. */
  readonly active: number
  readonly children: ComponentChildren
}

/** The filters of a list: in sight on a wide screen, on a phone behind their name and number, so that the rows are in sight. */
export function FilterBox({ label, active, children }: FilterBoxProps) {
  const isWide = useSignal(matchMedia(wideQuery).matches)
  useEffect(() => {
    const query = matchMedia(wideQuery)
    const change = (): void => void (isWide.value = query.matches)
    query.addEventListener('change', change)
    return () => query.removeEventListener('change', change)
  }, [])
  return (
    <details class="filters" open={isWide.value}>
      <summary>{active === 0 ? label : `${label} (${String(active)})`}</summary>
      {children}
    </details>
  )
}

/** As in components.css. */
const wideQuery = '(width >= 52rem)'

export interface SearchFormProps extends Pick<FieldProps, 'label' | 'value' | 'hint' | 'maxLength' | 'onInput'> {
  /** What the button says. */
  readonly action: string
  readonly onSearch: () => void
}

/** A field that searches a list when its button or Enter is pressed. */
export function SearchForm({ action, onSearch, ...field }: SearchFormProps) {
  return (
    <form
      class="tools"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch()
      }}
    >
      <Field {...field} type="search" />
      <button type="submit">{action}</button>
    </form>
  )
}
