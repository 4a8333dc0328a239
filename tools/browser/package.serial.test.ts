// time limit: 180 s
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after, before, describe, it, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import ts from 'typescript'

import { listResolutionProblems } from '../package-resolution.ts'
import { buildBrowserPackage } from './package.ts'
import { printServedTypes, servedTypesPath } from './package-types.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
let shop: string
let installed: string

// Installed as a merchant installs it, without the sources nearby. browser/packed.peer.test.ts installs the packed archive by npm.
before(async () => {
  shop = mkdtempSync(join(tmpdir(), 'tessera-browser-'))
  installed = join(shop, 'node_modules', '@tessera', 'browser')
  mkdirSync(installed, { recursive: true })
  for (const name of ['package.json', 'README.md']) cpSync(join(root, 'browser', name), join(installed, name))
  await buildBrowserPackage(root, join(installed, 'dist', 'package'))
  for (const name of ['playwright-core', '@types', 'csstype'])
    symlinkSync(join(root, 'node_modules', name), join(shop, 'node_modules', name))
  cpSync(join(root, servedTypesPath), join(shop, 'tessera.d.ts'))
})
after(() => rmSync(shop, { recursive: true, force: true }))

const run = promisify(execFile)
const readBuilt = (name: string): string => readFileSync(join(installed, 'dist', 'package', name), 'utf8')

describe('the package', () => {
  it('can be imported and required in Node, where a server renders a page', async () => {
    const uses = `const form = new CardForm({ merchant: '65f0c0ffee0000000000cafe', formOrigin: 'http://127.0.0.1' })
      console.log(typeof form.mount, Object.keys(testing).sort().join())`
    writeFileSync(
      join(shop, 'use.mjs'),
      `import { CardForm } from '@tessera/browser'; import '@tessera/browser/global'; import * as testing from '@tessera/browser/testing'\n${uses}`,
    )
    writeFileSync(
      join(shop, 'use.cjs'),
      `const { CardForm } = require('@tessera/browser'); require('@tessera/browser/global'); const testing = require('@tessera/browser/testing')\n${uses}`,
    )
    for (const file of ['use.mjs', 'use.cjs']) {
      assert.equal((await run(process.execPath, [join(shop, file)])).stdout, 'function fakeTessera,fillCard\n', file)
    }
  })

  it('holds what merchants need and nothing of the form’s own document', () => {
    const names = readdirSync(join(installed, 'dist', 'package')).sort()
    const scripts = ['global', 'react', 'tessera', 'testing'].flatMap((name) => [
      `${name}.cjs`,
      `${name}.d.cts`,
      `${name}.d.mts`,
      `${name}.mjs`,
    ])
    assert.deepEqual(names, [...scripts, 'testing.cjs.map', 'testing.mjs.map'].sort())
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { dependencies?: object }
    assert.equal(dependencies, undefined)
    const imported = (text: string): string[] =>
      [...text.matchAll(/\b(?:from|require\(|import\()\s*["']([^"']+)/g)].map(([, name = '']) => name)
    for (const name of names.filter((each) => !each.endsWith('.map')))
      for (const specifier of imported(readBuilt(name))) assert.match(specifier, /^(react|\.\/tessera\.[mc]js)$/, name)
  })

  it('has source maps of the helpers for tests, with their sources', () => {
    for (const kind of ['mjs', 'cjs']) {
      assert.match(readBuilt(`testing.${kind}`), new RegExp(`//# sourceMappingURL=testing\\.${kind}\\.map\\n$`))
      const map = JSON.parse(readBuilt(`testing.${kind}.map`)) as { sources: string[]; sourcesContent: string[] }
      const index = map.sources.findIndex((source) => source.endsWith('testing/fill-card.ts'))
      assert.ok(map.sourcesContent[index]?.includes('export async function fillCard'), kind)
      assert.ok(
        map.sources.every((source) => !source.startsWith('/')),
        'a path of this machine',
      )
    }
  })

  it('passes publint, and resolves with the types of each kind of module', async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, pack: 'npm', strict: true })
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg)),
      [],
    )
    assert.deepEqual(await listResolutionProblems(installed), [])
  })
})

