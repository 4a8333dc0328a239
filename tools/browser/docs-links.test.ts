// needs: build
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import { errors } from '@tessera/contract/errors'
import { publicOperations } from '@tessera/contract/operations'
import { rules } from '@tessera/form-check/rules'

import { docsPath } from '../../dashboard/components/docs-path.ts'
import { reasonMessages } from '../../dashboard/messages/reason-messages.ts'

const folder = new URL('../../dashboard/dist/docs/', import.meta.url)

function isServed(href: string): boolean {
  const [path = '', anchor] = href.replace(/^\/docs\/?/, '').split('#')
  const file = new URL(`${path === '' ? 'index' : path}.html`, folder)
  return existsSync(file) && (anchor === undefined || readFileSync(file, 'utf8').includes(` id="${anchor}"`))
}

test('every code, reason, method, rule and page that the dashboard links to is in the documentation that the service serves', () => {
  const reasons = new Set([
    ...Object.values(errors).map(({ reason }) => reason),
    ...Object.keys(reasonMessages.en.all),
    ...Object.keys(reasonMessages.en.code),
  ])
  assert.ok(reasons.size > 100 && Object.keys(rules).length > 5)
  const { reason, method, pageRule, ...others } = docsPath
  const links = [
    ...[...reasons].map(reason),
    ...Object.keys(publicOperations).map(method),
    ...Object.keys(rules).map(pageRule),
    ...Object.values(others),
  ]
  assert.deepEqual(
    links.filter((href) => !isServed(href)),
    [],
  )
  assert.ok(!isServed(reason('no_such_reason')) && !isServed('/docs/nothing'), 'the control')
})
