import type { Signal } from '@preact/signals'
import { readThemeValue, themeLengths, themeVariables, type ThemeColour, type ThemeVariable } from '@tessera/contract/theme'
import { useId } from 'preact/hooks'

import { fill } from '../../app/long-words.tsx'
import { Choice } from './choice.tsx'
import { hexIn, listPale, valueIn, type Choices, type PaleIn, type Shade } from './choices.ts'
import { formText } from './form-text.ts'

export interface PaletteProps {
  readonly choices: Signal<Choices>
  /** Whose values are seen and changed. */
  readonly shade: Shade
  readonly onShade: (shade: Shade) => void
}

/** The variables of the theme, a shade at a time, and what is too pale in any. */
export function Palette({ choices, shade, onShade }: PaletteProps) {
  const text = formText.now()
  const { scheme } = choices.value
  const set = (of: Shade, name: ThemeVariable, value: string | undefined): void => {
    const { values } = choices.value
    const { [name]: _before, ...others } = values[of]
    choices.value = { ...choices.value, values: { ...values, [of]: value === undefined ? others : { ...others, [name]: value } } }
  }
  const row = (name: ThemeVariable) => <Variable key={name} {...{ name, choices, set }} shade={isColour(name) ? shade : 'light'} />
  return (
    <>
      <section class="panel">
        <h2>{text.colours}</h2>
        {scheme === 'auto' && (
          <>
            <Choice legend={text.shade} name="shade" value={shade} options={text.shades} onChange={onShade} />
            <p class="note">{text.shadeNote}</p>
          </>
        )}
        <div class="builder-rows">{themeVariables.filter(isColour).map(row)}</div>
        <Contrast pale={listPale(choices.value)} onUse={({ shade: of, of: name, suggestion }) => set(of, name, suggestion)} />
      </section>
      <section class="panel">
        <h2>{text.shape}</h2>
        <div class="builder-rows">{themeVariables.filter((name) => !isColour(name)).map(row)}</div>
      </section>
    </>
  )
}

function Variable({ name, shade, choices, set }: VariableProps) {
  const text = formText.now()
  const id = useId()
  const { values } = choices.value
  const typed = values[shade][name]
  const isWrong = typed !== undefined && typed !== '' && readThemeValue(name, typed) === null
  const word = text.variables[name]
  return (
    <div class="builder-variable">
      <label for={id}>
        {word} <code>{name}</code>
      </label>
      <div>
        {isColour(name) && (
          <input
            type="color"
            aria-label={`${word}: ${text.picker}`}
            value={hexIn(values, shade, name)}
            onInput={(event) => set(shade, name, event.currentTarget.value)}
          />
        )}
        <input
          id={id}
          value={typed ?? ''}
          placeholder={valueIn(values, shade, name)}
          spellcheck={false}
          maxLength={100}
          {...(isWrong ? { 'aria-invalid': true, 'aria-describedby': `${id}-fault` } : {})}
          onInput={({ currentTarget: { value } }) => set(shade, name, value === '' ? undefined : value)}
        />
        <button
          type="button"
          class="bare"
          disabled={typed === undefined}
          aria-label={`${word}: ${text.reset}`}
          onClick={() => set(shade, name, undefined)}
        >
          ↺
        </button>
      </div>
      {isWrong && (
        <small id={`${id}-fault`} class="builder-fault">
          {isColour(name)
            ? text.notColour
            : name === 'fontFamily'
              ? text.notFont
              : fill(text.notLength, themeLengths[name][0], themeLengths[name][1])}
        </small>
      )}
    </div>
  )
}

interface VariableProps {
  readonly name: ThemeVariable
  readonly shade: Shade
  readonly choices: Signal<Choices>
  readonly set: (of: Shade, name: ThemeVariable, value: string | undefined) => void
}

function Contrast({ pale, onUse }: { pale: readonly PaleIn[]; onUse: (pale: PaleIn) => void }) {
  const text = formText.now()
  return (
    <div class="builder-contrast">
      <h3>{text.contrast}</h3>
      <p role="status">{pale.length === 0 ? text.passes : fill(text.fails, pale.length)}</p>
      <ul class="list">
        {pale.map((each) => (
          <li key={`${each.shade} ${each.of} ${each.on}`}>
            <span>
              {fill(text.pale, text.variables[each.of], text.variables[each.on].toLowerCase())}
              <small>
                {text.shades[each.shade]} · {each.ratio.toFixed(2)}:1 · {fill(text.needed, each.needed)}
              </small>
            </span>
            <button type="button" onClick={() => onUse(each)}>
              {text.use} <code>{each.suggestion}</code>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function isColour(name: ThemeVariable): name is ThemeColour {
  return name !== 'fontFamily' && !(name in themeLengths)
}
