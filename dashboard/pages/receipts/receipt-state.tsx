import { receiptStates } from '@tessera/contract/receipt'

import { Tag, type Tone } from '../../components/values.tsx'
import { receiptPageText } from '../../messages/page-texts.ts'

/** A receipt's state as text, with a color that says how good it is. */
export function ReceiptStateTag({ state, isFlagged }: { state: number; isFlagged: boolean }) {
  const text = receiptPageText.current()
  return (
    <>
      <Tag tone={tones[state] ?? 'blue'}>{text.states[state] ?? String(state)}</Tag> {isFlagged && <Tag tone="red">{text.flagged}</Tag>}
    </>
  )
}

/** The state of a receipt whose row fails its MAC check. */
const tampered = -1
const { created, paid, unknown, returning, cancelled } = receiptStates
/** Every other state is blue: in progress, or held. */
const tones: Readonly<Record<number, Tone>> = {
  [tampered]: 'red',
  [created]: 'grey',
  [paid]: 'green',
  [unknown]: 'amber',
  [returning]: 'amber',
  [cancelled]: 'grey',
}
