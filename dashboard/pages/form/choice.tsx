/** One of a few, side by side. */
export function Choice<T extends string>({ legend, name, value, options, onChange }: ChoiceProps<T>) {
  return (
    <fieldset class="builder-choice">
      <legend>{legend}</legend>
      <div class="range">
        {(Object.entries(options) as [T, string][]).map(([each, word]) => (
          <label key={each}>
            <input type="radio" name={name} checked={value === each} onChange={() => onChange(each)} />
            <span>{word}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

export interface ChoiceProps<T extends string> {
  readonly legend: string
  /** Of the group; its own on the page. */
  readonly name: string
  readonly value: T
  readonly options: Readonly<Record<T, string>>
  readonly onChange: (value: T) => void
}
