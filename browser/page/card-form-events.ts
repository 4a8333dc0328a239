import { frameMembers, type FormError, type FormWarning, type FromFrame } from '@tessera/contract/frame'

import { reasonDocs } from './card-form-options.ts'
import type { CardFormEvents } from './card-form-types.ts'

/** A message of the frame that is an event. */
export type EventMessage = Extract<FromFrame, { readonly type: keyof CardFormEvents }>

/** Every message of the frame. Of `size` and `ignored` there is no event: a listener for them is never called. */
export const eventNames = Object.keys(frameMembers) as (keyof CardFormEvents)[]

/** The value that listeners receive, made from the frame's message. */
export function readEventValue(message: EventMessage, origin: string, frame: Element): unknown {
  const { type, ...members } = message
  if (type === 'token') return members
  // The frame of an older service sends no brand.
  if (type === 'change') return { brand: null, ...message, error: Object.values(message.errors)[0] ?? null }
  const [value] = Object.values<unknown>(members)
  // Errors and warnings are the only ones with a reason.
  const { reason } = Object(value) as Partial<FormError | FormWarning>
  if (reason) return { ...(value as object), docs: reasonDocs(reason, origin) }
  return value === 'unverified' && isClipped(frame) ? 'hidden' : value
}

/** Whether the page clips the bottom of the frame where nobody can scroll to it. The frame itself cannot know that. */
function isClipped(frame: Element): boolean {
  const bottom = frame.getBoundingClientRect().bottom
  // The overflow of body and html applies to the window, which can be scrolled.
  for (let element: Element | null = frame; element && element !== document.body; element = element.parentElement) {
    const style = getComputedStyle(element)
    if (style.clipPath !== 'none') return true
    if (/hidden|clip/.test(style.overflowY) && element.getBoundingClientRect().bottom < bottom - 1) return true
  }
  return false
}
