/** A row of radio buttons. */
export function RadioGroup<T extends string>({ legend, name, value, options, onChange }: RadioGroupProps<T>) {
  return (
    <fieldset class="builder-choice">
      <legend>{legend}</legend>
      <div class="range">
        {(Object.entries(options) as [T, string][]).map(([each, label]) => (
          <label key={each}>
            <input type="radio" name={name} checked={value === each} onChange={() => onChange(each)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

export interface RadioGroupProps<T extends string> {
  readonly legend: string
  /** The name of the radio group, unique on the page. */
  readonly name: string
  readonly value: T
  readonly options: Readonly<Record<T, string>>
  readonly onChange: (value: T) => void
}
