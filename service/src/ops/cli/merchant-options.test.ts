import assert from 'node:assert/strict'
import { test } from 'node:test'

import { noSettings } from '../../domain/merchants/settings.ts'
import { patchOptions, readPatchOptions } from './merchant-options.ts'

const valueByPlaceholder: Readonly<Record<string, string>> = {
  '<text>': 'x',
  '<list>': 'https://shop.example',
  '<json>': '{}',
  '<tiyin>': '500',
  '<#rrggbb>': '#1f6f5c',
  '<file>': 'none',
  '<on|off>': 'on',
  '<merchant/terminal>': '1/2',
}

test('every setting of a merchant has an option, and every option sets one', () => {
  const members = patchOptions.map(({ name, takes = '' }) => {
    const options = new Map([[name, valueByPlaceholder[takes] ?? assert.fail(`no value for ${takes}`)]])
    return Object.keys(readPatchOptions({ options }))
  })
  // The endpoint has commands of its own: its password is sealed.
  const expected = ['name', 'organization', 'address', ...Object.keys(noSettings).filter((name) => name !== 'endpoint')]
  assert.deepEqual(members.flat().sort(), expected.sort())
})
