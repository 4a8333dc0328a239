// time limit: 60 s
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { sandboxDisclosure } from '../../adapters/sandbox/legal.ts'

import { makeScratch, startTesseraChild, type Started } from '../../testing/child.fixture.ts'

// The commands about consents, against a started service.

const demo = '65f0c0ffee0000000000cafe'
const scratch = makeScratch()
let service: Started

before(async () => {
  service = await startTesseraChild(join(scratch, 'data'))
})
after(() => service.stop())

async function create(params: object): Promise<string> {
  const body = JSON.stringify({
    id: 1,
    method: 'cards.create',
    params: { card: { number: '8600069195406311', expire: '0399' }, ...params },
  })
  const response = await fetch(`${service.facts.url}/api/cards.create`, { method: 'POST', headers: { 'x-auth': demo }, body })
  const { result } = (await response.json()) as { result: { card: { token: string } } }
  return result.card.token
}

test('the operator reads one consent with its text, and a whole export as JSON Lines and as CSV', async () => {
  const sha256 = createHash('sha256').update(sandboxDisclosure.ru).digest('hex')
  const consent = { version: sandboxDisclosure.version, sha256, locale: 'ru', at: 1_795_000_000_000 }
  const agreed = await create({ save: true, consent, customer: '=1+1,"x"' })
  const asserted = await create({ save: true })
  const once = await create({ save: false })

  const shown = await service.ask('consents', 'show', agreed.slice(0, 24))
  assert.equal(shown.code, 0, shown.err)
  assert.ok(shown.out.includes(sandboxDisclosure.ru) && shown.out.includes('a page or app'), shown.out)
  const none = await service.ask('consents', 'show', once.slice(0, 24))
  assert.match(none.err, /created for one payment/)
  const whole = await service.ask('consents', 'show', agreed)
  assert.match(whole.err, /before the underscore/)

  const json = await service.ask('consents', 'export', '--merchant', demo, '--json')
  assert.equal(json.code, 0, json.err)
  const lines = json.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(lines.at(-1), { exported: 2, faults: 0 })
  assert.deepEqual(
    lines
      .slice(0, -1)
      .map(({ by }) => by)
      .toSorted(),
    ['merchant', 'page'],
  )
  assert.ok(![agreed, asserted].some((token) => json.out.includes(token.slice(25))))

  const csv = await service.ask('consents', 'export', '--merchant', demo, '--csv')
  assert.ok(csv.out.startsWith('cardId,') && csv.out.includes(`"'=1+1,""x"""`), csv.out)
  const empty = await service.ask('consents', 'export', '--merchant', demo, '--to', '2020-01-01', '--json')
  assert.deepEqual(JSON.parse(empty.out), { exported: 0, faults: 0 })
  const wrong = await service.ask('consents', 'export', '--merchant', demo, '--from', 'yesterday')
  assert.match(wrong.err, /--from must be a time/)
})
