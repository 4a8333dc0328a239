import { Labelled } from './labelled.tsx'

export interface ChoiceProps {
  readonly label: string
  readonly value: string
  /** The word of each value; the empty value is all of them. */
  readonly options: readonly (readonly [value: string, word: string])[]
  readonly onChange: (value: string) => void
}

/** One of a few, to filter a list by. */
export function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <Labelled label={label}>
      {(id) => (
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map(([each, word]) => (
            <option key={each} value={each}>
              {word}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}
