import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

import { passesLuhn } from './mask.ts'
import { readVectorFile, type VectorFile } from './vector.ts'

const folder = new URL('vectors/', import.meta.url)
const texts = new Map(readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]))
const files: VectorFile[] = [...texts].map(([name, text]) => readVectorFile(name.replace('.json', ''), text))
const vectors = files.flatMap((file) => file.cases.map((vector) => ({ group: file.group, ...vector })))

describe('the vectors', () => {
  it('begin with the first test card in the spec profile', () => {
    const first = files.find(({ group }) => group === 'cards.create')?.cases[0]
    assert.equal(
      first?.reply.body,
      '{"jsonrpc":"2.0","id":"1","result":{"card":{"number":"8600***6311","expire":"0399","token":"{{token:first}}","recurrent":true,"verify":false,"type":"22618"}}}',
    )
    assert.equal(first.request.kind === 'call' && first.request.line, 'POST /api/cards.create')
  })

  it('are many', () => {
    assert.ok(vectors.length >= 250, `${vectors.length}`)
  })

  it('have one title each within their group', () => {
    for (const { group, cases } of files) {
      const titles = cases.map(({ title }) => title)
      assert.deepEqual(titles, [...new Set(titles)], group)
    }
  })

  it('each cite the rule that they protect', () => {
    const sources = /^(docs\/reference\/[\w-]+\.md#[\w-]+|RFC \d{4})/
    assert.deepEqual(
      vectors.filter(({ spec }) => !sources.test(spec)).map(({ spec }) => spec),
      [],
    )
  })

  it('each ask something of the reply', () => {
    const idle = vectors.filter(({ reply }) => reply.status === 200 && reply.body === null && reply.contains.length === 0)
    assert.deepEqual(idle, [])
  })

  it('use a token only after a case of their own group that gives it', () => {
    for (const { group, cases } of files) {
      const given = new Set<string>()
      for (const { title, request, reply } of cases) {
        const sent = JSON.stringify(request)
        for (const [, name = ''] of sent.matchAll(/\{\{(?:token|cardIdOf|secretOf):([^}]*)\}\}/g)) {
          assert.ok(given.has(name), `${group}: ${title}: ${name}`)
        }
        for (const [, name = ''] of (reply.body ?? '').matchAll(/\{\{token:([^}]*)\}\}/g)) given.add(name)
      }
    }
  })

  it('contain no card numbers except the seven public ones and numbers of zeros', () => {
    const isMadeUp = (digits: string) => publicCards.has(digits) || /0{6}[0-9]$/.test(digits)
    for (const [name, text] of texts) {
      const strange = (text.match(/(?<![0-9])[0-9]{12,19}(?![0-9])/g) ?? []).filter((digits) => passesLuhn(digits) && !isMadeUp(digits))
      assert.deepEqual(strange, [], name)
    }
  })

  it('that make a card need the test environment', () => {
    const making = vectors.filter(({ reply }) => reply.body?.includes('{{token:') === true)
    assert.ok(making.length > 50)
    assert.deepEqual(
      making.filter(({ needs }) => !needs.includes('test')),
      [],
    )
  })
})

describe('a vector file', () => {
  const refused: [string, object, RegExp][] = [
    ['an unknown member', { titel: 'x' }, /case 1 has an unknown member titel/],
    ['no title', { title: undefined }, /title is no string/],
    ['an unknown need', { needs: ['luck'] }, /needs is/],
    ['headers that are an object', { request: { line: 'POST /api', headers: {} } }, /headers is no array/],
    ['a status that is a string', { reply: { status: '200' } }, /number is missing or wrong/],
  ]
  for (const [title, change, message] of refused) {
    it(`is refused for ${title}`, () => {
      const vector = { title: 't', spec: 'docs/reference/wire.md#profiles', request: { line: 'POST /api' }, reply: {}, ...change }
      assert.throws(() => readVectorFile('x', JSON.stringify({ about: 'x', cases: [vector] })), message)
    })
  }

  it('takes the quotes off placeholders of numbers and objects, and off no others', () => {
    const reply = { json: { a: '{{int:1..2}}', b: '{{object}}', c: '{{token:d}}', e: 'x{{int}}' } }
    const { cases } = readVectorFile(
      'x',
      JSON.stringify({ about: 'x', cases: [{ title: 't', spec: 's', request: { line: 'POST /api' }, reply }] }),
    )
    assert.equal(cases[0]?.reply.body, '{"a":{{int:1..2}},"b":{{object}},"c":"{{token:d}}","e":"x{{int}}"}')
  })
})

const publicCards = new Set([
  '8600069195406311',
  '8600495473316478',
  '8600060921090842',
  '3333336415804657',
  '4444445987459073',
  '8600143417770323',
  '8600134301849596',
])
