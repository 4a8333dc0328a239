import { useSignal } from '@preact/signals'

import { Field } from '../../parts/field.tsx'
import { Saving } from './saving.tsx'
import type { PartOfSettings } from './settings-part.ts'
import { settingsText } from './settings-text.ts'

/** Smallest and largest sum of a receipt: typed in so'm, kept in tiyin. */
export function Amounts({ settings, onChanged }: PartOfSettings) {
  const text = settingsText.now()
  const smallest = useSignal(writeSum(settings.minAmountTiyin))
  const largest = useSignal(writeSum(settings.maxAmountTiyin))
  const wanted = () => {
    const [minAmountTiyin, maxAmountTiyin] = [readSum(smallest.value), readSum(largest.value)]
    return minAmountTiyin === null || maxAmountTiyin === null ? text.sumWrong : { minAmountTiyin, maxAmountTiyin }
  }
  return (
    <Saving title={text.amounts} wanted={wanted} onSaved={onChanged}>
      <Field {...{ label: text.smallest, value: smallest.value, hint: text.sumHint }} onInput={(value) => (smallest.value = value)} />
      <Field {...{ label: text.largest, value: largest.value }} onInput={(value) => (largest.value = value)} />
    </Saving>
  )
}

/** Tiyin as it is typed: digits alone, so that it can be read again. */
function writeSum(tiyin: number): string {
  const rest = tiyin % 100
  return `${Math.floor(tiyin / 100)}${rest === 0 ? '' : `.${String(rest).padStart(2, '0')}`}`
}

/** By its digits, never by a fraction: null where it is no sum. */
function readSum(text: string): number | null {
  const [, whole, rest = ''] = /^(\d{1,13})(?:[.,](\d{1,2}))?$/.exec(text.replace(/\s/g, '')) ?? []
  return whole === undefined ? null : Number(whole) * 100 + Number(rest.padEnd(2, '0'))
}
