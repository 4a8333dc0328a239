import { wordsOf } from '../../app/language.ts'
import { Tag } from '../../parts/tag.tsx'
import { requestWords } from './request-words.ts'

/** What a call came to: its code and, in a word, its reason. */
export function Outcome({ code, reason }: { code: number; reason: string }) {
  const text = wordsOf(requestWords)
  if (code === 0) return <Tag tone="green">{text.ok}</Tag>
  return (
    <>
      <Tag tone="red">{String(code)}</Tag> <code>{reason}</code>
    </>
  )
}
