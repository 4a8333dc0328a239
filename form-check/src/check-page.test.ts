import assert from 'node:assert/strict'
import { test } from 'node:test'

import { checkPage } from './check-page.ts'
import { CannotCheck, readPages } from './read-pages.ts'
import { printSarif, printText } from './report.ts'
import { rules, type RuleId } from './rules.ts'

const sdk = '<script src="https://form.test/sdk/v1/tessera.js" integrity="sha384-x" crossorigin="anonymous"></script>'
const policy = '<meta http-equiv="Content-Security-Policy" content="script-src https://form.test">'
const good = `<!doctype html>${policy}\n<form><div id="card"></div></form><input type="checkbox" id="save-card"><input name="email">`

const breaches: Record<RuleId, string> = {
  'card-input': '<input autocomplete="cc-number">',
  'input-name': '<input autocomplete="cc-exp" name="e">',
  'form-action': `<form action="/pay">${sdk}</form>`,
  'sdk-missing': '<input placeholder="Номер карты">',
  'consent-ticked': '<input type="checkbox" id="save-card" checked>',
  'password-in-page': `<script>auth = '${'a1'.repeat(12)}:secretsecret'</script>`,
  'sdk-integrity': '<script src="https://form.test/sdk/v1/tessera.js"></script>',
  'csp-missing': sdk,
  'script-inventory': sdk,
}

function rulesIn(text: string): RuleId[] {
  return checkPage({ path: 'a.html', text, hasPolicy: false }).map(({ rule }) => rule)
}

test('each rule of the form check is found on the line where a page breaks it, and not on a good page', () => {
  assert.deepEqual(rulesIn(good), [])
  assert.deepEqual(rulesIn(good + sdk), ['script-inventory'])
  for (const rule of Object.keys(rules) as RuleId[]) {
    const found = checkPage({ path: 'a.html', text: `<!doctype html>\n\n${breaches[rule]}`, hasPolicy: false }).find(
      (one) => one.rule === rule,
    )
    assert.equal(found?.line, rule === 'csp-missing' ? 1 : 3, rule)
  }
})

test('a report of the form check repeats no password and is JSON whatever an attribute holds', () => {
  const secret = checkPage({ path: 'a.html', text: breaches['password-in-page'], hasPolicy: false })
  const inAddresses = [
    '<form action="//shop.test/?',
    `"><input autocomplete=cc-number></form><script src="/sdk/v1/tessera.js?`,
    '"></script>',
  ]
  const both = [':', '%3A'].flatMap((colon) =>
    checkPage({ path: 'a.html', text: inAddresses.join(`${'a1'.repeat(12)}${colon}secretsecret`), hasPolicy: false }),
  )
  const asked = ['form-action', 'sdk-integrity', 'password-in-page']
  assert.ok(asked.every((rule) => both.filter((one) => one.rule === rule).length >= 2))
  const all = [...secret, ...both]
  assert.doesNotMatch(JSON.stringify(printSarif(all)) + printText(all, 1), /secretsecret/)
  const found = checkPage({ path: 'a.html', text: '<input autocomplete=cc-number name="\u001b[31m\ud800\u0000]]>">', hasPolicy: false })
  assert.ok(found.length > 0)
  assert.deepEqual(JSON.parse(JSON.stringify(printSarif(found))), printSarif(found))
  assert.ok(!printText(found, 1).includes('\u001b'))
})

test('what cannot be checked is told, not passed', async () => {
  await assert.rejects(readPages('/no/such/folder'), CannotCheck)
  await assert.rejects(readPages('http://127.0.0.1:1/'), CannotCheck)
  await assert.rejects(readPages('package-lock.json'), CannotCheck)
})
