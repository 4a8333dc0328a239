import { useSignal } from '@preact/signals'

import { formatSomInput, parseSomInput } from '../../format/numbers.ts'
import { Field } from '../../components/fields.tsx'
import { settingsPageText } from '../../messages/page-texts.ts'
import { type SettingsPanelProps, SettingsForm } from './settings-form.tsx'

/** The smallest and the largest amount of a receipt: typed in so'm, stored in tiyin. What is wrong is said at its field, when it is saved. */
export function AmountsForm({ settings, onChanged }: SettingsPanelProps) {
  const text = settingsPageText.current()
  const smallest = useSignal(formatSomInput(settings.minAmountTiyin))
  const largest = useSignal(formatSomInput(settings.maxAmountTiyin))
  const problems = useSignal<{ readonly smallest: string; readonly largest: string }>(noProblems)
  const readChanges = () => {
    const [minAmountTiyin, maxAmountTiyin] = [parseSomInput(smallest.value), parseSomInput(largest.value)]
    const isOrdered = minAmountTiyin === null || maxAmountTiyin === null || minAmountTiyin <= maxAmountTiyin
    problems.value = {
      smallest: minAmountTiyin === null ? text.amountInvalid : isOrdered ? '' : text.amountOrder,
      largest: maxAmountTiyin === null ? text.amountInvalid : '',
    }
    if (minAmountTiyin === null || maxAmountTiyin === null || !isOrdered) return ''
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

const noProblems = { smallest: '', largest: '' }
