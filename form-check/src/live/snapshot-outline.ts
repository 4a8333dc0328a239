import { readPictureAddress } from '../fields/pictures.ts'
import { OutlineBuilder, type Outline, type OutlineElement } from '../fields/outline.ts'

import type { ElementSnapshot, OutlineItem } from './probe-protocol.ts'

/** An outline as the browser rendered it. `snapshots` has what only the browser knows about an element. */
export interface RenderedOutline {
  readonly outline: Outline
  readonly snapshots: ReadonlyMap<OutlineElement, ElementSnapshot>
}

/** Builds an outline from a snapshot. The prefix names the frame in locations. */
export function buildRenderedOutline(items: readonly OutlineItem[], prefix = ''): RenderedOutline {
  const builder = new OutlineBuilder()
  const snapshots = new Map<OutlineElement, ElementSnapshot>()
  for (const item of items) {
    if (item === null) builder.close()
    else if (typeof item === 'string') builder.text(item)
    else {
      const { tag, attributes, selector, root, code, isChecked } = item
      const place = `${prefix}${selector === '' ? tag : selector}${root === 'document' ? '' : ` (${root})`}`
      snapshots.set(builder.open({ tag, attributes, code, isChecked, location: { line: null, column: null, selector: place } }), item)
      if (tag === 'img' && (attributes['alt'] ?? '').trim() === '') builder.text(readPictureAddress(attributes['src'] ?? ''))
    }
  }
  return { outline: builder.build(), snapshots }
}
