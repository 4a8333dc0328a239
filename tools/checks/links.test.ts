import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkLinks } from './links.ts'

function judge(text: string): string[] {
  const tree = treeOf({
    'docs/page.md': text,
    'docs/other.md': '# The `sealed` card, twice\n\n<a id="x"></a>',
    'README.md': '',
    'src/a.ts': '',
  })
  return checkLinks(tree).map((finding) => `${finding.line}`)
}

test('a link to a file or a heading that is not there is found on its line', () => {
  const broken = ['[a](gone.md)', '[a](../gone/)', '![a](gone.png "t")', '[a]: gone.md', '[a](other.md#gone)', '[a](#gone)']
  for (const text of broken) assert.deepEqual(judge(`# Page\n${text}\n`), ['2'], text)
})

test('a link that leads somewhere is left in peace', () => {
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
