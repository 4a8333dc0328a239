import { ancestorsOf, textBetween, type Outline, type OutlineElement } from './outline.ts'

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

/** Inputs in a row that take the same few digits each are one number in parts, when they take 15 to 19 digits together: four times four, or one in each of 16. */
export function findSplitBoxes(outline: Outline, fields: readonly OutlineElement[]): ReadonlySet<OutlineElement> {
  const boxes = new Set<OutlineElement>()
  let row: OutlineElement[] = []
  const closeRow = (): void => {
    const digits = row.length * digitsOf(row[0])
    // More than four parts of four are another number: the code of a receipt, an account.
    if (digits >= minBoxDigits && digits <= maxBoxDigits) for (const part of row) boxes.add(part)
    row = []
  }
  for (const field of fields) {
    const previous = row.at(-1)
    const isNext =
      previous !== undefined &&
      digitsOf(previous) === digitsOf(field) &&
      field.start - previous.end <= maxBoxDistance &&
      !/\p{L}/u.test(textBetween(outline, previous.end, field.start, 20))
    if (!isNext) closeRow()
    if (digitsOf(field) > 0) row.push(field)
  }
  closeRow()
  return boxes
}

/** How many digits a part of a number takes: one to four; 0: the input is no part. */
export function digitsOf(field: Pick<OutlineElement, 'tag' | 'attributes' | 'code'> | undefined): number {
  if (field === undefined) return 0
  const { tag, attributes, code } = field
  if (tag === 'select')
    return /^\D*0\n1\n2\n3\n4\n5\n6\n7\n8\n9$/.test(
      code
        .replace(/[ \t\r]/g, '')
        .replace(/\n+/g, '\n')
        .trim(),
    )
      ? 1
      : 0
  if (tag !== 'input') return 0
  const most = attributes['max'] ?? ''
  const bounds = [
    attributes['maxlength'],
    attributes['size'],
    /\{(\d)\}\$?$/.exec(attributes['pattern'] ?? '')?.[1],
    /^9+$/.test(most) ? `${most.length}` : '',
  ]
  return Number(bounds.find((bound) => /^[1-4]$/.test(bound ?? '')) ?? 0)
}

const maxGroupFields = 12
const minBoxDigits = 15
const maxBoxDigits = 19
/** In elements and texts. */
const maxBoxDistance = 8
