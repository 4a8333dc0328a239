import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { fillTemplate, matchTemplate, MissingValueError, type TemplateValues } from './template.ts'

const tokenA = `${'a'.repeat(24)}_${'A'.repeat(43)}`
const tokenB = `${'b'.repeat(24)}_${'B'.repeat(43)}`

function known(tokens: Record<string, string> = {}): TemplateValues {
  return { given: { merchant: 'm1', password: 'p:1', host: 'h' }, tokens: new Map(Object.entries(tokens)) }
}

describe('a request written out', () => {
  it('has credentials and tokens in their places', () => {
    assert.equal(fillTemplate('X-Auth: {{merchant}}:{{password}}', known()), 'X-Auth: m1:p:1')
    assert.equal(fillTemplate('{"token":"{{token:card}}"}', known({ card: tokenA })), `{"token":"${tokenA}"}`)
    assert.equal(fillTemplate('{{cardIdOf:card}}-{{secretOf:card}}', known({ card: tokenA })), `${'a'.repeat(24)}-${'A'.repeat(43)}`)
  })

  it('is not sent while a token is missing', () => {
    assert.throws(() => fillTemplate('{{token:card}}', known()), MissingValueError)
    assert.throws(() => fillTemplate('{{otherMerchant}}', known()), MissingValueError)
  })

  it('keeps braces that are no placeholder', () => {
    assert.equal(fillTemplate('{"a":{"b":{{}}', known()), '{"a":{"b":{{}}')
  })
})

describe('a reply held against its template', () => {
  const differs = (template: string, text: string, tokens: Record<string, string> = {}) => matchTemplate(template, text, known(tokens))

  it('agrees letter for letter', () => {
    assert.equal(differs('{"a":1}', '{"a":1}'), null)
    assert.deepEqual(differs('{"a":1}', '{"a":2}'), { at: 5, wanted: '1}' })
    assert.deepEqual(differs('{"a":1}', '{"a":1}\n'), { at: 7, wanted: 'the end' })
    assert.deepEqual(differs('{"a":1}', '{"a"'), { at: 4, wanted: ':1}' })
    assert.deepEqual(differs('', 'x'), { at: 0, wanted: 'the end' })
  })

  it('teaches the tokens that are new', () => {
    const learning = known()
    assert.equal(matchTemplate('"{{token:card}}"', `"${tokenA}"`, learning), null)
    assert.equal(learning.tokens.get('card'), tokenA)
  })

  it('has the same token under the same name, and another under another', () => {
    assert.equal(differs('{{token:card}}', tokenA, { card: tokenA }), null)
    assert.match(differs('{{token:card}}', tokenB, { card: tokenA })?.wanted ?? '', /same token/)
    assert.match(differs('{{token:again}}', tokenA, { card: tokenA })?.wanted ?? '', /a new token, not that of card/)
    assert.match(differs('"{{token:card}}"', '"no token"')?.wanted ?? '', /24 hex digits/)
  })

  it('learns the ids of receipts apart from tokens', () => {
    const [id, other] = ['6745a1f0000a3f5c0d2e4b61', '6745a1f0000a3f5c0d2e4b62']
    const learning = known()
    assert.equal(matchTemplate('"{{receipt:tea}}"', `"${id}"`, learning), null)
    assert.equal(fillTemplate('{{receipt:tea}}', learning), id)
    assert.match(matchTemplate('{{receipt:tea}}', other, learning)?.wanted ?? '', /same receipt/)
    assert.match(matchTemplate('{{receipt:cup}}', id, learning)?.wanted ?? '', /a new receipt/)
    assert.match(differs('{{receipt:tea}}', `${id}0`)?.wanted ?? '', /24 hex digits/)
  })

  it('has digits and texts inside their quotes', () => {
    assert.equal(differs('["{{digits}}","{{text}}"]', '["123456789012","a \\" b"]'), null)
    for (const wrong of ['', '1234567890123', 'a'])
      assert.match(differs('"{{digits}}"', `"${wrong}"`)?.wanted ?? '', /twelve digits/, wrong)
    assert.notEqual(differs('"{{text}}"', '"a","b"'), null)
  })

  it('has integers in their range', () => {
    assert.equal(differs('{"a":{{int}}}', '{"a":-17}'), null)
    assert.equal(differs('{"a":{{int:1..60000}}}', '{"a":60000}'), null)
    for (const wrong of ['0', '60001', '1.5', '1e3', '"1"', '01', 'null']) {
      assert.match(differs('{"a":{{int:1..60000}}}', `{"a":${wrong}}`)?.wanted ?? '', /an integer 1..60000/, wrong)
    }
  })

  it('inserts a whole object, with braces in its strings', () => {
    assert.equal(differs('[{{object}},{{object}}]', '[{"a":{"b":"}"}},{"c":"\\"{"}]'), null)
    for (const wrong of ['[]', '1', '{"a":1', '{"a":}', '"{}"']) assert.match(differs('{{object}}', wrong)?.wanted ?? '', /object/, wrong)
  })

  it('inserts the id of a request', () => {
    assert.equal(differs('"{{requestId}}"', '"6745a1f0000a3f5c0d2e4b61"'), null)
    assert.match(differs('"{{requestId}}"', '"at Object.open (/src/x.ts:1)"')?.wanted ?? '', /id of a request/)
  })

  it('notices a change of any one letter', () => {
    const template = '{"jsonrpc":"2.0","id":"1","result":{"card":{"token":"{{token:card}}","verify":false}}}'
    const text = template.replace('{{token:card}}', tokenA)
    for (let i = 0; i < text.length; i++) {
      const changed = `${text.slice(0, i)}${text[i] === 'x' ? 'y' : 'x'}${text.slice(i + 1)}`
      assert.notEqual(differs(template, changed, { card: tokenA }), null, `letter ${i + 1}`)
    }
    assert.equal(differs(template, text, { card: tokenA }), null)
  })
})
