import assert from 'node:assert/strict'
import { test } from 'node:test'

import { combineShares, splitSecret } from './shamir.ts'
import { createShareSet, openShareSet } from './share-set.ts'
import { formatShare, parseShare, ShareTextError } from './share-text.ts'

const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'))
const secret = Uint8Array.from({ length: 32 }, (_, i) => (i * 37 + 11) & 255)

/** Made with npm's shamir-secret-sharing 0.0.4 (Privy), three of five. */
const foreignShares = [
  { x: 42, y: hex('4d68d7d672d12f80d10f6a82524b3b75b06493ee27760cb993b27e1697f97e2d') },
  { x: 105, y: hex('d3e59fe4b5dc274cb6921719372f58426d75f1645ca1e7df47a744959179f843') },
  { x: 149, y: hex('0570ec9ccb431abb9292eb17d17c9e8ebbf83f24f7fe59b0912eac8b8f07a955') },
  { x: 89, y: hex('d68b015a64475d776d1739e63b1e77a29e41fad5dc6c2cc39a96628410232b9c') },
  { x: 119, y: hex('27c401f2c4361e083355efe3c220188e78a13fccf05135c55831a3a610841689') },
]

test('shares of another implementation of the same field combine to their secret, whichever three', () => {
  for (const three of choose(foreignShares, 3)) assert.deepEqual(combineShares(three), secret)
})

test('every choice of as many shares as the threshold gives the secret, and one share fewer does not', () => {
  for (const [threshold, shares] of [
    [2, 2],
    [2, 3],
    [3, 5],
    [5, 7],
  ] as const) {
    const split = splitSecret(secret, { threshold, shares })
    for (const chosen of choose(split, threshold)) assert.deepEqual(combineShares(chosen), secret)
    for (const chosen of choose(split, threshold - 1)) assert.notDeepEqual(combineShares(chosen), secret)
  }
})

test('a split of 255 shares combines, and no share is the secret', () => {
  const split = splitSecret(secret, { threshold: 255, shares: 255 })
  assert.deepEqual(combineShares(split), secret)
  for (const { y } of split) assert.notDeepEqual(y, secret)
})

test('impossible thresholds, a repeated share and shares of two lengths are refused', () => {
  for (const size of [
    { threshold: 1, shares: 3 },
    { threshold: 4, shares: 3 },
    { threshold: 2, shares: 256 },
    { threshold: 2.5, shares: 3 },
  ])
    assert.throws(() => splitSecret(secret, size), RangeError)
  const [first, second] = splitSecret(secret, { threshold: 2, shares: 2 })
  assert.ok(first !== undefined && second !== undefined)
  assert.throws(() => combineShares([first, first]), /twice/)
  assert.throws(() => combineShares([first, { x: 2, y: second.y.subarray(1) }]), /not of this secret/)
})

test('a share reads back from its text, also in small letters, with blanks, and with O and l for 0 and 1', () => {
  for (let round = 0; round < 20; round++) {
    for (const share of createShareSet({ threshold: 2, shares: 3 }, { environment: 'test', now: 1 }).shares) {
      const text = formatShare(share)
      assert.match(text, /^([0-9A-HJKMNP-TV-Z]{4}-){17}[0-9A-HJKMNP-TV-Z]{4}$/)
      const typed = ` ${text.toLowerCase().replaceAll('-', '  ').replaceAll('0', 'o').replaceAll('1', 'l')}\n`
      for (const each of [text, typed]) assert.deepEqual(parseShare(each), share)
    }
  }
})

test('a share with any character replaced, exchanged, left out or added is refused with what is wrong', () => {
  const [share] = createShareSet({ threshold: 2, shares: 3 }, { environment: 'test', now: 1 }).shares
  assert.ok(share !== undefined)
  const text = formatShare(share).replaceAll('-', '')
  for (let at = 0; at < text.length; at++) {
    const other = text[at] === 'Z' ? 'Y' : 'Z'
    assert.throws(() => parseShare(text.slice(0, at) + other + text.slice(at + 1)), /checksum/)
    const [one = '', two = ''] = text.slice(at, at + 2)
    if (two !== '' && one !== two) assert.throws(() => parseShare(text.slice(0, at) + two + one + text.slice(at + 2)), /checksum/)
  }
  assert.throws(() => parseShare(text.slice(1)), /72 in all; this has 71/)
  assert.throws(() => parseShare(`${text}0`), /this has 73/)
  assert.throws(() => parseShare(`${text.slice(0, 9)}U${text.slice(10)}`), /group 3 has a character/)
  assert.throws(() => parseShare(''), ShareTextError)
})

test('a set opens with its own shares only: not with a forged one, in another environment, or when its row was changed', async () => {
  const made = createShareSet({ threshold: 2, shares: 3 }, { environment: 'production', now: 1 })
  const [one, two, three] = made.shares
  assert.ok(one !== undefined && two !== undefined && three !== undefined)
  const opened = openShareSet(made.set, 'production', [three, one])
  const wrapped = await opened?.kek.wrap(secret, Buffer.from('owner'))
  assert.ok(opened !== null && wrapped !== undefined)
  assert.deepEqual(await openShareSet(made.set, 'production', [one, two])?.kek.unwrap(wrapped, Buffer.from('owner')), Buffer.from(secret))
  assert.equal(opened.kek.id, `shares-${made.set.setId}`)
  assert.equal(openShareSet(made.set, 'test', [one, two]), null)
  assert.equal(openShareSet(made.set, 'production', [one]), null)
  const forged = { ...two, y: Uint8Array.from(two.y, (byte, i) => (i === 7 ? byte ^ 1 : byte)) }
  assert.equal(openShareSet(made.set, 'production', [one, forged]), null)
  for (const changed of [{ shares: 4 }, { createdAt: 2 }, { setId: '00000000' }, { knownAnswer: new Uint8Array(31) }])
    assert.equal(openShareSet({ ...made.set, ...changed }, 'production', [one, two]), null)
})

function choose<T>(from: readonly T[], count: number): T[][] {
  if (count === 0) return [[]]
  return from.flatMap((each, at) => choose(from.slice(at + 1), count - 1).map((rest) => [each, ...rest]))
}
