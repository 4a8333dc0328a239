import type { ComponentChildren } from 'preact'

import type { Asked } from '../app/ask.ts'
import { Refusal } from './refusal.tsx'
import { Waiting } from './waiting.tsx'

/** What was asked for, once it is there; until then that it is waited for, and beside it why it, or its newer state, was refused. */
export function Answer<T>({ asked, children }: { asked: Asked<T>; children: (found: T) => ComponentChildren }) {
  const { result, refused, again } = asked
  return (
    <>
      {result.value === null && refused.value === null && <Waiting />}
      <Refusal refused={refused.value} onAgain={again} />
      {result.value !== null && children(result.value)}
    </>
  )
}
