import { words } from '../app/language.ts'

/** A span of days back from now. */
export type Days = 1 | 7 | 30 | 90

/** Chooses the span that a list or a chart is over. */
export function Range({ days, onChange }: { days: Days; onChange: (days: Days) => void }) {
  return (
    <fieldset class="range">
      <legend class="unseen">{words.value.range}</legend>
      {([1, 7, 30, 90] as const).map((each) => (
        <label key={each}>
          <input type="radio" name="range" checked={days === each} onChange={() => onChange(each)} />
          <span>{words.value.days(each)}</span>
        </label>
      ))}
    </fieldset>
  )
}
