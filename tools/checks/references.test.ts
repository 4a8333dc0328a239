import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkReferences } from './references.ts'

function judge(text: string): string[] {
  const tree = treeOf({
    'docs/page.md': text,
    'docs/other.md': '# The `sealed` card, twice\n\n<a id="x"></a>',
    'README.md': '',
    'src/a.ts': '',
  })
  return checkReferences(tree).map((finding) => `${finding.line}`)
}

test('a link to a missing file or heading is found on its line', () => {
  const broken = ['[a](gone.md)', '[a](../gone/)', '![a](gone.png "t")', '[a]: gone.md', '[a](other.md#gone)', '[a](#gone)']
  for (const text of broken) assert.deepEqual(judge(`# Page\n${text}\n`), ['2'], text)
})

test('a link that resolves is accepted', () => {
  const whole = [
    '[a](other.md)',
    '[a](other.md#the-sealed-card-twice)',
    '[a](other.md#x)',
    '[a](../README.md)',
    '[a](../src/)',
    '[a](../src/a.ts)',
    '[a](#page)',
    '[a](https://example.org/x)',
    '`[a](gone.md)`',
    '```\n[a](gone.md)\n```',
  ]
  for (const text of whole) assert.deepEqual(judge(`# Page\n${text}\n`), [], text)
})

/** What is found in one file beside a page with one heading. */
function judgeFile(path: string, text: string): string[] {
  return checkReferences(treeOf({ [path]: text, 'docs/reference/wire.md': '# Errors', 'SECURITY.md': '' })).map((finding) => finding.text)
}

test('a missing page or heading that code cites is found', () => {
  const broken = [
    'docs/gone.md',
    'docs/reference/wire.md#gone',
    'gone.md',
    'see wire §3.',
    'security.md §3, rule 2',
    'as ../shared/spec/wire.md says',
  ]
  for (const text of broken) assert.notEqual(judgeFile('service/src/a.ts', `// ${text}`).length, 0, text)
  assert.deepEqual(judgeFile('docs/page.md', '# Page\nSee wire §3.'), ['cites "wire §": cite a page of this repository (docs/reference/…)'])
})

test('an existing page that code cites is accepted, and so are standards and addresses', () => {
  const whole = [
    'docs/reference/wire.md#errors',
    'docs/reference/wire.md, and more',
    'SECURITY.md',
    'wire.md#errors',
    'RFC 9110 §5.5',
    'https://example.org/docs/gone.md',
  ]
  for (const text of whole) assert.deepEqual(judgeFile('service/src/a.ts', `// ${text}`), [], text)
})

test('a conformance vector that cites no rule is found', () => {
  const judgeSpec = (spec: string): string[] => judgeFile('conformance/vectors/a.json', JSON.stringify({ cases: [{ title: 'one', spec }] }))
  assert.deepEqual(judgeSpec('docs/reference/wire.md#errors: the order of refusals'), [])
  assert.deepEqual(judgeSpec('RFC 8259 §8.1'), [])
  assert.deepEqual(judgeSpec('somewhere it is said'), ['"one" cites no rule: docs/reference/….md#…'])
  assert.equal(judgeSpec('docs/reference/wire.md#gone').length, 1)
})

test('a decision that the index of the pages lists twice, too early, too late or not at all is found', () => {
  const judgeList = (...names: string[]): string[] => {
    const decisions = { 'docs/decisions/0001-a.md': '', 'docs/decisions/0002-b.md': '', 'docs/decisions/0010-c.md': '' }
    const list = names.map((name) => `- [${name}](decisions/${name}.md)\n`).join('')
    return checkReferences(treeOf({ ...decisions, 'docs/README.md': `# Decisions\n\n${list}` })).map(({ line, text }) => `${line} ${text}`)
  }
  assert.deepEqual(judgeList('0001-a', '0002-b', '0010-c'), [])
  assert.deepEqual(judgeList('0001-a', '0002-b', '0010-c', '0002-b'), ['6 lists docs/decisions/0002-b.md twice'])
  assert.deepEqual(judgeList('0001-a', '0010-c', '0002-b'), [
    '5 lists docs/decisions/0002-b.md after docs/decisions/0010-c.md: the list is in the order of the numbers',
  ])
  assert.deepEqual(judgeList('0001-a', '0010-c'), ['1 does not list docs/decisions/0002-b.md'])
})
