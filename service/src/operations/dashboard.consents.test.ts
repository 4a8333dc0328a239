import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'
import { hashDisclosure } from '../domain/consents/disclosure-text.ts'
import { sandboxDisclosure } from '../adapters/sandbox/legal.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)
const pan = '8600069195406311'
const { version, texts } = hashDisclosure(sandboxDisclosure)
const consent = { version, sha256: texts.uz.sha256, locale: 'uz', at: 1_795_000_000_000 }
const params = { card: { number: '', expire: '0399' }, save: true }

test('consents are listed newest first and each once, with each text once a page, skipping cards without consent', async () => {
  const user = await entrance.user('read')
  const shop = app.merchant('spec', user.merchantId)
  const made: string[] = []
  for (let n = 0; n < 9; n++) {
    app.clock.advance(1)
    if (n % 3 === 2) await shop.createToken(pan, { save: false })
    const reply =
      n % 2 === 0 ? await shop.asPage('cards.create', { ...params, consent }, pan) : await shop.callRaw('cards.create', params, pan)
    assert.ok('card' in reply)
    made.unshift(reply.card.token.slice(0, 24))
  }
  const seen: string[] = []
  let next: string | null = null
  do {
    const page: Awaited<ReturnType<typeof list>> = await list(next)
    assert.deepEqual(
      page.texts.map(({ text }) => text),
      [sandboxDisclosure.uz],
    )
    for (const { by, sha256 } of page.consents) assert.equal(sha256 !== null, by === 'page')
    seen.push(...page.consents.map(({ cardId }) => cardId))
    next = page.next
  } while (next !== null)
  assert.deepEqual(seen, made)
  function list(after: string | null) {
    return user.call('dashboard.consents.list', { after, count: 4 })
  }
})
