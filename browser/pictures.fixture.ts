import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { enterCard, enterCode, type Opened, type Stage } from './form.fixture.ts'

/** A picture that the docs show: forms side by side, each with its options and how far it is taken. */
export interface Picture {
  readonly name: string
  readonly forms: readonly { readonly options: object; readonly isDark?: boolean; readonly width: number; readonly until: Until }[]
}

type Until = 'filled' | 'refused' | 'code' | 'done'

const green = { accent: '#0a6b4d', focus: '#0a6b4d', radius: '24px', dark: { accent: '#6fe0b4', accentText: '#04251a', focus: '#6fe0b4' } }
const paper = {
  background: '#fbf6ec',
  field: '#fffdf8',
  text: '#3a2c1a',
  muted: '#6f5f49',
  border: '#8c7a5f',
  accent: '#8a3b12',
  focus: '#8a3b12',
}

export const pictures: readonly Picture[] = [
  {
    name: 'form-steps.png',
    forms: (['filled', 'refused', 'code', 'done'] as const).map((until) => ({ options: { locale: 'en' }, width: 336, until })),
  },
  {
    name: 'form-themes.png',
    forms: [
      { options: { locale: 'ru', layout: 'stacked', theme: { ...green, scheme: 'light' } }, width: 320, until: 'filled' },
      { options: { locale: 'uz', layout: 'row', theme: { ...green, scheme: 'dark' } }, isDark: true, width: 400, until: 'filled' },
      {
        options: { locale: 'en', layout: 'compact', theme: { ...paper, radius: '0px', fontFamily: 'serif', scheme: 'light' } },
        width: 400,
        until: 'filled',
      },
    ],
  },
]

/** What a picture is made from: when one of these changes, the picture may be of yesterday. */
const sources = ['frame/frame.css', 'frame/view.ts', 'frame/texts.ts', 'frame/words.ts', 'pictures.fixture.ts']

export const folder = fileURLToPath(new URL('../docs/pictures/', import.meta.url))

export function digestSources(): string {
  const hash = createHash('sha256')
  for (const source of sources) hash.update(readFileSync(new URL(source, import.meta.url)))
  return hash.digest('hex')
}

/** The digests under which the pictures were made: of the sources, and of each file. */
export function readLabel(): { readonly sources: string; readonly files: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(join(folder, 'made-from.json'), 'utf8')) as ReturnType<typeof readLabel>
}

/** Opens every form, and puts what is seen of them beside one another. */
export async function draw(stage: Stage, { forms }: Picture): Promise<Buffer> {
  const shots: string[] = []
  for (const { options, isDark = false, width, until } of forms) {
    const head = `<style>h1{display:none}body{margin:16px;background:${groundOf(options, isDark)}}</style>`
    const opened = await stage.open({ options, head, page: { viewport: { width, height: 900 }, reducedMotion: 'reduce' } })
    await opened.heard('ready')
    await take(opened, until)
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
  const page = await stage.browser.newPage({ viewport: { width: wide, height: 100 } })
  const images = shots.map((shot) => `<img src="data:image/png;base64,${shot}">`).join('')
  await page.setContent(`<body style="margin:0;padding:16px;display:flex;gap:16px;align-items:start;background:#8b93a0">${images}`)
  const picture = await page.screenshot({ fullPage: true })
  await page.close()
  return picture
}

function groundOf(options: object, isDark: boolean): string {
  return 'theme' in options && (options.theme as { background?: string }).background !== undefined
    ? paper.background
    : isDark
      ? '#14171c'
      : '#fff'
}

async function take(opened: Opened, until: Until): Promise<void> {
  const { form } = opened
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
