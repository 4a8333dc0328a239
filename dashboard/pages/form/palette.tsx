import type { Signal } from '@preact/signals'
import type { ColorScheme } from '@tessera/contract/appearance-reader'
import { readThemeValue, type ThemeColor, themeLengths, type ThemeVariable, themeVariables } from '@tessera/contract/theme'
import { useId } from 'preact/hooks'

import { formatMessage } from '../../messages/lookup.ts'
import { formBuilderText } from '../../messages/page-texts.ts'
import {
  type FormDesign,
  hexColorIn,
  isOfBothSchemes,
  isVariable,
  listLowContrast,
  type LowContrastPair,
  themeValueIn,
  withSuggestion,
} from './form-design.ts'
import { RadioGroup } from './radio-group.tsx'

export interface ThemeEditorProps {
  readonly design: Signal<FormDesign>
  /** The scheme whose values are shown and changed. */
  readonly colorScheme: ColorScheme
  readonly onColorScheme: (colorScheme: ColorScheme) => void
}

/** Edits the variables of the theme, one scheme at a time, and lists pairs of colors with too little contrast. */
export function ThemeEditor({ design, colorScheme, onColorScheme }: ThemeEditorProps) {
  const text = formBuilderText.current()
  const { scheme } = design.value
  const set = (of: ColorScheme, name: ThemeVariable, value: string | undefined): void => {
    const { values } = design.value
    const { [name]: _before, ...others } = values[of]
    design.value = { ...design.value, values: { ...values, [of]: value === undefined ? others : { ...others, [name]: value } } }
  }
  const use = (pair: LowContrastPair): void => void (design.value = withSuggestion(design.value, pair))
  const row = (name: ThemeVariable) => (
    <Variable key={name} name={name} design={design} set={set} colorScheme={isColor(name) ? colorScheme : 'light'} />
  )
  return (
    <>
      <section class="panel">
        <h2>{text.colors}</h2>
        {isOfBothSchemes(scheme) && (
          <>
            <RadioGroup
              legend={text.colorScheme}
              name="color-scheme"
              value={colorScheme}
              options={text.colorSchemes}
              onChange={onColorScheme}
            />
            <p class="note">{text.colorSchemeNote}</p>
          </>
        )}
        <div class="builder-rows">{themeVariables.filter(isColor).map(row)}</div>
        <Contrast pale={listLowContrast(design.value)} onUse={use} />
      </section>
      <section class="panel">
        <h2>{text.shape}</h2>
        <div class="builder-rows">{themeVariables.filter((name) => !isColor(name)).map(row)}</div>
      </section>
    </>
  )
}

function Variable({ name, colorScheme, design, set }: VariableProps) {
  const text = formBuilderText.current()
  const id = useId()
  const { values } = design.value
  const input = values[colorScheme][name]
  const isWrong = input !== undefined && input !== '' && readThemeValue(name, input) === null
  const label = text.variables[name]
  return (
    <div class="builder-variable">
      <label for={id}>
        {label} <code>{name}</code>
      </label>
      <div>
        {isColor(name) && (
          <input
            type="color"
            aria-label={`${label}: ${text.picker}`}
            value={hexColorIn(values, colorScheme, name)}
            onInput={(event) => set(colorScheme, name, event.currentTarget.value)}
          />
        )}
        <input
          id={id}
          value={input ?? ''}
          placeholder={themeValueIn(values, colorScheme, name)}
          spellcheck={false}
          maxLength={100}
          {...(isWrong ? { 'aria-invalid': true, 'aria-describedby': `${id}-error` } : {})}
          onInput={({ currentTarget: { value } }) => set(colorScheme, name, value === '' ? undefined : value)}
        />
        <button
          type="button"
          class="bare"
          disabled={input === undefined}
          aria-label={`${label}: ${text.reset}`}
          onClick={() => set(colorScheme, name, undefined)}
        >
          ↺
        </button>
      </div>
      {isWrong && (
        <small id={`${id}-error`} class="builder-error">
          {isColor(name)
            ? text.invalidColor
            : name === 'fontFamily'
              ? text.invalidFont
              : formatMessage(text.invalidLength, themeLengths[name][0], themeLengths[name][1])}
        </small>
      )}
    </div>
  )
}

interface VariableProps {
  readonly name: ThemeVariable
  readonly colorScheme: ColorScheme
  readonly design: Signal<FormDesign>
  readonly set: (of: ColorScheme, name: ThemeVariable, value: string | undefined) => void
}

function Contrast({ pale, onUse }: { pale: readonly LowContrastPair[]; onUse: (pale: LowContrastPair) => void }) {
  const text = formBuilderText.current()
  const nameOf = (name: LowContrastPair['of']): string => (isVariable(name) ? text.variables[name] : name)
  return (
    <div class="builder-contrast">
      <h3>{text.contrast}</h3>
      <p role="status">{pale.length === 0 ? text.passes : formatMessage(text.fails, pale.length)}</p>
      <ul class="list">
        {pale.map((each) => (
          <li key={`${each.colorScheme} ${each.of} ${each.on} ${each.property}`}>
            <span>
              {formatMessage(
                text.pair,
                isVariable(each.of) ? nameOf(each.of) : `${each.of} ${each.property}`,
                nameOf(each.on).toLowerCase(),
              )}
              <small>
                {text.colorSchemes[each.colorScheme]} · {each.ratio.toFixed(2)}:1 · {formatMessage(text.required, each.needed)}
              </small>
            </span>
            <button type="button" onClick={() => onUse(each)}>
              {text.apply} <code>{each.suggestion}</code>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function isColor(name: ThemeVariable): name is ThemeColor {
  return name !== 'fontFamily' && !(name in themeLengths)
}
