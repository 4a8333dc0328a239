import { ancestorsOf, type OutlineElement } from './outline.ts'

/** The form or dialog around an input, or the smallest part of the page with its neighbors. */
export class GroupFinder {
  readonly #starts: readonly number[]

  constructor(fields: readonly OutlineElement[]) {
    this.#starts = fields.map(({ start }) => start)
  }

  groupOf(field: OutlineElement): OutlineElement | null {
    let group: OutlineElement | null = null
    for (const ancestor of ancestorsOf(field)) {
      if (group !== null && this.#countInside(ancestor) > maxGroupFields) return group
      group = ancestor
      if (/^(form|dialog|body)$/.test(ancestor.tag) || /^(dialog|form)$/.test(ancestor.attributes['role'] ?? '')) return group
    }
    return group
  }

  #countInside({ start, end }: OutlineElement): number {
    return this.#below(end) - this.#below(start)
  }

  #below(position: number): number {
    let low = 0
    let high = this.#starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] ?? 0) < position) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Four inputs in a row that take four digits each are one number in parts. */
export function findSplitBoxes(fields: readonly OutlineElement[]): ReadonlySet<OutlineElement> {
  const isPart = ({ tag, attributes }: OutlineElement): boolean =>
    tag === 'input' &&
    (attributes['maxlength'] === '4' ||
      attributes['size'] === '4' ||
      /\{4\}\$?$/.test(attributes['pattern'] ?? '') ||
      attributes['max'] === '9999')
  const boxes = new Set<OutlineElement>()
  for (let index = 0; index + 3 < fields.length; index += 1) {
    const row = fields.slice(index, index + 4)
    const spread = (row[3]?.start ?? 0) - (row[0]?.end ?? 0)
    if (row.every(isPart) && spread <= maxBoxSpread) for (const part of row) boxes.add(part)
  }
  return boxes
}

const maxGroupFields = 12
const maxBoxSpread = 24
