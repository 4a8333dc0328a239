import type { Signal } from '@preact/signals'
import type { AppearanceProperty, AppearanceSelector } from '@tessera/contract/appearance'
import { listProperties, listSelectors } from '@tessera/contract/appearance-syntax'
import { useId } from 'preact/hooks'

import { formBuilderText } from '../../messages/page-texts.ts'
import { type FormDesign, isValidLine, type RuleLine } from './form-design.ts'

const selectors = listSelectors()

/** Edits the rules of the appearance: one line for each property of a part in a state. */
export function RulesEditor({ design }: { design: Signal<FormDesign> }) {
  const text = formBuilderText.current()
  const { rules } = design.value
  const set = (changed: readonly RuleLine[]): void => void (design.value = { ...design.value, rules: changed })
  return (
    <section class="panel">
      <h2>{text.rules}</h2>
      <p class="note">{text.rulesNote}</p>
      <ul class="builder-rules">
        {rules.map((line, index) => (
          <Line
            key={index}
            line={line}
            onChange={(changed) => set(rules.with(index, changed))}
            onRemove={() => set(rules.filter((_, other) => other !== index))}
          />
        ))}
      </ul>
      <button type="button" onClick={() => set([...rules, firstLine])}>
        {text.addRule}
      </button>
    </section>
  )
}

interface LineProps {
  readonly line: RuleLine
  readonly onChange: (line: RuleLine) => void
  readonly onRemove: () => void
}

function Line({ line, onChange, onRemove }: LineProps) {
  const text = formBuilderText.current()
  const id = useId()
  const properties = propertiesOf(line.selector)
  const isWrong = line.value !== '' && !isValidLine(line)
  const choosePart = (selector: AppearanceSelector): void => {
    const [first = line.property] = propertiesOf(selector)
    onChange({ ...line, selector, property: propertiesOf(selector).includes(line.property) ? line.property : first })
  }
  return (
    <li>
      <select
        aria-label={text.rulePart}
        value={line.selector}
        onChange={(event) => choosePart(event.currentTarget.value as AppearanceSelector)}
      >
        {selectors.map(({ selector }) => (
          <option key={selector}>{selector}</option>
        ))}
      </select>
      <select
        aria-label={text.ruleProperty}
        value={line.property}
        onChange={(event) => onChange({ ...line, property: event.currentTarget.value as AppearanceProperty })}
      >
        {properties.map((property) => (
          <option key={property}>{property}</option>
        ))}
      </select>
      <input
        aria-label={text.ruleValue}
        value={line.value}
        spellcheck={false}
        maxLength={200}
        {...(isWrong ? { 'aria-invalid': true, 'aria-describedby': `${id}-error` } : {})}
        onInput={(event) => onChange({ ...line, value: event.currentTarget.value })}
      />
      <button type="button" class="bare" aria-label={`${line.selector} ${line.property}: ${text.removeRule}`} onClick={onRemove}>
        ✕
      </button>
      {isWrong && (
        <small id={`${id}-error`} class="builder-error">
          {text.invalidRule}
        </small>
      )}
    </li>
  )
}

function propertiesOf(selector: AppearanceSelector): readonly AppearanceProperty[] {
  const place = selectors.find((each) => each.selector === selector)
  return place === undefined ? [] : listProperties(place.part, place.state)
}

const firstLine: RuleLine = { selector: '.Input', property: 'backgroundColor', value: '' }
