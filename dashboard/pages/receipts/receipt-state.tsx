import { wordsOf } from '../../app/language.ts'
import { Tag, type Tone } from '../../parts/tag.tsx'
import { receiptWords } from './receipt-words.ts'

/** A receipt's state in a word, with a colour that says whether it went well. */
export function ReceiptState({ state, isFlagged }: { state: number; isFlagged: boolean }) {
  const text = wordsOf(receiptWords)
  return (
    <>
      <Tag tone={tones[state] ?? 'grey'}>{text.states[state] ?? String(state)}</Tag> {isFlagged && <Tag tone="red">{text.flagged}</Tag>}
    </>
  )
}

const tones: Readonly<Record<number, Tone>> = {
  ...{ [-1]: 'red', 0: 'grey', 1: 'blue', 2: 'blue', 3: 'blue', 4: 'green', 5: 'blue', 6: 'blue', 20: 'amber', 21: 'amber', 50: 'grey' },
}
