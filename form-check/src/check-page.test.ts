import assert from 'node:assert/strict'
import { test } from 'node:test'

import { checkPage } from './check-page.ts'
import type { Finding } from './finding.ts'
import { rules, type RuleId } from './rules.ts'

const door = '<script src="https://form.test/sdk/1.0.0/tessera.js" integrity="sha384-x" crossorigin="anonymous"></script>'
const policy = (text: string): string => `<meta http-equiv="Content-Security-Policy" content="${text}">`
const strict = policy('script-src https://form.test; frame-src https://form.test')
const good = `<!doctype html>${strict}\n<form><div id="card"></div></form><label><input type="checkbox" id="save-card">Save</label><input name="email">`

/** What stands on the third line and breaks the rule. */
const breaches: Partial<Record<RuleId, string>> = {
  'card-input': '<input autocomplete="cc-number">',
  'sad-input': '<input autocomplete="cc-csc">',
  'input-name': '<input autocomplete="cc-exp" name="e">',
  'form-action': `<form action="/pay">${door}</form>`,
  'submit-attribute': `<form hx-post="/pay"><input autocomplete="cc-number"></form>`,
  'sdk-missing': '<input placeholder="Номер карты">',
  'form-origin': '<iframe src="/form/v1?merchant=a"></iframe>',
  'own-call': `<script>call('cards.create')</script>`,
  'consent-ticked': '<input type="checkbox" id="save-card" checked>',
  'password-in-page': `<script>auth = '${'a1'.repeat(12)}:secretsecret'</script>`,
  'sdk-integrity': '<script src="https://form.test/sdk/v1/tessera.js"></script>',
  'script-integrity': `${door}<script src="https://others.test/a.js"></script>`,
  'csp-missing': door,
  'csp-blocks-form': `${policy("script-src 'self'")}${door}`,
  'csp-weak': `${policy('script-src * https://form.test')}${door}`,
  'script-inventory': door,
}

function findingsIn(text: string): readonly Finding[] {
  return checkPage({ path: 'a.html', text, policies: [], origin: null }).findings
}

test('each rule that a source can break is found on its line, and a good page is quiet', () => {
  assert.deepEqual(findingsIn(good), [])
  assert.deepEqual(
    findingsIn(good + door).map(({ rule }) => rule),
    ['script-inventory'],
  )
  const ofSource = (Object.keys(rules) as RuleId[]).filter((rule) => rules[rule].seenBy !== 'browser')
  assert.deepEqual(Object.keys(breaches), ofSource)
  for (const rule of ofSource) {
    const found = findingsIn(`<!doctype html>\n\n${breaches[rule] ?? ''}`).find((one) => one.rule === rule)
    assert.equal(found?.line, rule === 'csp-missing' ? 1 : 3, rule)
    assert.ok(found.column !== null || rule === 'csp-missing', rule)
  }
})

test('a form that an input names by its id is the input’s form, wherever the two stand', () => {
  const found = findingsIn('<form id="f" action="/pay"></form><input autocomplete="cc-number" form="f">').map(({ rule }) => rule)
  assert.ok(found.includes('form-action') && found.includes('submit-attribute'), found.join())
})

test('what is no card input of a shop is left in peace', () => {
  const quiet = [
    '<input name="q" placeholder="Search"><input type="checkbox" name="agree">',
    '<!-- <input autocomplete="cc-number" name="n"> --><script type="application/json">{"x":"<input autocomplete=cc-number>"}</script>',
    '<textarea name="comment"></textarea><input name="gift-card" type="hidden"><input autocomplete="one-time-code">',
    '<form action="/search"><input name="company"></form><input placeholder="Discard"><input name="expand">',
  ]
  for (const page of quiet) assert.deepEqual(findingsIn(page), [], page)
})

test('a policy is read as a browser reads it: the first of a name counts, and all policies hold at once', () => {
  const page = (header: string): string[] =>
    checkPage({ path: 'https://shop.test/', text: door, policies: [header], origin: 'https://shop.test' }).findings.map(({ rule }) => rule)
  const blocked = [
    "script-src 'self'",
    'script-src *.test https://form.test:8443; frame-src none.test',
    "default-src 'none'",
    "script-src https://form.test, default-src 'self'",
  ]
  const open = [
    'script-src https://form.test',
    'script-src *.test',
    "default-src 'none'; script-src 'nonce-a'; frame-src https:",
    "frame-src https://form.test; frame-src 'none'; script-src *.test",
  ]
  for (const header of blocked) assert.ok(page(header).includes('csp-blocks-form'), header)
  for (const header of open) assert.ok(!page(header).includes('csp-blocks-form'), header)
  assert.ok(page("script-src 'unsafe-inline' https://form.test").includes('csp-weak'))
  assert.ok(!page("script-src 'unsafe-inline' 'nonce-a' https://form.test").includes('csp-weak'))
})
