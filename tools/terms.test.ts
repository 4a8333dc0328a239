import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { forbiddenInTexts, terms } from '../contract/src/terms.ts'
import { listFiles } from './list-files.ts'
import { readTableFiles, readTexts, type TranslatedText } from './read-texts.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = listFiles(root)
const sources = files.filter(
  (path) => /^(contract|service\/src|browser|dashboard)\/.*\.tsx?$/.test(path) && !/\.(test|fixture|suite)\.ts$/.test(path),
)
const areas: Readonly<Record<string, readonly TranslatedText[]>> = {
  'the card form and the hosted page': ofFolder('browser/'),
  'SMS, pages and problems of the service': [...ofFolder('service/src/'), ...ofFolder('contract/')],
  'the dashboard': [
    ...ofFolder('dashboard/'),
    ...readTableFiles(root, 'dashboard/messages'),
    ...readTableFiles(root, 'dashboard/pages/compliance/messages'),
  ],
}

function ofFolder(folder: string): TranslatedText[] {
  return sources
    .filter((path) => path.startsWith(folder) && path !== 'contract/src/terms.ts' && !path.startsWith('dashboard/format/'))
    .flatMap((path) => readTexts(root, path))
}

const enough: Readonly<Record<string, number>> = {
  'the card form and the hosted page': 95,
  'SMS, pages and problems of the service': 250,
  'the dashboard': 1100,
}

for (const [area, texts] of Object.entries(areas)) {
  test(`${area}: the texts are found`, () => {
    assert.ok(texts.length >= (enough[area] ?? 0), `${String(texts.length)} texts`)
  })

  test(`${area}: what is an English term is the term of the other languages`, () => {
    const wrong = texts.flatMap((text) =>
      terms
        .filter(({ found }) => found.en.test(withoutNames(text.en)))
        .flatMap((term) =>
          (['ru', 'uz'] as const)
            .filter((language) => !term.found[language].test(text[language]))
            .map((language) => `${text.where}: "${text.en}" has ${term.en}, "${text[language]}" has no ${term[language]}`),
        ),
    )
    assert.deepEqual(wrong, [])
  })

  test(`${area}: no text has a word that is not the term, markup, or a path of the repository`, () => {
    const wrong = texts.flatMap((text) =>
      (['en', 'ru', 'uz'] as const).flatMap((language) =>
        [
          ...terms.flatMap(({ never = {} }) => never[language] ?? []).filter((pattern) => pattern.test(text[language])),
          ...forbiddenInTexts.filter(({ pattern }) => pattern.test(text[language])).map(({ name }) => name),
        ].map((what) => `${text.where}: ${String(what)}: "${text[language]}"`),
      ),
    )
    assert.deepEqual(wrong, [])
  })

  test(`${area}: no English is left in a Russian or Uzbek text`, () => {
    const wrong = texts.flatMap(({ where, ru, uz }) => [
      ...listEnglish(ru, isLatin).map((words) => `${where}: "${words}" in "${ru}"`),
      ...listEnglish(uz, isCommonEnglish).map((words) => `${where}: "${words}" in "${uz}"`),
    ])
    assert.deepEqual(wrong, [])
  })
}

test('amounts that people type are in so’m: no text of the settings speaks of tiyin', () => {
  const wrong = readTexts(root, 'dashboard/pages/settings/settings-messages.ts')
  assert.deepEqual(
    wrong.filter(({ en, ru, uz }) => /tiyin|тийин/i.test(en + ru + uz)).map(({ where }) => where),
    [],
  )
})

test('no page of the documentation has an English word that is not the term', () => {
  const never = terms.flatMap((term) => term.never?.en ?? [])
  const wrong = files
    .filter((path) => /^(docs\/(start|guides|concepts|operating)\/|README\.md).*/.test(path) && path.endsWith('.md'))
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return never.filter((pattern) => pattern.test(text)).map((pattern) => `${path}: ${String(pattern)}`)
    })
  assert.deepEqual(wrong, [])
})

/** Names of the wire are no words: `card.number`, `receipts.cancel`, {0}. */
function withoutNames(text: string): string {
  return text.replace(/[\w-]+([._/:#][\w-]+)+\/?|\{\d\}|\((\w+, )*\w+\)(?=[ ,.])/g, ' ')
}

/** Words of Latin letters that are neither names of the wire nor of products. */
function listEnglish(text: string, isEnglish: (word: string) => boolean): string[] {
  return (withoutNames(text).match(/(?<![\p{L}\p{N}'ʻʼ’-])[A-Za-z]{3,}(?![\p{L}'ʻʼ’-])/gu) ?? []).filter(isEnglish)
}

function isLatin(word: string): boolean {
  return !latinInRussian.has(word) && word !== word.toUpperCase()
}

function isCommonEnglish(word: string): boolean {
  return commonEnglish.has(word.toLowerCase())
}

/** Products, formats, and members of the wire that have one word. */
const latinInRussian: ReadonlySet<string> = new Set(
  (
    'Tessera PostgreSQL JavaScript Chromium React Payme Inter WebP Enter iframe cookie curl https http script name action integrity origin merchant merchants tessera new set ' +
    'reason required kind text reference true false description account customer detail consent token recurrent rgb rrggbb hsl expire verify Origin background field transparent rem shadow root api'
  ).split(' '),
)
const commonEnglish: ReadonlySet<string> = new Set(
  'the and with your for this that not are was were you from has have will can only its which when what there all each calls pages'.split(
    ' ',
  ),
)
