import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { KekError, type Kek } from '@tessera/vault/kek'

/** What every provider of the key encryption key must do. `open` opens the same key each time; `openOther` opens another one. */
export function describeKek(name: string, { open, openOther }: { open: () => Promise<Kek>; openOther: () => Promise<Kek> }): void {
  describe(`KEK provider ${name}`, () => {
    it('unwraps what it wrapped, also after it was reopened', async () => {
      const wrapped = await (await open()).wrap(dek, associated)
      assert.deepEqual(Buffer.from(await (await open()).unwrap(wrapped, associated)), Buffer.from(dek))
    })

    it('has one id, and another key has another id', async () => {
      const [first, again, other] = [await open(), await open(), await openOther()]
      assert.equal(first.id, again.id)
      assert.notEqual(first.id, other.id)
    })

    it('refuses other associated data, so that wrapped keys cannot be swapped (PCI DSS 3.7.7)', async () => {
      const kek = await open()
      const wrapped = await kek.wrap(dek, associated)
      await assert.rejects(kek.unwrap(wrapped, Buffer.from('another owner')), KekError)
    })

    it('refuses a wrapped key with any byte changed, removed or added', async () => {
      const kek = await open()
      const wrapped = await kek.wrap(dek, associated)
      for (let at = 0; at < wrapped.length; at++) {
        const changed = Uint8Array.from(wrapped)
        changed[at] = (changed[at] ?? 0) ^ 1
        await assert.rejects(kek.unwrap(changed, associated), KekError, `byte ${String(at)}`)
      }
      for (const wrong of [wrapped.subarray(1), wrapped.subarray(0, -1), Uint8Array.of(...wrapped, 0), new Uint8Array(0)]) {
        await assert.rejects(kek.unwrap(wrong, associated), KekError)
      }
    })

    it('refuses what another key wrapped', async () => {
      const wrapped = await (await openOther()).wrap(dek, associated)
      await assert.rejects((await open()).unwrap(wrapped, associated), KekError)
    })

    it('wraps the same key differently each time, and the result does not contain the key', async () => {
      const kek = await open()
      const [first, second] = [await kek.wrap(dek, associated), await kek.wrap(dek, associated)]
      assert.notDeepEqual(first, second)
      assert.equal(Buffer.from(first).includes(Buffer.from(dek)), false)
    })
  })
}

const dek = Uint8Array.from({ length: 32 }, (_, i) => i * 7)
const associated = Buffer.from('purpose owner key-id')
