// time limit: 240 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Frame } from 'playwright-core'

import { formLabels } from '@tessera/contract/frame'
import { measureContrast, readRgb } from '@tessera/contract/contrast'
import { themeVariables, type Theme } from '@tessera/contract/theme'

import { pressInFrame } from '../tools/press-in-frame.ts'
import { startTestBed, type TestPage, type OpenForm, type TestBed } from './form.fixture.ts'
import { fixedProperties, fixedTexts, themedProperties } from './themed-properties.fixture.ts'

describe('the theme of the card form', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  /** Opens a form with an error at its number, so that every themed element is visible. */
  async function openWithError(options: object = {}): Promise<[OpenForm, Frame]> {
    // The script of the appearance is there from the beginning: events come in the order of the calls.
    const opened = await testBed.open({ options: { theme: {}, ...options }, page: { colorScheme: 'light', reducedMotion: 'reduce' } })
    await opened.waitUntilComplete()
    await pressInFrame(opened.form.locator('form.card button'))
    await opened.form.locator('#number-fault:not(:empty)').waitFor()
    await opened.waitForEvent('error')
    return [opened, await opened.frame()]
  }

  /** Updates the form's options, and waits until a marker among them is shown. */
  let updates = 0
  async function update({ page, form }: OpenForm, options: object): Promise<void> {
    const marker = `Marker ${String(updates++)}`
    await page.evaluate(
      (given) => {
        const shop = globalThis as unknown as TestPage & { lastTheme?: string | undefined }
        const theme = 'theme' in given ? JSON.stringify(given.theme) : undefined
        // update() merges; these tests are about one theme after the other.
        if (theme !== undefined && theme !== shop.lastTheme) shop.form.update({ theme: undefined })
        shop.lastTheme = theme
        shop.form.update(given)
      },
      { labels: { expiry: marker }, ...options } as object,
    )
    await form.locator('label', { hasText: marker }).waitFor()
  }

  /**
   * The events caused by an action. The port keeps the order of messages, so when the error of a button press has arrived, every earlier
   * message has arrived too.
   */
  async function eventsOf<Value>(opened: OpenForm, event: string, action: () => Promise<unknown>): Promise<Value[]> {
    const drain = async (): Promise<unknown[]> => {
      const pressErrors = (await opened.eventValues('error')).filter(isFromPress).length
      await opened.page.evaluate(() => (globalThis as unknown as TestPage).form.submit())
      await opened.page.waitForFunction(
        (count) =>
          (globalThis as unknown as TestPage).formEvents['error']?.filter((value) => (value as ErrorEvent).reason === 'number_missing')
            .length === count,
        pressErrors + 1,
      )
      return (await opened.eventValues(event)).filter((value) => !isFromPress(value))
    }
    const before = await drain()
    await action()
    return (await drain()).slice(before.length) as Value[]
  }

  const read = (frame: Frame, places: readonly (readonly [string, string])[]): Promise<string[]> =>
    frame.evaluate(
      (requested) =>
        requested.map(([selector, property]) => {
          const [place = '', pseudo] = selector.split(/(?=::)/)
          const part = document.querySelector(place)
          return part === null ? `no element matches ${selector}` : getComputedStyle(part, pseudo ?? null).getPropertyValue(property)
        }),
      places,
    )

  it('shows the focus in its color, and on a field with an error in that of the error', async () => {
    const [opened, frame] = await openWithError({})
    const ring = [['#number:focus-visible', 'outline-color'], ['#number:focus-visible', 'outline-offset']] as const // prettier-ignore
    await update(opened, { theme: { focus: '#161718', error: '#401112' } })
    assert.deepEqual(await read(frame, ring), ['rgb(64, 17, 18)', '-3px'])
    await opened.form.locator('#number').pressSequentially('8600')
    assert.deepEqual(await read(frame, ring), ['rgb(22, 23, 24)', '-2px'])
    await opened.page.close()
  })

  // No rule of the style sheet depends on both layout and direction.
  for (const [layout, direction] of [
    ['stacked', 'ltr'],
    ['row', 'rtl'],
    ['compact', 'ltr'],
  ] as const) {
    it(`changes what each variable names, and no legal text: ${layout}, ${direction}`, async () => {
      const [opened, frame] = await openWithError({ layout, direction })
      for (const name of themeVariables) {
        const { value, computed, targets: places } = themedProperties[name]
        await update(opened, { theme: {} })
        const before = await read(frame, places)
        const fixed = await read(frame, fixedProperties)
        await update(opened, { theme: { [name]: value } })
        assert.deepEqual(
          await read(frame, places),
          places.map(() => computed),
          name,
        )
        assert.ok(!before.includes(computed), `${name}: it was ${before.join()} before`)
        assert.deepEqual(await read(frame, fixedProperties), fixed, `${name} changes consent or footer`)
      }
      assert.deepEqual(
        await opened.eventValues('error').then((values) => (values as ErrorEvent[]).filter(({ reason }) => reason === 'option_refused')),
        [],
      )
      await opened.page.close()
    })
  }

  it('rejects invalid values by name, keeps the defaults, and causes no request', async () => {
    const [opened, frame] = await openWithError()
    const requests: string[] = []
    opened.page.on('request', (request) => requests.push(request.url()))
    const defaultStyle = await frame.evaluate(() => document.documentElement.getAttribute('style'))
    for (const value of [
      `url(${testBed.shopOrigin}/leak)`,
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
      const errors = await eventsOf<ErrorEvent>(opened, 'error', () => update(opened, { theme }))
      assert.deepEqual(
        errors.map(({ option }) => option).sort(),
        [...themeVariables.map((name) => `theme.${name}`), 'theme.dark.text'].sort(),
        String(value),
      )
      for (const error of errors) {
        assert.deepEqual([error.code, error.reason, error.field, error.retryable], [0, 'option_refused', null, false])
        assert.equal(error.docs, `${testBed.formOrigin}/form/reasons#option_refused`)
        assert.doesNotMatch(error.message, /url|var|leak/)
      }
      assert.equal(await frame.evaluate(() => document.documentElement.getAttribute('style')), defaultStyle)
    }
    assert.deepEqual(requests, [])
    await opened.page.close()
  })

  it('rejects unknown variables and schemes once, however often they are sent, and ignores an empty text', async () => {
    const [opened] = await openWithError()
    const theme = { scheme: 'sepia', fixedBack: '#000', linkColour: '#000', accent: '', dark: { shadow: '1px', accent: undefined } }
    const errors = await eventsOf<ErrorEvent>(opened, 'error', async () => {
      for (let repeat = 0; repeat < 3; repeat++) await update(opened, { theme })
    })
    assert.deepEqual(errors.map(({ option }) => option).sort(), [
      'theme.dark.shadow',
      'theme.fixedBack',
      'theme.linkColour',
      'theme.scheme',
    ])
    const invalid = { theme: {}, layout: 'round', locale: 'de', direction: 'up', save: 'yes', button: 'no', session: 5 }
    const more = await eventsOf<ErrorEvent>(opened, 'error', () => update(opened, invalid))
    assert.deepEqual(more.map(({ option }) => option).sort(), ['button', 'direction', 'layout', 'locale', 'save', 'session'])
    await opened.page.close()
  })

  it('is light, dark, as the page or as the device, with the theme’s own dark values when it has them', async () => {
    const [opened, frame] = await openWithError()
    const background = async (): Promise<string | undefined> => (await read(frame, [['body', 'background-color']]))[0]
    const [white, night] = ['rgb(255, 255, 255)', 'rgb(20, 23, 28)']
    const themes: readonly (readonly [Theme, light: string, dark: string])[] = [
      [{}, white, white],
      [{ scheme: 'page' }, white, white],
      [{ scheme: 'auto' }, white, night],
      [{ scheme: 'light' }, white, white],
      [{ scheme: 'dark' }, night, night],
      [{ scheme: 'auto', background: '#eee' }, 'rgb(238, 238, 238)', 'rgb(238, 238, 238)'],
      [{ scheme: 'auto', background: '#eee', dark: { background: '#111' } }, 'rgb(238, 238, 238)', 'rgb(17, 17, 17)'],
      [{ scheme: 'light', dark: { background: '#111' } }, white, white],
      [{ scheme: 'dark', dark: { background: '#111' } }, 'rgb(17, 17, 17)', 'rgb(17, 17, 17)'],
      [{ scheme: 'auto', background: '#eee', dark: { background: 'url(x)' } }, 'rgb(238, 238, 238)', 'rgb(238, 238, 238)'],
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
      assert.equal(await background(), light, JSON.stringify(theme))
    }
    await opened.page.close()
  })

  it('warns about too little contrast in both schemes, with the ratio and a color that is sufficient', async () => {
    const [opened] = await openWithError({ theme: { background: '#ffffff', text: '#949494', scheme: 'light' } })
    const first = (await opened.waitForEvent('warning')) as WarningEvent
    const { of, on, scheme, ratio, needed } = first
    assert.deepEqual({ of, on, scheme, ratio, needed }, { of: 'text', on: 'field', scheme: 'light', ratio: 3.03, needed: 4.5 })
    assert.ok(measureContrast(readRgb(first.suggestion) ?? assert.fail(), [255, 255, 255]) >= 4.5)
    assert.equal(first.docs, `${testBed.formOrigin}/form/reasons#theme_contrast`)
    assert.match(first.message, /text on field \(light\).* 3\.03:1/)
    const warned = await eventsOf<WarningEvent>(opened, 'warning', () => update(opened, { theme: { background: '#fff' } }))
    const onlyDark = warned.map((each) => `${each.scheme}: ${each.of}`)
    assert.ok(onlyDark.includes('dark: text') && onlyDark.every((line) => line.startsWith('dark: ')), onlyDark.join())
    const passing = { background: '#fff', dark: { background: '#14171c' } }
    assert.deepEqual(
      await eventsOf(opened, 'warning', () => update(opened, { theme: passing })),
      [],
      'a warning about a theme that passes in both schemes',
    )
    await opened.page.close()
  })

  it('leaves consent, footer, their links and their focus readable under every valid theme', async () => {
    const [opened, frame] = await openWithError({ save: 'ask' })
    const colors = ['#fff', '#000', '#f3f5f8', '#20252d', '#3f4652', '#0b47b8', '#808080']
    for (const color of colors) {
      for (const scheme of ['light', 'dark'] as const) {
        const all = Object.fromEntries(themeVariables.map((name) => [name, color]))
        const sizes = { fontSize: '14px', gap: '0px', radius: '32px', borderWidth: '0px', fontFamily: 'cursive' }
        await update(opened, { theme: { ...all, ...sizes, scheme }, layout: 'compact' })
        for (const part of ['footer', '.consent']) {
          const [ink = '', ground = '', link = '', size = '', ring = ''] = await read(frame, [
            [part, 'color'],
            [part, 'background-color'],
            [`${part} a`, 'color'],
            [part, 'font-size'],
            [`${part} a`, 'outline-color'],
          ])
          const on = readRgb(ground) ?? assert.fail(ground)
          for (const text of [ink, link])
            assert.ok(measureContrast(readRgb(text) ?? assert.fail(text), on) >= 4.5, `${part} ${scheme} ${color}: ${text}`)
          assert.equal(size, '13px')
          assert.notEqual(ring, '')
        }
        await opened.form.locator('footer a').nth(1).press('Shift+Tab')
        const [ring = '', ground = ''] = await read(frame, [
          ['footer a:focus-visible', 'outline-color'],
          ['footer', 'background-color'],
        ])
        assert.ok(measureContrast(readRgb(ring) ?? assert.fail(ring), readRgb(ground) ?? assert.fail()) >= 3, `${scheme} ${color}: focus`)
      }
    }
    assert.ok(await opened.form.locator('footer').isVisible())
    await opened.page.close()
  })

  it('replaces every label with the page’s own, and no legal text', async () => {
    const [opened, frame] = await openWithError({ save: 'ask' })
    const shown = (selector: string): Promise<string | null> =>
      frame.evaluate((at) => document.querySelector(at)?.textContent ?? null, selector)
    const legal = [...fixedTexts]
    const before = await Promise.all(legal.map(shown))
    await opened.page.evaluate(
      (labels) => (globalThis as unknown as TestPage).form.update({ labels }),
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
    const notLabels = [
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
    const labels = { ...Object.fromEntries(notLabels.map((name) => [name, 'Mine'])), number: '   ', submit: 'x'.repeat(61), expiry: 'Last' }
    const errors = await eventsOf<ErrorEvent>(opened, 'error', async () => {
      await opened.page.evaluate((given) => (globalThis as unknown as TestPage).form.update({ labels: given }), labels)
      await opened.form.locator('label', { hasText: 'Last' }).waitFor()
    })
    assert.deepEqual(errors.map(({ option }) => option).sort(), [...notLabels, 'number', 'submit'].map((name) => `labels.${name}`).sort())
    assert.deepEqual(await Promise.all(legal.map(shown)), before)
    assert.equal(await shown('label[for=number]'), 'Card number')
    await opened.page.close()
  })
})

function isFromPress(value: unknown): boolean {
  return (value as ErrorEvent).reason === 'number_missing'
}

interface ErrorEvent {
  readonly code: number
  readonly reason: string
  readonly field: string | null
  readonly retryable: boolean
  readonly message: string
  readonly option?: string
  readonly docs: string
}

interface WarningEvent {
  readonly of: string
  readonly on: string
  readonly scheme: string
  readonly ratio: number
  readonly needed: number
  readonly suggestion: string
  readonly message: string
  readonly docs: string
}
