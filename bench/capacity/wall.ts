import { wallNames, type Wall } from './needs.ts'

/** What has an end, when, and what moves it: a sentence. */
export function describeWall(wall: Wall): string {
  const { what, remedy } = wallNames[wall.name]
  return `${what}, ${describeWhen(wall)}: ${remedy}`
}

/** `at 1.2 times this demand`. */
export function describeWhen({ atTimes }: Wall): string {
  if (!Number.isFinite(atTimes)) return 'never'
  return atTimes >= 1
    ? `at ${atTimes.toLocaleString('en', { maximumSignificantDigits: 2 })} times this demand`
    : `already: this is ${(1 / atTimes).toLocaleString('en', { maximumSignificantDigits: 2 })} times as much as one has`
}
