// time limit: 60 s
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'

import { tickInFrame } from '../tools/press-in-frame.ts'
import { enterCard, enterCode, startTestBed, type OpenForm, type TestBed } from './form.fixture.ts'

const success = '8600069195406311'

interface StoredCard {
  readonly recurrent: number
  readonly consent: string | null
}

describe('consent in a real browser', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  /** The row in the service's database for the token that the page received. */
  async function findStoredCard(opened: OpenForm): Promise<StoredCard> {
    const { token } = (await opened.waitForEvent('token')) as { token: string }
    const db = new DatabaseSync(join(testBed.tessera.folder, 'tessera.db'), { readOnly: true })
    const row = db.prepare('select recurrent, consent from cards where card_id = ?').get(token.split('_')[0] ?? '')
    db.close()
    assert.ok(row, 'the database has no such card')
    return row as unknown as StoredCard
  }

  for (const locale of ['uz', 'ru', 'en']) {
    it(`is stored with the card: version, hash and time of the text shown in ${locale}`, async () => {
      const opened = await testBed.open({ options: { locale } })
      const box = opened.form.locator('.consent input')
      const startedAt = Date.now()
      assert.equal(await box.isChecked(), false, 'the box is ticked by default')
      const shown = (await opened.form.locator('.consent label').textContent()) ?? ''
      await tickInFrame(box)
      await enterCard(opened, success)
      await enterCode(opened)
      const { recurrent, consent } = await findStoredCard(opened)
      assert.equal(recurrent, 1)
      const { version, sha256, locale: consentLocale, at } = JSON.parse(consent ?? '{}') as Record<string, unknown>
      assert.equal(sha256, createHash('sha256').update(shown, 'utf8').digest('hex'), 'the stored hash is not of the text that was shown')
      assert.equal(consentLocale, locale)
      assert.match(String(version), /\S/)
      assert.ok(Number(at) >= startedAt && Number(at) <= Date.now())
      await opened.page.close()
    })
  }

  it('is not stored, and the token is for one payment, when the box is not ticked or not shown', async () => {
    for (const save of ['ask', 'off']) {
      const opened = await testBed.open({ options: { save } })
      await enterCard(opened, success)
      await enterCode(opened)
      assert.deepEqual({ ...(await findStoredCard(opened)) }, { recurrent: 0, consent: null }, save)
      await opened.page.close()
    }
  })

  it('must be given again when the language changes, or when the page hides and shows the box', async () => {
    const opened = await testBed.open()
    const box = opened.form.locator('.consent input')
    for (const change of [[{ locale: 'ru' }], [{ save: 'off' }, { save: 'ask' }]]) {
      await tickInFrame(box)
      for (const options of change) {
        await opened.page.evaluate(
          (newOptions) => (globalThis as unknown as { form: { update: (o: object) => void } }).form.update(newOptions),
          options,
        )
      }
      await opened.form.locator('.consent input:not(:checked)').waitFor()
    }
    await opened.page.close()
  })
})
