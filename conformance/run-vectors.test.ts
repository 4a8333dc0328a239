import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'

import { runVectorFile, type VectorResult, type ConformanceTarget } from './run-vectors.ts'
import { readVectorFile } from './vector.ts'

/** Three cases as the real files have them: a token is given, a second one must be another, and the first is used. */
const file = readVectorFile(
  'example',
  JSON.stringify({
    about: 'An example.',
    cases: [
      create('a card', '{{token:card}}'),
      create('the same card again', '{{token:again}}'),
      {
        title: 'a check',
        spec: 'x',
        request: { line: 'POST /api', headers: ['X-Auth: {{merchant}}:{{password}}'], json: { id: 7, token: '{{token:card}}' } },
        reply: { headers: { 'access-control-allow-origin': null }, json: { id: 7, wait: '{{int:1..9}}' } },
      },
      { title: 'a slow one', spec: 'x', slow: true, request: { line: 'POST /api' }, reply: {} },
      { title: 'one for two', spec: 'x', needs: ['other merchant'], request: { line: 'POST /api' }, reply: {} },
      { title: 'a test card', spec: 'x', needs: ['test'], request: { line: 'POST /api' }, reply: {} },
    ],
  }),
)

function create(title: string, token: string) {
  return {
    title,
    spec: 'x',
    request: { line: 'POST /api', headers: ['X-Auth: {{merchant}}'], json: { id: '1', card: '8600069195406311' } },
    reply: { json: { id: '1', number: '8600***6311', token, verify: false } },
  }
}

type Answer = { status: number; headers: Record<string, string>; body: string }
type Spoil = (answer: Answer, request: { body: string; xAuth: string }) => Answer

let server: Server
let spoil: Spoil = (answer) => answer
let target: ConformanceTarget

before(async () => {
  server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const url = new URL(`http://127.0.0.1:${address.port}`)
  target = { url, merchant: 'm1', password: 'p1', other: null, refusing: null, isTest: false, slow: false, slowness: 1 }
})
after(() => server.close())

let issued = 0
const give = (secret: number) => `${'a'.repeat(24)}_${String(secret).padStart(43, '0')}`

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  const params = JSON.parse(body === '' ? '{}' : body) as { card?: string }
  const json =
    params.card === undefined ? '{"id":7,"wait":5}' : `{"id":"1","number":"8600***6311","token":"${give(++issued)}","verify":false}`
  const right: Answer = { status: 200, headers: { 'content-type': 'application/json' }, body: json }
  const answer = spoil(right, { body, xAuth: request.headers['x-auth']?.toString() ?? '' })
  response.writeHead(answer.status, answer.headers).end(answer.body)
}

async function run(how: Spoil, change: Partial<ConformanceTarget> = {}): Promise<VectorResult[]> {
  spoil = how
  const outcomes: VectorResult[] = []
  for await (const outcome of runVectorFile(file, { ...target, ...change })) outcomes.push(outcome)
  return outcomes
}

const states = (outcomes: VectorResult[]) => outcomes.map(({ state }) => state).slice(0, 3)
const replace =
  (from: string, to: string): Spoil =>
  (answer) => ({ ...answer, body: answer.body.replace(from, to) })

describe('a service that is as the vectors say', () => {
  it('passes them all', async () => {
    assert.deepEqual(states(await run((answer) => answer)), ['passed', 'passed', 'passed'])
  })

  it('is called as its merchant, with the token that it gave', async () => {
    const seen: { body: string; xAuth: string }[] = []
    await run((answer, request) => (seen.push(request), answer))
    assert.deepEqual(
      seen.map(({ xAuth }) => xAuth),
      ['m1', 'm1', 'm1:p1'],
    )
    assert.equal(seen[2]?.body, `{"id":7,"token":"${give(issued - 1)}"}`)
  })
})

describe('a service that is not is found', () => {
  const wrongs: [string, Spoil][] = [
    ['another status', (answer) => ({ ...answer, status: 201 })],
    ['another content type', (answer) => ({ ...answer, headers: { 'content-type': 'text/html' } })],
    ['no content type', (answer) => ({ ...answer, headers: {} })],
    ['the whole number for its mask', replace('8600***6311', '8600069195406311')],
    ['the other mask', replace('8600***6311', '860006******6311')],
    ['a verified card', replace('"verify":false', '"verify":true')],
    ['a string for a boolean', replace('"verify":false', '"verify":"false"')],
    ['a number for a string', replace('"id":"1"', '"id":1')],
    ['its members in another order', (answer) => ({ ...answer, body: reordered(answer.body) })],
    ['a member too many', replace('"verify":false', '"verify":false,"cvv":null')],
    ['a member too few', replace(',"verify":false', '')],
    ['a blank after a colon', replace('"id":', '"id": ')],
    ['a line end after it', (answer) => ({ ...answer, body: `${answer.body}\n` })],
    ['nothing', (answer) => ({ ...answer, body: '' })],
    ['no token', (answer) => ({ ...answer, body: answer.body.replace(/[a-f]{24}_[0-9]{43}/, 'tok_1') })],
  ]
  for (const [title, how] of wrongs) {
    it(`by ${title}`, async () => {
      const [first] = await run(how)
      assert.equal(first?.state, 'failed')
      assert.ok(first.messages.length > 0)
    })
  }

  it('by the same token twice', async () => {
    const outcomes = await run((answer) => ({ ...answer, body: answer.body.replace(/_[0-9]{43}/, `_${'0'.repeat(43)}`) }))
    assert.deepEqual(states(outcomes), ['passed', 'failed', 'passed'])
    assert.match(outcomes[1]?.messages.join() ?? '', /a new token, not that of card/)
  })

  it('by a number out of its range', async () => {
    assert.deepEqual(states(await run(replace('"wait":5', '"wait":10'))), ['passed', 'passed', 'failed'])
  })

  it('by a header that must not be there', async () => {
    const outcomes = await run((answer) => ({ ...answer, headers: { ...answer.headers, 'access-control-allow-origin': '*' } }))
    assert.deepEqual(states(outcomes), ['passed', 'passed', 'failed'])
  })

  it('and the cases that needed its token are reported as such', async () => {
    const outcomes = await run((answer) => ({ ...answer, body: answer.body.replace('verify', 'verified') }))
    assert.equal(outcomes[2]?.state, 'passed', 'a token that was given is used even when something else differs')
    const none = await run((answer) => ({ ...answer, body: '' }))
    assert.match(none[2]?.messages.join() ?? '', /\{\{token:card\}\} is not known/)
  })

  it('and the report never holds a whole card number or token', async () => {
    const outcomes = await run(replace('8600***6311', '8600069195406311'))
    const text = outcomes.flatMap((outcome) => outcome.messages).join('\n')
    assert.match(text, /8600\*\*\*6311/)
    assert.doesNotMatch(text, /8600069195406311|_[0-9]{43}/)
  })
})

describe('what is not sent', () => {
  it('is reported with its reason', async () => {
    const outcomes = await run((answer) => answer)
    assert.deepEqual(
      outcomes.slice(3).map(({ state, messages }) => `${state}: ${messages.join()}`),
      [
        'skipped: waits on purpose (--slow)',
        'skipped: needs a second merchant (--other-merchant, --other-password)',
        'skipped: needs the test environment',
      ],
    )
  })

  it('is sent when it may be', async () => {
    const outcomes = await run((answer) => answer, { isTest: true, slow: true, other: { merchant: 'm2', password: 'p2' } })
    assert.deepEqual(new Set(outcomes.map(({ state }) => state)), new Set(['passed']))
  })
})

function reordered(json: string): string {
  return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(json) as object).reverse()))
}
