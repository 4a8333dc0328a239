import { receiptStates } from '@tessera/contract/receipt'

import { wordsOf } from '../../app/language.ts'
import { Tag, type Tone } from '../../parts/tag.tsx'
import { receiptWords } from './receipt-words.ts'

/** A receipt's state in a word, with a colour that says whether it went well. */
export function ReceiptState({ state, isFlagged }: { state: number; isFlagged: boolean }) {
  const text = wordsOf(receiptWords)
  return (
    <>
      <Tag tone={tones[state] ?? 'blue'}>{text.states[state] ?? String(state)}</Tag> {isFlagged && <Tag tone="red">{text.flagged}</Tag>}
    </>
  )
}

/** Of a receipt whose row is not as the service wrote it. */
const altered = -1
const { created, paid, unknown, returning, cancelled } = receiptStates
/** The others are on their way, or held. */
const tones: Readonly<Record<number, Tone>> = {
  ...{ [altered]: 'red', [created]: 'grey', [paid]: 'green', [unknown]: 'amber', [returning]: 'amber', [cancelled]: 'grey' },
}