describe('the types of the package', () => {
  it('accept a Playwright page, and reject wrong uses of the helpers for tests', () => {
    const right = `
      import type { Page } from 'playwright-core'
      import type { CardForm, CardFormResult } from '@tessera/browser'
      import { fakeTessera, fillCard, type FilledCard } from '@tessera/browser/testing'
      export const fill = (page: Page): Promise<FilledCard> => fillCard(page, { number: '8600069195406311', expire: '0399', save: true })
      const tessera = fakeTessera({ submit: ['card_blocked'] })
      const form: CardForm = new tessera.CardForm({ merchant: '65f0c0ffee0000000000cafe', save: 'ask' })
      form.on('token', ({ token, card }) => console.log(token, card.number))
      export const sent: Promise<CardFormResult> = form.mount('#card').submit()
    `
    const wrong = `
      import { fakeTessera, fillCard } from '@tessera/browser/testing'
      fillCard({}, { number: '', expire: '' })
      const { CardForm } = fakeTessera({ submitted: [] })
      fakeTessera({ submit: ['card_lost'] })
      new CardForm({}).on('paid', () => null)
    `
    for (const kind of ['mts', 'cts']) assert.deepEqual(compile(`testing-right.${kind}`, right), [])
    assert.deepEqual(linesOf(compile('testing-wrong.mts', wrong)), [3, 4, 5, 6, 6])
  })

  it('name every outcome, event and reason, and reject others', () => {
    const right = `
      import { CardForm, CardFormMisuse, type Appearance, type CardFormChange, type CardFormError, type CardFormResult } from '@tessera/browser'
      import { TesseraCardForm, type CardFormChange as ReactChange, type CardFormResult as ReactResult } from '@tessera/browser/react'
      import '@tessera/browser/global'
      import { createElement } from 'react'
      const form = new CardForm({ merchant: '65f0c0ffee0000000000cafe', locale: 'uz-Latn-UZ', theme: { scheme: 'dark' } }).mount('#card')
      form.on('token', ({ token, card }) => console.log(token.length, card.recurrent))
      form.on('busy', (busy) => busy === true)
      form.on('focus', (field) => field === 'number')
      for (const event of ['pick', 'remove'] as const) form.on(event, (id) => id.length)
      form.on('change', ({ brand, error }: CardFormChange) => brand === 'humo' || error === 'expiry_missing')
      form.on('error', ({ reason }: CardFormError) => reason === 'session_ended' || reason === 'blocked_by_csp')
      form.update({ locale: 'auto', theme: undefined, labels: { submit: 'Pay' } })
      function describe(result: CardFormResult): string {
        switch (result.status) {
          case 'code': return 'asks for the code'
          case 'done': return result.token + result.card.number
          case 'picked': return result.id
          case 'error': return result.error.reason
          case 'cancelled': case 'ignored': return result.status
        }
      }
      void form.submit().then(describe)
      export const outcome: Promise<ReactResult> = form.verify()
      export const isComplete = ({ complete }: ReactChange): boolean => complete
      const appearance: Appearance = { variables: { accent: '#123' }, rules: { '.Input:focus': { boxShadow: 'none' } } }
      form.update({ appearance })
      let held: CardForm | null = form
      export const element = createElement(TesseraCardForm, {
        merchant: undefined, id: 'card', className: 'wide', style: { maxWidth: 400 },
        appearance, onError: ({ docs }) => docs.length, onBusy: (busy) => !busy, onChange: isComplete, formRef: (it) => (held = it),
      })
      export const second: CardForm = new Tessera.CardForm({ merchant: '' })
      export const isMisuse = new Error() instanceof CardFormMisuse
      console.log(held)
    `
    const wrong = `
      import { TesseraCardForm } from '@tessera/browser/react'
      import '@tessera/browser/global'
      import { createElement } from 'react'
      createElement(TesseraCardForm, { merchant: '', onPaid: () => null })
      new Tessera.CardForm({ locale: 'en' })
      const form = new Tessera.CardForm({ merchant: '', locale: 'fr' })
      form.on('error', ({ reason }) => reason === 'card_lost')
      void form.verify().then((result) => result.token)
      form.on('change', ({ length }) => length)
    `
    for (const kind of ['mts', 'cts']) assert.deepEqual(compile(`sdk-right.${kind}`, right), [])
    assert.deepEqual(linesOf(compile('sdk-wrong.mts', wrong)), [5, 6, 7, 8, 9, 10])
  })

  const markup = `
    import type {} from '@tessera/browser/react'
    import { TesseraCardForm } from '@tessera/browser/react'
    export const element = <tessera-card merchant="65f0c0ffee0000000000cafe" locale="ru-RU" save="ask" button="false" auto-confirm="false" theme={{ accent: '#123' }}
      className="wide" ontessera-token={({ detail }) => detail.token.length} />
    export const component = <TesseraCardForm merchant={undefined} className="wide" onToken={({ card }) => card.number} />
  `
  const wrongMarkup = `
    import type {} from '@tessera/browser/react'
    export const one = <tessera-card save="yes" />
    export const other = <tessera-card ontessera-token={({ detail }) => detail.pan} />
  `
  for (const [version, types] of [
    ['19', '@types/react'],
    ['18', 'types-react-18'],
  ] as const) {
    it(`describe the element and the component in JSX of React ${version}`, () => {
      const paths = { react: [join(root, 'node_modules', types)], 'react/*': [join(root, 'node_modules', types, '*')] }
      assert.deepEqual(compile(`right-${version}.tsx`, markup, { paths }), [])
      assert.deepEqual(linesOf(compile(`wrong-${version}.tsx`, wrongMarkup, { paths })), [3, 4])
    })
  }

  it('know the element and its events without a framework', () => {
    const right = `
      import '@tessera/browser'
      const card = document.querySelector('tessera-card')
      card?.addEventListener('tessera-token', ({ detail }) => detail.card.number)
      document.addEventListener('tessera-error', ({ detail }) => detail.reason === 'wrong_code')
      if (card) card.theme = { accent: '#123' }
      void card?.form?.submit()
    `
    const wrong = `
      import '@tessera/browser'
      const card = document.createElement('tessera-card')
      card.theme = { accnt: '#123' }
      card.addEventListener('tessera-token', ({ detail }) => detail.pan)
      card.form.submit()
    `
    assert.deepEqual(compile('element-right.mts', right), [])
    assert.deepEqual(linesOf(compile('element-wrong.mts', wrong)), [4, 5, 6])
  })
})

