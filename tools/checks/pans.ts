import type { Tree } from '../tree.ts'
import type { CheckFinding } from './finding.ts'

/** The seven cards of the test environment: public, and the only numbers that a file may contain. */
const sandboxPans: ReadonlySet<string> = new Set([
  '8600069195406311',
  '8600495473316478',
  '8600060921090842',
  '3333336415804657',
  '4444445987459073',
  '8600143417770323',
  '8600134301849596',
])

/** Test numbers that processors publish and no bank issues. They count in the corpus of form-check alone: its pages never change. */
const publishedPans: ReadonlySet<string> = new Set(['4242424242424242', '4111111111111111']) // pan-ok
const frozenPages = 'form-check/corpus/'

/** Sixteen digits in one run or in groups of four, not inside a longer run. */
const sixteenDigits = /(?<![0-9])[0-9]{4}([ -]?)[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?![0-9])/g

/**
 * A check: no file contains a card number. A number with eight zeros in a row is plainly made up; for any other generated number, `pan-ok` is on its
 * line or on the line before.
 */
export function checkPans(tree: Tree): CheckFinding[] {
  return tree.paths.flatMap((path) => {
    const lines = tree.read(path).split('\n')
    return lines.flatMap((text, index) => {
      const isAllowed = text.includes('pan-ok') || (lines[index - 1] ?? '').includes('pan-ok')
      const pans = findPans(text).filter((run) => !path.startsWith(frozenPages) || !publishedPans.has(run))
      return isAllowed ? [] : pans.map(maskOf).map((mask) => ({ path, line: index + 1, text: `a card number (${mask}): ${instead}` }))
    })
  })
}

const instead = 'use a sandbox card or a number with eight zeros in a row; beside a published vector write pan-ok'

function findPans(text: string): string[] {
  const runs = (text.match(sixteenDigits) ?? []).map((run) => run.replaceAll(/[ -]/g, ''))
  return runs.filter((run) => !sandboxPans.has(run) && !run.includes('00000000') && hasCardPrefix(run) && hasCheckDigit(run))
}

function maskOf(pan: string): string {
  return `${pan.slice(0, 4)}…`
}

/** Uzcard, Humo, Mir, Mastercard, Visa, and the two prefixes of the sandbox. */
function hasCardPrefix(digits: string): boolean {
  const prefix = Number(digits.slice(0, 4))
  const isRange = (prefix >= 2200 && prefix <= 2204) || (prefix >= 2221 && prefix <= 2720)
  return isRange || /^(8600|5614|9860|333333|444444|4|5[1-5])/.test(digits)
}

/** ISO/IEC 7812-1 Annex B. Implemented here, because a check of the contract must not depend on it. */
function hasCheckDigit(digits: string): boolean {
  const sum = digits.split('').reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
