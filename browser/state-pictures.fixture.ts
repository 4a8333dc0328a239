import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'

import { appearanceExamples } from '@tessera/contract/appearance-examples'

/** How the form is shown: the window, the device's scheme, the options of the form, and the style of the shop around it. */
export interface FormLook {
  readonly name: string
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
  readonly options: object
  /** CSS after that of the shop. */
  readonly style: string
  readonly locales: readonly ('uz' | 'ru' | 'en')[]
}

const languages = ['uz', 'ru', 'en'] as const

/** Phones in both schemes and every language; three strong brands, each in another language; and a wide page. */
export const looks: readonly FormLook[] = [
  { name: 'phone-360-light', width: 360, colorScheme: 'light', options: {}, style: '', locales: languages },
  { name: 'phone-390-dark', width: 390, colorScheme: 'dark', options: {}, style: '', locales: languages },
  {
    name: 'meadow',
    width: 390,
    colorScheme: 'light',
    options: { appearance: appearanceExamples.meadow },
    style: 'body{background:#e3f4ea}',
    locales: ['ru'],
  },
  {
    name: 'ledger',
    width: 390,
    colorScheme: 'light',
    options: { layout: 'row', appearance: appearanceExamples.ledger },
    style: 'body{background:#fbf6ec}',
    locales: ['uz'],
  },
  {
    name: 'poster-dark',
    width: 390,
    colorScheme: 'dark',
    options: { layout: 'compact', appearance: appearanceExamples.poster },
    style: 'body{background:#14110a}',
    locales: ['en'],
  },
  { name: 'desktop-light', width: 720, colorScheme: 'light', options: { layout: 'row' }, style: '', locales: ['ru'] },
]

/** The page of the shop in examples/shop, as it is around its form. */
export function shopPageFor({ style }: Pick<FormLook, 'style'>, amount = '185 000 soʻm'): { head: string; body: string } {
  const css = readFileSync(new URL('../examples/shop/public/shop.css', import.meta.url), 'utf8')
  return {
    head: `<meta name="color-scheme" content="light dark"><style>${css}${style}</style>`,
    body:
      `<header><a class="name" href="/">Novvot</a></header><main><div class="narrow"><p class="sum"><span>Novvot choyi</span> ` +
      `<strong>${amount}</strong></p><div id="card"></div></div></main>`,
  }
}

/** Pictures of states, drawn side by side on sheets of at most `perSheet`. */
export interface ContactSheet {
  /** Takes a picture of the page's upper part: down to `bottom` in pixels, or the whole window. */
  add: (page: Page, state: string, bottom?: number) => Promise<void>
  /** Writes `<name>-1.png` and so on into the folder. */
  write: (browser: Browser, folder: string, name: string) => Promise<void>
}

export function makeContactSheet(): ContactSheet {
  const shots: { readonly state: string; readonly image: string; readonly width: number }[] = []
  return {
    async add(page, state, bottom) {
      const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
      const clip = { x: 0, y: 0, width, height: Math.min(height, bottom ?? height) }
      shots.push({ state, image: (await page.screenshot({ clip, animations: 'disabled' })).toString('base64'), width })
    },
    async write(browser, folder, name) {
      mkdirSync(folder, { recursive: true })
      for (let sheet = 0; sheet * perSheet < shots.length; sheet++) {
        const part = shots.slice(sheet * perSheet, (sheet + 1) * perSheet)
        const figures = part.map(
          ({ state, image }) =>
            `<figure style="margin:0"><figcaption>${state}</figcaption><img src="data:image/png;base64,${image}"></figure>`,
        )
        const columns = Math.min(perRow, part.length)
        const page = await browser.newPage({ viewport: { width: columns * ((part[0]?.width ?? 0) + gapPixels) + gapPixels, height: 100 } })
        await page.setContent(
          `<body style="margin:0;padding:${gapPixels}px;display:flex;flex-wrap:wrap;gap:${gapPixels}px;align-items:start;background:#8b93a0;font:600 15px sans-serif">${figures.join('')}`,
        )
        writeFileSync(join(folder, `${name}-${sheet + 1}.png`), await page.screenshot({ fullPage: true }))
        await page.close()
      }
    },
  }
}

const perSheet = 12
const perRow = 6
const gapPixels = 12
