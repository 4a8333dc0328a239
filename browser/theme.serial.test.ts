// time limit: 240 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Frame } from 'playwright-core'

import { formLabels } from '@tessera/contract/frame'
import { measureContrast, readRgb } from '@tessera/contract/contrast'
import { themeVariables, type Theme } from '@tessera/contract/theme'

import { startStage, type Mounted, type Opened, type Stage } from './form.fixture.ts'
import { fixedPlaces, fixedTexts, seenAt } from './theme-places.fixture.ts'

describe('the theme of the card form', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  /** Opens a form, with a fault at its number so that everything that may be coloured is there. */
  async function openFaulty(options: object = {}): Promise<[Opened, Frame]> {
    const opened = await stage.open({ options, page: { colorScheme: 'light', reducedMotion: 'reduce' } })
    await opened.heard('ready')
    await opened.form.locator('form.card button').click()
    await opened.form.locator('#number-fault:not(:empty)').waitFor()
    await opened.heard('error')
    return [opened, await opened.frame()]
  }

  /** Tells the form other options, and waits until a mark among them has come through. */
  let turn = 0
  async function update({ page, form }: Opened, options: object): Promise<void> {
    const mark = `Mark ${String(turn++)}`
    await page.evaluate((given) => (globalThis as unknown as Mounted).form.update(given), { labels: { expiry: mark }, ...options })
    await form.locator('label', { hasText: mark }).waitFor()
  }

  /** What the page hears by a deed. The port keeps the order: with the fault of a press of the button all is there that was said before, and nothing of it comes later. */
  async function hear<Heard>(opened: Opened, event: string, deed: () => Promise<unknown>): Promise<Heard[]> {
    const drain = async (): Promise<unknown[]> => {
      const faults = (await opened.said('error')).filter(isOfPress).length
      await opened.page.evaluate(() => (globalThis as unknown as Mounted).form.submit())
      await opened.page.waitForFunction(
        (count) =>
          (globalThis as unknown as Mounted).said['error']?.filter((told) => (told as Told).reason === 'number_missing').length === count,
        faults + 1,
      )
      return (await opened.said(event)).filter((told) => !isOfPress(told))
    }
    const before = await drain()
    await deed()
    return (await drain()).slice(before.length) as Heard[]
  }

  const read = (frame: Frame, places: readonly (readonly [string, string])[]): Promise<string[]> =>
    frame.evaluate(
      (asked) =>
        asked.map(([selector, property]) => {
          const [place = '', pseudo] = selector.split(/(?=::)/)
          const part = document.querySelector(place)
          return part === null ? `nothing is at ${selector}` : getComputedStyle(part, pseudo ?? null).getPropertyValue(property)
        }),
      places,
    )

  for (const layout of ['stacked', 'row', 'compact'] as const) {
    for (const direction of ['ltr', 'rtl'] as const) {
      it(`changes by each variable what that one names, and nothing that the law wants read: ${layout}, ${direction}`, async () => {
        const [opened, frame] = await openFaulty({ layout, direction })
        for (const name of themeVariables) {
          const { value, computed, places } = seenAt[name]
          await update(opened, { theme: {} })
          const before = await read(frame, places)
          const fixed = await read(frame, fixedPlaces)
          await update(opened, { theme: { [name]: value } })
          assert.deepEqual(
            await read(frame, places),
            places.map(() => computed),
            name,
          )
          assert.ok(!before.includes(computed), `${name}: it was ${before.join()} before`)
          assert.deepEqual(await read(frame, fixedPlaces), fixed, `${name} changes consent or footer`)
        }
        assert.deepEqual(
          await opened.said('error').then((told) => (told as Told[]).filter(({ reason }) => reason === 'option_refused')),
          [],
        )
        await opened.page.close()
      })
    }
  }

  it('refuses by name what a variable does not take, keeps its own value, and asks nobody for anything', async () => {
    const [opened, frame] = await openFaulty()
    const asked: string[] = []
    opened.page.on('request', (request) => asked.push(request.url()))
    const bare = await frame.evaluate(() => document.documentElement.getAttribute('style'))
    for (const value of [
      `url(${stage.shopOrigin}/leak)`,
      'var(--fixedBack)',
      '#fff;}*{display:none}',
      'rgb(0, 0, 0, 0)',
      '99rem',
      '-1px',
      'x'.repeat(2000),
      7,
    ]) {
      await update(opened, { theme: {} })
      const theme = { ...Object.fromEntries(themeVariables.map((name) => [name, value])), dark: { text: value } }
      const told = await hear<Told>(opened, 'error', () => update(opened, { theme }))
      assert.deepEqual(
        told.map(({ option }) => option).sort(),
        [...themeVariables.map((name) => `theme.${name}`), 'theme.dark.text'].sort(),
        String(value),
      )
      for (const error of told) {
        assert.deepEqual([error.code, error.reason, error.field, error.retryable], [0, 'option_refused', null, false])
        assert.equal(error.docs, `${stage.formOrigin}/form/reasons#option_refused`)
        assert.doesNotMatch(error.message, /url|var|leak/)
      }
      assert.equal(await frame.evaluate(() => document.documentElement.getAttribute('style')), bare)
    }
    assert.deepEqual(asked, [])
    await opened.page.close()
  })

  it('refuses variables and schemes that there are not, once each however often they are told, and takes an empty text as none', async () => {
    const [opened] = await openFaulty()
    const theme = { scheme: 'sepia', fixedBack: '#000', linkColour: '#000', accent: '', dark: { shadow: '1px', accent: undefined } }
    const told = await hear<Told>(opened, 'error', async () => {
      for (let again = 0; again < 3; again++) await update(opened, { theme })
    })
    assert.deepEqual(told.map(({ option }) => option).sort(), ['theme.dark.shadow', 'theme.fixedBack', 'theme.linkColour', 'theme.scheme'])
    const unfit = { theme: {}, layout: 'round', locale: 'de', direction: 'up', save: 'yes', button: 'no', session: 5 }
    const more = await hear<Told>(opened, 'error', () => update(opened, unfit))
    assert.deepEqual(more.map(({ option }) => option).sort(), ['button', 'direction', 'layout', 'locale', 'save', 'session'])
    await opened.page.close()
  })

  it('is light, dark or as the device is, with colours of its own in the dark where the theme has them', async () => {
    const [opened, frame] = await openFaulty()
    const ground = async (): Promise<string | undefined> => (await read(frame, [['body', 'background-color']]))[0]
    const [white, night] = ['rgb(255, 255, 255)', 'rgb(20, 23, 28)']
    const themes: readonly (readonly [Theme, light: string, dark: string])[] = [
      [{}, white, night],
      [{ scheme: 'auto' }, white, night],
      [{ scheme: 'light' }, white, white],
      [{ scheme: 'dark' }, night, night],
      [{ background: '#eee' }, 'rgb(238, 238, 238)', 'rgb(238, 238, 238)'],
      [{ background: '#eee', dark: { background: '#111' } }, 'rgb(238, 238, 238)', 'rgb(17, 17, 17)'],
      [{ scheme: 'light', dark: { background: '#111' } }, white, white],
      [{ scheme: 'dark', dark: { background: '#111' } }, 'rgb(17, 17, 17)', 'rgb(17, 17, 17)'],
      [{ background: '#eee', dark: { background: 'url(x)' } }, 'rgb(238, 238, 238)', 'rgb(238, 238, 238)'],
    ]
    for (const [theme, light, dark] of themes) {
      await update(opened, { theme })
      for (const [colorScheme, expected] of [
        ['light', light],
        ['dark', dark],
        ['light', light],
      ] as const) {
        await opened.page.emulateMedia({ colorScheme })
        await frame.waitForFunction((wanted) => getComputedStyle(document.body).backgroundColor === wanted, expected)
      }
      assert.equal(await ground(), light, JSON.stringify(theme))
    }
    await opened.page.close()
  })

  it('tells what is too pale in both schemes from either, with the ratio and a colour that is enough', async () => {
    const [opened] = await openFaulty({ theme: { background: '#ffffff', text: '#949494', scheme: 'light' } })
    const first = (await opened.heard('warning')) as Warned
    const { of, on, scheme, ratio, needed } = first
    assert.deepEqual({ of, on, scheme, ratio, needed }, { of: 'text', on: 'field', scheme: 'light', ratio: 3.03, needed: 4.5 })
    assert.ok(measureContrast(readRgb(first.suggestion) ?? assert.fail(), [255, 255, 255]) >= 4.5)
    assert.equal(first.docs, `${stage.formOrigin}/form/reasons#theme_contrast`)
    assert.match(first.message, /text on field \(light\).* 3\.03:1/)
    const warned = await hear<Warned>(opened, 'warning', () => update(opened, { theme: { background: '#fff' } }))
    const onlyDark = warned.map((each) => `${each.scheme}: ${each.of}`)
    assert.ok(onlyDark.includes('dark: text') && onlyDark.every((line) => line.startsWith('dark: ')), onlyDark.join())
    const passing = { background: '#fff', dark: { background: '#14171c' } }
    assert.deepEqual(await hear(opened, 'warning', () => update(opened, { theme: passing })), [], 'a theme that passes in both is told of')
    await opened.page.close()
  })

  it('leaves consent, footer, their links and their focus readable under every theme that is taken', async () => {
    const [opened, frame] = await openFaulty({ save: 'ask' })
    const grounds = ['#fff', '#000', '#f3f5f8', '#20252d', '#3f4652', '#0b47b8', '#808080']
    for (const colour of grounds) {
      for (const scheme of ['light', 'dark'] as const) {
        const all = Object.fromEntries(themeVariables.map((name) => [name, colour]))
        const sizes = { fontSize: '14px', gap: '0px', radius: '32px', borderWidth: '0px', fontFamily: 'cursive' }
        await update(opened, { theme: { ...all, ...sizes, scheme }, layout: 'compact' })
        for (const part of ['footer', '.consent']) {
          const [ink = '', ground = '', link = '', size = '', ring = ''] = await read(frame, [
            ...([
              [part, 'color'],
              [part, 'background-color'],
              [`${part} a`, 'color'],
              [part, 'font-size'],
            ] as const),
            [`${part} a`, 'outline-color'],
          ])
          const on = readRgb(ground) ?? assert.fail(ground)
          for (const text of [ink, link])
            assert.ok(measureContrast(readRgb(text) ?? assert.fail(text), on) >= 4.5, `${part} ${scheme} ${colour}: ${text}`)
          assert.equal(size, '13px')
          assert.notEqual(ring, '')
        }
        await opened.form.locator('footer a').nth(1).press('Shift+Tab')
        const [ring = '', ground = ''] = await read(frame, [
          ['footer a:focus-visible', 'outline-color'],
          ['footer', 'background-color'],
        ])
        assert.ok(measureContrast(readRgb(ring) ?? assert.fail(ring), readRgb(ground) ?? assert.fail()) >= 3, `${scheme} ${colour}: focus`)
      }
    }
    assert.ok(await opened.form.locator('footer').isVisible())
    await opened.page.close()
  })

  it('words each label as the page has it, and no text of the law', async () => {
    const [opened, frame] = await openFaulty({ save: 'ask' })
    const shown = (selector: string): Promise<string | null> =>
      frame.evaluate((at) => document.querySelector(at)?.textContent ?? null, selector)
    const legal = [...fixedTexts]
    const before = await Promise.all(legal.map(shown))
    await opened.page.evaluate(
      (labels) => (globalThis as unknown as Mounted).form.update({ labels }),
      Object.fromEntries(formLabels.map((name) => [name, `My ${name}`])),
    )
    await opened.form.locator('label', { hasText: 'My number' }).waitFor()
    const places = {
      number: 'label[for=number]',
      expiry: 'label[for=expiry]',
      submit: '.card .main',
      code: 'label[for=code]',
      verify: '.code .main',
    }
    for (const [name, place] of Object.entries({ ...places, resend: '.resend', back: '.back', done: '.done h2' }))
      assert.equal(await shown(place), `My ${name}`)
    const law = [
      'goesTo',
      'poweredBy',
      'terms',
      'privacy',
      'disclosure',
      'consent',
      'opens',
      'card_number_format',
      'card_blocked',
      'slow',
      'constructor',
    ]
    const labels = { ...Object.fromEntries(law.map((name) => [name, 'Mine'])), number: '   ', submit: 'x'.repeat(61), expiry: 'Last' }
    const told = await hear<Told>(opened, 'error', async () => {
      await opened.page.evaluate((given) => (globalThis as unknown as Mounted).form.update({ labels: given }), labels)
      await opened.form.locator('label', { hasText: 'Last' }).waitFor()
    })
    assert.deepEqual(told.map(({ option }) => option).sort(), [...law, 'number', 'submit'].map((name) => `labels.${name}`).sort())
    assert.deepEqual(await Promise.all(legal.map(shown)), before)
    assert.equal(await shown('label[for=number]'), 'Card number')
    await opened.page.close()
  })
})

function isOfPress(told: unknown): boolean {
  return (told as Told).reason === 'number_missing'
}

interface Told {
  readonly code: number
  readonly reason: string
  readonly field: string | null
  readonly retryable: boolean
  readonly message: string
  readonly option?: string
  readonly docs: string
}

interface Warned {
  readonly of: string
  readonly on: string
  readonly scheme: string
  readonly ratio: number
  readonly needed: number
  readonly suggestion: string
  readonly message: string
  readonly docs: string
}
