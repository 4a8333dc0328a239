import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { appearanceExamples } from '@tessera/contract/appearance-examples'

import { enterCard, enterCode, type OpenForm, type TestBed } from './form.fixture.ts'
import { createOfferingSession, saveCards } from './saved-cards.fixture.ts'

/** A picture in the docs: forms side by side, each with its options and the step that is shown. */
export interface Picture {
  readonly name: string
  readonly forms: readonly {
    readonly options: object
    /** The style of the page's body. */ readonly page?: string
    readonly width: number
    /** The saved cards that the form offers. */
    readonly saved?: readonly string[]
    readonly until: FormState
  }[]
}

type FormState = 'ready' | 'filled' | 'refused' | 'code' | 'done'

export const pictures: readonly Picture[] = [
  {
    name: 'form-steps.png',
    forms: (['filled', 'refused', 'code', 'done'] as const).map((until) => ({ options: { locale: 'en' }, width: 336, until })),
  },
  {
    name: 'form-appearances.png',
    forms: [
      { options: { locale: 'ru', appearance: appearanceExamples.meadow }, page: 'background:#eefaf4', width: 340, until: 'filled' },
      {
        options: { locale: 'en', layout: 'row', appearance: appearanceExamples.ledger },
        page: 'background:#fbf6ec',
        width: 420,
        until: 'filled',
      },
      {
        options: { locale: 'en', layout: 'row', appearance: appearanceExamples.poster },
        page: 'background:#14110a',
        width: 420,
        until: 'filled',
      },
    ],
  },
  {
    name: 'form-saved-cards.png',
    forms: [
      { options: { locale: 'uz' }, width: 360, saved: ['8600069195406311', '8600495473316478'], until: 'ready' },
      {
        options: { locale: 'en', appearance: { scheme: 'dark' } },
        page: 'background:#14171c',
        width: 360,
        saved: ['8600069195406311', '8600495473316478'],
        until: 'ready',
      },
      { options: { locale: 'ru', appearance: { scheme: 'dark' } }, page: 'background:#14171c', width: 320, until: 'refused' },
      { options: { locale: 'uz', appearance: { scheme: 'dark' } }, page: 'background:#14171c', width: 320, until: 'code' },
    ],
  },
]

/** The sources of the pictures: when one changes, the pictures may be out of date. */
const sources = [
  'frame/frame.css',
  'frame/view.ts',
  'frame/texts.ts',
  'frame/render-texts.ts',
  'frame/deferred/brands.ts',
  'frame/deferred/card-marks.ts',
  'frame/deferred/chooser-view.ts',
  'frame/deferred/code-view.ts',
  'frame/deferred/deferred.css',
  'frame/appearance/apply.ts',
  'frame/appearance/rules.ts',
  '../contract/src/appearance-examples.ts',
  'pictures.fixture.ts',
]

export const folder = fileURLToPath(new URL('../docs/pictures/', import.meta.url))

export function digestSources(): string {
  const hash = createHash('sha256')
  for (const source of sources) hash.update(readFileSync(new URL(source, import.meta.url)))
  return hash.digest('hex')
}

/** The digests of the sources and of each picture, written when the pictures were drawn. */
export function readPictureSources(): { readonly sources: string; readonly files: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(join(folder, 'made-from.json'), 'utf8')) as ReturnType<typeof readPictureSources>
}

/** Opens every form and draws them side by side. */
export async function drawPicture(testBed: TestBed, { forms }: Picture): Promise<Buffer> {
  const shots: string[] = []
  for (const { options: chosen, page: pageStyle = 'background:#fff', width, saved, until } of forms) {
    const head = `<style>h1{display:none}body{margin:16px;${pageStyle}}</style>`
    const session = saved && (await createOfferingSession(testBed, await saveCards(testBed, saved))).session
    const options = { ...chosen, ...(session === undefined ? {} : { session }) }
    const opened = await testBed.open({ options, head, page: { viewport: { width, height: 900 }, reducedMotion: 'reduce' } })
    await opened.waitForEvent('ready')
    await advanceTo(opened, until)
    await opened.page.mouse.move(0, 0)
    const bottom = await opened.page.evaluate(
      () =>
        new Promise<number>((resolve) =>
          setTimeout(() => resolve((document.querySelector('iframe')?.getBoundingClientRect().bottom ?? 0) + 16), 300),
        ),
    )
    shots.push((await opened.page.screenshot({ clip: { x: 0, y: 0, width, height: bottom } })).toString('base64'))
    await opened.page.close()
  }
  const wide = forms.reduce((total, { width }) => total + width + 16, 16)
  const page = await testBed.browser.newPage({ viewport: { width: wide, height: 100 } })
  const images = shots.map((shot) => `<img src="data:image/png;base64,${shot}">`).join('')
  await page.setContent(`<body style="margin:0;padding:16px;display:flex;gap:16px;align-items:start;background:#8b93a0">${images}`)
  const picture = await page.screenshot({ fullPage: true })
  await page.close()
  return picture
}

async function advanceTo(opened: OpenForm, until: FormState): Promise<void> {
  const { form } = opened
  if (until === 'ready') return
  if (until === 'filled') {
    await form.locator('#number').fill('8600 0691 9540 6311')
    await form.locator('#expiry').fill('03/99')
    return
  }
  await enterCard(opened, until === 'refused' ? '8600060921090842' : '8600069195406311')
  if (until === 'refused') return form.locator('#number-fault:not(:empty)').waitFor()
  await form.locator('#code').waitFor()
  if (until === 'code') return
  await enterCode(opened)
  await form.locator('.done h2').waitFor()
}
