import assert from 'node:assert/strict'
import { test } from 'node:test'

import { checkPage } from './check-page.ts'
import type { FormCheckFinding } from './finding.ts'
import { rules, type RuleId } from './rules.ts'

const embed = '<script src="https://form.test/sdk/1.0.0/tessera.js" integrity="sha384-x" crossorigin="anonymous"></script>'
const policy = (text: string): string => `<meta http-equiv="Content-Security-Policy" content="${text}">`
const strict = policy('script-src https://form.test; frame-src https://form.test')
const correctPage = `<!doctype html>${strict}\n<form><div id="card"></div></form><label><input type="checkbox" id="save-card">Save</label><input name="email">`

/** Markup that violates the rule when it is on the third line. */
const violations: Partial<Record<RuleId, string>> = {
  'card-input': '<input autocomplete="cc-number">',
  'sad-input': '<input autocomplete="cc-csc">',
  'input-name': '<input autocomplete="cc-exp" name="e">',
  'form-action': `<form action="/pay">${embed}</form>`,
  'submit-attribute': `<form hx-post="/pay"><input autocomplete="cc-number"></form>`,
  'sdk-missing': '<input placeholder="Номер карты">',
  'form-origin': '<iframe src="/form/v1?merchant=a"></iframe>',
  'own-call': `<script>call('cards.create')</script>`,
  'consent-ticked': '<input type="checkbox" id="save-card" checked>',
  'password-in-page': `<script>auth = '${'a1'.repeat(12)}:secretsecret'</script>`,
  'sdk-integrity': '<script src="https://form.test/sdk/v1/tessera.js"></script>',
  'script-integrity': `${embed}<script src="https://others.test/a.js"></script>`,
  'csp-missing': embed,
  'csp-blocks-form': `${policy("script-src 'self'")}${embed}`,
  'csp-weak': `${policy('script-src * https://form.test')}${embed}`,
  'script-inventory': embed,
}

function findingsIn(text: string): readonly FormCheckFinding[] {
  return checkPage({ path: 'a.html', text, policies: [], origin: null }).findings
}

test('every violation in the source is reported with its line, and a correct page has none', () => {
  assert.deepEqual(findingsIn(correctPage), [])
  assert.deepEqual(
    findingsIn(correctPage + embed).map(({ rule }) => rule),
    ['script-inventory'],
  )
  const sourceRules = (Object.keys(rules) as RuleId[]).filter((rule) => rules[rule].seenBy !== 'browser')
  assert.deepEqual(Object.keys(violations), sourceRules)
  for (const rule of sourceRules) {
    const found = findingsIn(`<!doctype html>\n\n${violations[rule] ?? ''}`).find((one) => one.rule === rule)
    assert.equal(found?.line, rule === 'csp-missing' ? 1 : 3, rule)
    assert.ok(found.column !== null || rule === 'csp-missing', rule)
  }
})

test('a form that an input references by id counts as its form, wherever both are in the page', () => {
  const found = findingsIn('<form id="f" action="/pay"></form><input autocomplete="cc-number" form="f">').map(({ rule }) => rule)
  assert.ok(found.includes('form-action') && found.includes('submit-attribute'), found.join())
})

test('inputs that do not ask for card details are not reported', () => {
  const pages = [
    '<input name="q" placeholder="Search"><input type="checkbox" name="agree">',
    '<!-- <input autocomplete="cc-number" name="n"> --><script type="application/json">{"x":"<input autocomplete=cc-number>"}</script>',
    '<textarea name="comment"></textarea><input name="gift-card" type="hidden"><input autocomplete="one-time-code">',
    '<form action="/search"><input name="company"></form><input placeholder="Discard"><input name="expand">',
  ]
  for (const page of pages) assert.deepEqual(findingsIn(page), [], page)
})

test('a policy is evaluated as browsers do: the first directive of a name counts, and all policies apply at once', () => {
  const violatedRules = (header: string): string[] =>
    checkPage({ path: 'https://shop.test/', text: embed, policies: [header], origin: 'https://shop.test' }).findings.map(({ rule }) => rule)
  const blocked = [
    "script-src 'self'",
    'script-src *.test https://form.test:8443; frame-src none.test',
    "default-src 'none'",
    "script-src https://form.test, default-src 'self'",
  ]
  const allowed = [
    'script-src https://form.test',
    'script-src *.test',
    "default-src 'none'; script-src 'nonce-a'; frame-src https:",
    "frame-src https://form.test; frame-src 'none'; script-src *.test",
  ]
  for (const header of blocked) assert.ok(violatedRules(header).includes('csp-blocks-form'), header)
  for (const header of allowed) assert.ok(!violatedRules(header).includes('csp-blocks-form'), header)
  assert.ok(violatedRules("script-src 'unsafe-inline' https://form.test").includes('csp-weak'))
  assert.ok(!violatedRules("script-src 'unsafe-inline' 'nonce-a' https://form.test").includes('csp-weak'))
})
