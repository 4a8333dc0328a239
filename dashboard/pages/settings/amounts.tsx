import { useSignal } from '@preact/signals'
import { maxAmountTiyin as amountMaxTiyin } from '@tessera/contract/receipt'

import { language } from '../../app/language.ts'
import { formatSom, parseSomInput } from '../../format/numbers.ts'
import { Field } from '../../components/fields.tsx'
import { formatMessage } from '../../messages/lookup.ts'
import { settingsPageText } from '../../messages/page-texts.ts'
import { type SettingsPanelProps, SettingsForm } from './settings-form.tsx'

/** The smallest and the largest amount of a receipt: typed in so'm, stored in tiyin. What is wrong is said at its field, when it is saved. */
export function AmountsForm({ settings, onChanged }: SettingsPanelProps) {
  const text = settingsPageText.current()
  const smallest = useSignal(formatSom(settings.minAmountTiyin, language.value))
  const largest = useSignal(formatSom(settings.maxAmountTiyin, language.value))
  const problems = useSignal<{ readonly smallest: string; readonly largest: string }>(noProblems)
  const readChanges = () => {
    const [minAmountTiyin, maxAmountTiyin] = [parseSomInput(smallest.value), parseSomInput(largest.value)]
    const isOrdered = minAmountTiyin === null || maxAmountTiyin === null || minAmountTiyin <= maxAmountTiyin
    problems.value = {
      smallest: amountProblem(minAmountTiyin) || (isOrdered ? '' : text.amountOrder),
      largest: amountProblem(maxAmountTiyin),
    }
    if (minAmountTiyin === null || maxAmountTiyin === null || problems.value.smallest !== '' || problems.value.largest !== '') return ''
    return { minAmountTiyin, maxAmountTiyin }
  }
  return (
    <SettingsForm title={text.amounts} readChanges={readChanges} onSaved={onChanged}>
      <Field
        label={text.minimum}
        value={smallest.value}
        hint={text.amountHint}
        problem={problems.value.smallest}
        onInput={(value) => (smallest.value = value)}
      />
      <Field label={text.maximum} value={largest.value} problem={problems.value.largest} onInput={(value) => (largest.value = value)} />
    </SettingsForm>
  )
}

/** What is wrong with an amount of the settings, in so'm as it is typed; '' for nothing. Zero is for those that may be none. */
export function amountProblem(tiyin: number | null, { mayBeZero = false } = {}): string {
  const text = settingsPageText.current()
  if (tiyin === null) return text.amountInvalid
  if (tiyin === 0 && !mayBeZero) return text.amountZero
  return tiyin > amountMaxTiyin ? formatMessage(text.amountTooLarge, formatSom(amountMaxTiyin, language.value)) : ''
}

const noProblems = { smallest: '', largest: '' }