test('the served types match the code, and a page with one script tag compiles against them', () => {
  assert.equal(readFileSync(join(root, servedTypesPath), 'utf8'), printServedTypes(root), 'npm run docs prints them')
  // As for a merchant who saved the file beside the page's script.
  const right = `
    /// <reference path="./tessera.d.ts" />
    const form = new Tessera.CardForm({ merchant: '65f0c0ffee0000000000cafe', save: 'ask' })
    form.on('token', ({ token, card }) => console.log(token.length, card.recurrent))
    form.on('error', (error) => error instanceof Tessera.CardFormMisuse || error.docs.length)
    void form.mount('#card').submit()
    void document.querySelector('tessera-card')?.form?.verify()
    document.addEventListener('tessera-token', ({ detail }) => detail.token.length)
  `
  const wrong = `
    /// <reference path="./tessera.d.ts" />
    const form = new Tessera.CardForm({ merchant: 1 })
    form.on('paid', () => null)
    form.mount()
    Tessera.Form
  `
  assert.deepEqual(compile('script-right.ts', right), [])
  assert.deepEqual(linesOf(compile('script-wrong.ts', wrong)), [3, 4, 5, 6])
})

type CompilerError = readonly [line: number, text: string]

const linesOf = (errors: readonly CompilerError[]): number[] => errors.map(([line]) => line)

/** Reads each of TypeScript's own libraries once for all programs in this file. */
function makeHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile.bind(host)
  host.getSourceFile = (path, ...rest) => {
    if (!path.includes('node_modules') || path.startsWith(resolve(shop))) return read(path, ...rest)
    const found = libraries.get(path) ?? read(path, ...rest)
    if (found !== undefined) libraries.set(path, found)
    return found
  }
  return host
}

const libraries = new Map<string, ts.SourceFile>()

/** Compiler errors of the file and of the package's types, with their lines. What TypeScript, Node and Playwright bring is not checked again each time. */
function compile(name: string, text: string, more: ts.CompilerOptions = {}): CompilerError[] {
  const file = join(shop, name)
  writeFileSync(file, text)
  const [module, moduleResolution] = [ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext]
  const typeRoots = [join(root, 'node_modules', '@types')]
  const jsx = ts.JsxEmit.ReactJSX
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    jsx,
    module,
    moduleResolution,
    types: ['node'],
    typeRoots,
    ...more,
  }
  const program = ts.createProgram([file], options, makeHost(options))
  const isOurs = ({ fileName }: ts.SourceFile): boolean =>
    !fileName.includes('/node_modules/') || fileName.includes('/node_modules/@tessera/')
  const checked = program.getSourceFiles().filter(isOurs)
  assert.ok(checked.length > 1, 'the types of the package were not found')
  const ofFiles = checked.flatMap((each) => [...program.getSyntacticDiagnostics(each), ...program.getSemanticDiagnostics(each)])
  return [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...ofFiles].map(
    ({ file: where, start = 0, messageText }) => [
      (where?.getLineAndCharacterOfPosition(start).line ?? 0) + 1,
      `${where?.fileName ?? ''} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    ],
  )
}
