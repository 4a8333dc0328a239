import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkPans } from './pans.ts'

/** A card number of a prefix: fifteen digits and the check digit that goes with them. */
function makePan(prefix: string): string {
  const fifteen = prefix.padEnd(15, '1')
  const sum = fifteen.split('').reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return `${fifteen}${(10 - (sum % 10)) % 10}`
}

function count(text: string): number {
  return checkPans(treeOf({ 'page.md': text })).length
}

test('a card number in a file is found, whatever its network and however it is grouped', () => {
  for (const prefix of ['8600', '5614', '9860', '2200', '2720', '333333', '444444', '4000']) {
    const pan = makePan(prefix)
    assert.equal(count(`the card ${pan}.`), 1, prefix)
    assert.equal(count(`"${pan.replaceAll(/(.{4})(?=.)/g, '$1 ')}"`), 1, prefix)
    assert.equal(count(`x${pan.replaceAll(/(.{4})(?=.)/g, '$1-')}`), 1, prefix)
  }
})

test('what the check finds is not printed by it', () => {
  const [finding] = checkPans(treeOf({ 'page.md': makePan('8600') }))
  assert.ok(!/\d{5}/.test(finding?.text ?? '12345'))
})

test('a longer number, a wrong check digit and a foreign prefix are no card', () => {
  const pan = makePan('8600')
  const wrong = pan.slice(0, -1) + String((Number(pan.at(-1)) + 1) % 10)
  for (const text of [`1${pan}`, `${pan}1`, wrong, makePan('1234')]) assert.equal(count(text), 0, text)
})

test('test numbers that processors publish are accepted in the frozen pages of form-check, and nowhere else', () => {
  const published = ['4242'.repeat(4), `4${'1'.repeat(15)}`].join(' ')
  assert.equal(checkPans(treeOf({ 'form-check/corpus/clean/1.html': published })).length, 0)
  assert.equal(checkPans(treeOf({ 'form-check/corpus/clean/1.html': makePan('8600') })).length, 1)
  assert.equal(count(published), 2)
})

test('the sandbox cards, numbers plainly made up, and lines with pan-ok are accepted', () => {
  assert.equal(count('8600069195406311 4444445987459073'), 0)
  assert.equal(count(`8600${'0'.repeat(11)}4`), 0)
  assert.equal(count(`{ "note": "pan-ok",\n "number": "${makePan('8600')}" }`), 0)
  assert.equal(count(`pan-ok\n\n${makePan('8600')}`), 1)
})
