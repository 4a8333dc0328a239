// time limit: 180 s
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'

import { buildBrowser } from './build.ts'
import { bundleSdkTypes, bundleTestingTypes, printServedTypes, servedTypesPath } from './testing-types.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
let shop: string

// Installed as a merchant installs it, without the sources nearby.
before(async () => {
  shop = mkdtempSync(join(tmpdir(), 'tessera-testing-'))
  const installed = join(shop, 'node_modules', '@tessera', 'browser')
  mkdirSync(installed, { recursive: true })
  cpSync(join(root, 'browser', 'package.json'), join(installed, 'package.json'))
  await buildBrowser(root, join(installed, 'dist'))
  writeFileSync(join(installed, 'dist', 'testing.d.ts'), bundleTestingTypes(root))
  for (const [name, text] of bundleSdkTypes(root)) writeFileSync(join(installed, 'dist', name), text)
  for (const name of ['playwright-core', '@types']) symlinkSync(join(root, 'node_modules', name), join(shop, 'node_modules', name))
})
after(() => rmSync(shop, { recursive: true, force: true }))

test('the testing package can be imported in Node', async () => {
  writeFileSync(
    join(shop, 'use.mjs'),
    `import * as testing from '@tessera/browser/testing'; console.log(Object.keys(testing).sort().join())`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [join(shop, 'use.mjs')])
  assert.equal(stdout, 'fakeTessera,fillCard\n')
})

test('its types are self-contained, accept a Playwright page, and reject wrong uses', () => {
  const right = `
    import type { Page } from 'playwright-core'
    import { fakeTessera, fillCard, type FilledCard } from '@tessera/browser/testing'
    export const fill = (page: Page): Promise<FilledCard> => fillCard(page, { number: '8600069195406311', expire: '0399', save: true })
    const tessera = fakeTessera({ submit: ['card_blocked'] })
    const form = new tessera.CardForm({ merchant: '65f0c0ffee0000000000cafe', save: 'ask' })
    form.on('token', ({ token, card }) => console.log(token, card.number))
    form.mount('#card').submit()
  `
  const wrong = `
    import { fakeTessera, fillCard } from '@tessera/browser/testing'
    fillCard({}, { number: '', expire: '' })
    const { CardForm } = fakeTessera({ submitted: [] })
    new CardForm({}).on('paid', () => null)
  `
  assert.deepEqual(compile('right.mts', right), [])
  assert.deepEqual(
    compile('wrong.mts', wrong).map(([line]) => line),
    [3, 4, 5, 5],
  )
})

test('the types of the SDK, its global and the React wrapper accept correct and reject wrong uses', () => {
  const right = `
    import { CardForm, CardFormMisuse } from '@tessera/browser'
    import { TesseraCardForm } from '@tessera/browser/react'
    import '@tessera/browser/global'
    import { createElement } from 'react'
    const form = new CardForm({ merchant: '65f0c0ffee0000000000cafe', theme: { scheme: 'dark' } }).mount('#card')
    form.on('token', ({ token, card }) => console.log(token.length, card.recurrent))
    export const element = createElement(TesseraCardForm, { merchant: '', onError: ({ docs }) => docs.length, formRef: (it) => it?.submit() })
    export const second = new Tessera.CardForm({ merchant: '' }) instanceof CardFormMisuse
  `
  const wrong = `
    import { TesseraCardForm } from '@tessera/browser/react'
    import '@tessera/browser/global'
    import { createElement } from 'react'
    createElement(TesseraCardForm, { merchant: '', onPaid: () => null })
    new Tessera.CardForm({ locale: 'en' })
    new Tessera.CardForm({ merchant: '', locale: 'fr' })
  `
  assert.deepEqual(compile('sdk-right.mts', right), [])
  assert.deepEqual(
    compile('sdk-wrong.mts', wrong).map(([line]) => line),
    [5, 6, 7],
  )
})

test('the served types match the code, and a page with one script tag compiles against them', () => {
  assert.equal(readFileSync(join(root, servedTypesPath), 'utf8'), printServedTypes(root), 'npm run docs prints them')
  mkdirSync(join(shop, 'page'), { recursive: true })
  // As for a merchant who saved the file beside the page's script.
  cpSync(join(shop, 'node_modules', '@tessera', 'browser', 'dist', 'tessera.d.ts'), join(shop, 'page', 'tessera.d.ts'))
  const right = `
    /// <reference path="./tessera.d.ts" />
    const form = new Tessera.CardForm({ merchant: '65f0c0ffee0000000000cafe', save: 'ask' })
    form.on('token', ({ token, card }) => console.log(token.length, card.recurrent))
    form.on('error', (error) => error instanceof Tessera.CardFormMisuse || error.docs.length)
    form.mount('#card').submit()
    document.querySelector('tessera-card')?.form?.verify()
  `
  const wrong = `
    /// <reference path="./tessera.d.ts" />
    const form = new Tessera.CardForm({ merchant: 1 })
    form.on('paid', () => null)
    form.mount()
    Tessera.Form
  `
  assert.deepEqual(compile('page/right.ts', right), [])
  assert.deepEqual(
    compile('page/wrong.ts', wrong).map(([line]) => line),
    [3, 4, 5, 6],
  )
})

/** Reads each of TypeScript's own libraries once for all programs in this file. */
function makeHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile.bind(host)
  host.getSourceFile = (path, ...rest) => {
    if (!path.includes('node_modules')) return read(path, ...rest)
    const found = libraries.get(path) ?? read(path, ...rest)
    if (found !== undefined) libraries.set(path, found)
    return found
  }
  return host
}

const libraries = new Map<string, ts.SourceFile>()

/** Compiler errors of the file and of the package's types, with their lines. What TypeScript, Node and Playwright bring is not checked again each time. */
function compile(name: string, text: string): [line: number, text: string][] {
  const file = join(shop, name)
  writeFileSync(file, text)
  const [module, moduleResolution] = [ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext]
  const typeRoots = [join(root, 'node_modules', '@types')]
  const options = { strict: true, noEmit: true, module, moduleResolution, types: ['node'], typeRoots }
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
