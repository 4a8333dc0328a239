import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'

import fc from 'fast-check'

import { decodeMessage, encodeMessage, type IsoMessage } from './codec.ts'
import { encodeFrame } from './connection.ts'
import { defaultDialect, type FieldFormat } from './dialect.ts'

// The independent codec `iso_8583` of npm (development only): our encoder is read by it, and its encoder by us.

interface PeerMessage {
  getBufferMessage(): Buffer | { readonly error: string }
  getIsoJSON(framed: Buffer): Readonly<Record<string, string>>
}
const PeerCodec = createRequire(import.meta.url)('iso_8583') as new (message?: Readonly<Record<string, string>>) => PeerMessage

const types = ['0100', '0110', '0200', '0210', '0220', '0221', '0230', '0400', '0401', '0410', '0800', '0810']
const alphabets = {
  n: '0123456789',
  an: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  ans: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.',
}
const table = Object.entries(defaultDialect.fields)
const messages: fc.Arbitrary<IsoMessage & { readonly fields: Readonly<Record<number, string>> }> = fc
  .tuple(fc.constantFrom(...types), fc.subarray(table, { minLength: 1 }))
  .chain(([mti, chosen]) => {
    const fields = fc.record(Object.fromEntries(chosen.map(([number, format]) => [number, textOf(format)])))
    return fields.map((values) => ({ mti, fields: values }))
  })

test('every field, alone and with others, is read by the other codec as it was written by ours', () => {
  check(messages, (message) => {
    const framed = Buffer.from(encodeFrame(encodeMessage(withBytes(message), defaultDialect), defaultDialect))
    assert.deepEqual(new PeerCodec().getIsoJSON(framed), { 0: message.mti, ...message.fields })
  })
})

test('every field, alone and with others, is read by ours as it was written by the other codec', () => {
  check(messages, (message) => {
    const framed = encodeByPeer(message)
    assert.equal(framed.readUInt16BE(0), framed.length - 2)
    assert.deepEqual(decodeMessage(framed.subarray(2), defaultDialect), withBytes(message))
  })
})

test('a reversal has the same bytes in both', () => {
  const fields = {
    3: '000000',
    4: '000000500000',
    7: '1123190500',
    11: '000124',
    37: '632719000123',
    38: 'A1B2C3',
    41: 'TERM0001',
    49: '860',
  }
  const message = { mti: '0400', fields: { ...fields, 42: 'ACCEPTOR0000001', 90: '02000001231123190400'.padEnd(42, '0') } }
  assert.deepEqual(encodeByPeer(message), Buffer.from(encodeFrame(encodeMessage(message, defaultDialect), defaultDialect)))
})

function textOf({ type, length, lengthDigits }: FieldFormat): fc.Arbitrary<string> {
  const unit = fc.constantFrom(...Array.from(alphabets[type]))
  return fc.string({ unit, minLength: lengthDigits === 0 ? length : 1, maxLength: length })
}

/** A fixed seed: `npm run soak` searches others. */
function check<T>(values: fc.Arbitrary<T>, holds: (value: T) => void): void {
  fc.assert(fc.property(values, holds), { seed: 8583, numRuns: 500 })
}

/** The card number is bytes in our messages. */
function withBytes({ mti, fields }: IsoMessage & { readonly fields: Readonly<Record<number, string>> }): IsoMessage {
  const { 2: pan, ...others } = fields
  return { mti, fields: pan === undefined ? others : { 2: Buffer.from(pan), ...others } }
}

function encodeByPeer({ mti, fields }: { readonly mti: string; readonly fields: Readonly<Record<number, string>> }): Buffer {
  const encoded = new PeerCodec({ 0: mti, ...fields }).getBufferMessage()
  return Buffer.isBuffer(encoded) ? encoded : assert.fail(encoded.error)
}
