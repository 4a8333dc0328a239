import type { Result } from '@tessera/contract/methods'

import { wordsOf } from '../../app/language.ts'
import { requestWords } from './request-words.ts'

type Kept = Result<'dashboard.requests.get'>['params']

/** What is kept of params or of an answer, member by member, and why the rest is not. */
export function Members({ members: { list, more } }: { members: Kept }) {
  const text = wordsOf(requestWords)
  if (list.length === 0) return <p>—</p>
  return (
    <dl class="members">
      {list.map(({ path, value, hidden, size }, at) => [
        <dt key={`${String(at)} name`}>
          <code>{path}</code>
        </dt>,
        <dd key={String(at)}>
          {hidden === null ? <code>{JSON.stringify(value)}</code> : <em>{text.hidden[hidden]?.(size) ?? hidden}</em>}
        </dd>,
      ])}
      {more > 0 && <dt>{text.more(more)}</dt>}
    </dl>
  )
}
