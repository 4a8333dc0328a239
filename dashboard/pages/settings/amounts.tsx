import { useSignal } from '@preact/signals'

import { formatSomInput, parseSomInput } from '../../format/numbers.ts'
import { Field } from '../../components/fields.tsx'
import { settingsPageText } from '../../messages/page-texts.ts'
import { type SettingsPanelProps, SettingsForm } from './settings-form.tsx'

/** The smallest and the largest amount of a receipt: typed in so'm, stored in tiyin. */
export function AmountsForm({ settings, onChanged }: SettingsPanelProps) {
  const text = settingsPageText.current()
  const smallest = useSignal(formatSomInput(settings.minAmountTiyin))
  const largest = useSignal(formatSomInput(settings.maxAmountTiyin))
  const readChanges = () => {
    const [minAmountTiyin, maxAmountTiyin] = [parseSomInput(smallest.value), parseSomInput(largest.value)]
    return minAmountTiyin === null || maxAmountTiyin === null ? text.amountInvalid : { minAmountTiyin, maxAmountTiyin }
  }
  return (
    <SettingsForm title={text.amounts} readChanges={readChanges} onSaved={onChanged}>
      <Field label={text.minimum} value={smallest.value} hint={text.amountHint} onInput={(value) => (smallest.value = value)} />
      <Field label={text.maximum} value={largest.value} onInput={(value) => (largest.value = value)} />
    </SettingsForm>
  )
}
