import assert from 'node:assert/strict'
import { test } from 'node:test'

import { compose, drawPan, type House } from '../methods/compose.fixture.ts'
import type { CardRow } from '../store/store.ts'

import { makeSweep } from './sweep.ts'

const pan = '8600495473316478'

async function within(use: (house: House) => Promise<void>): Promise<void> {
  const house = await compose()
  try {
    await use(house)
  } finally {
    await house.close()
  }
}

function sweepOf({ store, keyring, clock, environment, alarms }: House) {
  const alarm = (event: string, { cardId }: { cardId: string }) => void alarms.push(`${event} ${cardId}`)
  return makeSweep({ store, keyring, clock, environment, alarm })
}

test('a card whose life is over is shredded with its code, and others are left alone', () =>
  within(async (house) => {
    const merchant = house.caller()
    const { bucket, merchantId } = merchant
    const unverified = await merchant.token(pan)
    await merchant.expect('cards.get_verify_code', { token: unverified })
    house.clock.advance(60_000)
    const [once, kept, removed] = [await verified(false), await verified(true), await merchant.token(pan)]
    await merchant.expect('cards.remove', { token: removed })

    const sweep = sweepOf(house)
    assert.equal(await sweep.runOnce(), 0)
    house.clock.advance(30 * 60_000 + 1)
    assert.equal(await sweep.runOnce(), 1)
    assert.deepEqual(await stateOf(unverified), ['ended', '', 0])
    assert.equal(await house.store.findVerification({ bucket, merchantId, cardId: unverified.slice(0, 24) }), null)
    assert.equal(await merchant.refused('cards.check', { token: unverified }), 'card_ended')
    house.clock.advance(24 * 3_600_000)
    assert.equal(await sweep.runOnce(), 1)
    assert.deepEqual(await stateOf(once), ['ended', '', 0])
    assert.deepEqual((await stateOf(kept))[0], 'live')
    assert.deepEqual(await stateOf(removed), ['removed', '', 0])
    assert.equal(await merchant.refused('cards.check', { token: removed }), 'card_deleted')
    assert.deepEqual(house.alarms, [])

    async function verified(save: boolean) {
      const token = await merchant.token(pan, { save })
      await merchant.expect('cards.get_verify_code', { token })
      await merchant.expect('cards.verify', { token, code: '666666' })
      return token
    }
    async function stateOf(token: string) {
      const row = await house.store.findCard({ bucket, merchantId, cardId: token.slice(0, 24) })
      return [row?.state, row?.keyId === '' ? '' : 'a key', row?.blob.length]
    }
  }))

test('more cards than one page are shredded in one run', () =>
  within(async (house) => {
    const merchant = house.caller()
    await Promise.all(Array.from({ length: 250 }, () => merchant.token(drawPan('8600'))))
    house.clock.advance(30 * 60_000 + 1)
    assert.equal(await sweepOf(house).runOnce(), 250)
  }))

test('a tampered row is shredded when its end has come, with an alarm, and never looks right again', () =>
  within(async (house) => {
    const merchant = house.caller()
    const { bucket, merchantId } = merchant
    const tokens = [await merchant.token(pan), await merchant.token(pan)]
    const keys = tokens.map((token) => ({ bucket, merchantId, cardId: token.slice(0, 24) }))
    const row = await house.store.findCard(keys[0]!)
    assert.ok(row !== null)
    await house.store.changeCard({ ...row, customer: 'somebody else', version: 2 }, noteOf(row))
    house.clock.advance(30 * 60_000 + 1)
    assert.equal(await sweepOf(house).runOnce(), 2)
    assert.deepEqual(house.alarms, [`row_tampered ${row.cardId}`])
    assert.equal((await house.store.findCard(keys[0]!))?.blob.length, 0)
    assert.equal(await merchant.refused('cards.check', { token: tokens[0]! }), 'internal_error')
    assert.equal(await merchant.refused('cards.check', { token: tokens[1]! }), 'card_ended')
  }))

test('the keys of the day go with what they counted', () =>
  within(async (house) => {
    const merchant = house.caller()
    await merchant.expect('cards.get_verify_code', { token: await merchant.token(pan) })
    house.clock.advance(3 * 86_400_000)
    await house.keyring.active('otp')
    await sweepOf(house).runOnce()
    const otp = house.keyring.list().filter(({ purpose }) => purpose === 'otp')
    assert.deepEqual(otp.map(({ state }) => state).sort(), ['active', 'destroyed'])
  }))

function noteOf({ merchantId, cardId }: CardRow) {
  const who = { at: 0, actor: 'test', action: 'test', merchantId, subject: cardId, requestId: '', outcome: 'test' }
  return { ...who, version: 0, mac: new Uint8Array(0) }
}
