// time limit: 60 s
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'

import { enterCard, enterCode, startStage, type Opened, type Stage } from './form.fixture.ts'

const success = '8600069195406311'

interface Kept {
  readonly recurrent: number
  readonly consent: string | null
}

describe('what the cardholder agreed to in a real browser', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  /** What lies in the store of the running service for the token that the page was given. */
  async function keptOf(opened: Opened): Promise<Kept> {
    const { token } = (await opened.heard('token')) as { token: string }
    const db = new DatabaseSync(join(stage.tessera.folder, 'tessera.db'), { readOnly: true })
    const row = db.prepare('select recurrent, consent from cards where card_id = ?').get(token.split('_')[0] ?? '')
    db.close()
    assert.ok(row, 'the store has no such card')
    return row as unknown as Kept
  }

  for (const locale of ['uz', 'ru', 'en']) {
    it(`is stored with the card: the text that was shown in ${locale}, its version, hash and time`, async () => {
      const opened = await stage.open({ options: { locale } })
      const box = opened.form.locator('.consent input')
      const startedAt = Date.now()
      assert.equal(await box.isChecked(), false, 'the box is ticked before anybody ticked it')
      const shown = (await opened.form.locator('.consent label').textContent()) ?? ''
      await box.check()
      await enterCard(opened, success)
      await enterCode(opened)
      const { recurrent, consent } = await keptOf(opened)
      assert.equal(recurrent, 1)
      const { version, sha256, locale: agreedIn, at } = JSON.parse(consent ?? '{}') as Record<string, unknown>
      assert.equal(sha256, createHash('sha256').update(shown, 'utf8').digest('hex'), 'another text was stored than the one shown')
      assert.equal(agreedIn, locale)
      assert.match(String(version), /\S/)
      assert.ok(Number(at) >= startedAt && Number(at) <= Date.now())
      await opened.page.close()
    })
  }

  it('is nothing, and the card pays once, while the box is not ticked or not shown', async () => {
    for (const save of ['ask', 'off']) {
      const opened = await stage.open({ options: { save } })
      await enterCard(opened, success)
      await enterCode(opened)
      assert.deepEqual({ ...(await keptOf(opened)) }, { recurrent: 0, consent: null }, save)
      await opened.page.close()
    }
  })

  it('is asked anew when the words change under a ticked box, or the page takes the box away and gives it back', async () => {
    const opened = await stage.open()
    const box = opened.form.locator('.consent input')
    for (const change of [[{ locale: 'ru' }], [{ save: 'off' }, { save: 'ask' }]]) {
      await box.check()
      for (const options of change) {
        await opened.page.evaluate(
          (asked) => (globalThis as unknown as { form: { update: (o: object) => void } }).form.update(asked),
          options,
        )
      }
      await opened.form.locator('.consent input:not(:checked)').waitFor()
    }
    await opened.page.close()
  })
})
