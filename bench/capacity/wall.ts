import type { Wall } from './needs.ts'

/** What is used up first, when, and what moves it: a sentence. */
export function describeWall({ what, atTimes }: Wall): string {
  const when = Number.isFinite(atTimes)
    ? atTimes >= 1
      ? `at ${atTimes.toLocaleString('en', { maximumSignificantDigits: 2 })} times this demand`
      : `already: this is ${(1 / atTimes).toLocaleString('en', { maximumSignificantDigits: 2 })} times as much as one has`
    : 'never'
  return `${what}, ${when}: ${remedies[what]}`
}

const remedies: Readonly<Record<Wall['what'], string>> = {
  'the cores of one primary': 'a larger machine; then Citus, by bucket',
  'the write-ahead log of one primary': 'faster disks and lines to the standbys; then Citus, by bucket',
  'the disks of one primary': 'more disk, or fewer years; then Citus, by bucket',
}
