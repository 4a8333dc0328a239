// time limit: 480 s
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Frame } from 'playwright-core'

import type { Appearance } from '@tessera/contract/appearance'
import { appearanceExamples } from '@tessera/contract/appearance-examples'
import { listProperties, listSelectors } from '@tessera/contract/appearance-syntax'
import { measureContrast, readRgb } from '@tessera/contract/contrast'
import { evilValues } from '@tessera/contract/css-injection.fixture'

import { pressInFrame } from '../tools/press-in-frame.ts'
import { attacks, strongest } from './appearance-attacks.fixture.ts'
import { startTestBed, type OpenForm, type OpenOptions, type TestBed, type TestPage } from './form.fixture.ts'
import { waitForPixels } from './pixels.fixture.ts'
import { fixedProperties } from './themed-properties.fixture.ts'

describe('the appearance of the card form', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  async function open(options: object = {}, more: OpenOptions = {}): Promise<[OpenForm, Frame]> {
    const opened = await testBed.open({ options, page: { reducedMotion: 'reduce', colorScheme: 'light' }, ...more })
    await opened.waitForEvent('ready')
    return [opened, await opened.frame()]
  }

  /** Opens a form with an error at its number. */
  async function openWithError(options: object = {}): Promise<[OpenForm, Frame]> {
    const [opened, frame] = await open(options)
    await pressInFrame(opened.form.locator('form.card button'))
    await opened.form.locator('#number-fault:not(:empty)').waitFor()
    return [opened, frame]
  }

  /** Changes the appearance, and waits until the one after it is shown. The port keeps the order. */
  async function update({ page }: OpenForm, frame: Frame, appearance: unknown): Promise<void> {
    marker += 1
    const color = `rgb(1, 2, ${String(marker % 250)})`
    await page.evaluate(
      ([given, border]) => {
        const { form } = globalThis as unknown as TestPage
        const { variables, dark, ...rest } = (given ?? {}) as { variables?: object; dark?: { variables?: object } }
        // update() merges; these tests are about one appearance after the other.
        form.update({ appearance: undefined })
        form.update({
          appearance: { ...rest, variables: { ...variables, border }, dark: { ...dark, variables: { ...dark?.variables, border } } },
        })
      },
      [appearance, color] as const,
    )
    await frame.waitForFunction((wanted) => document.documentElement.style.getPropertyValue('--border') === wanted, color)
  }
  let marker = 0

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

  it('applies rules to parts and states, over the variables', async () => {
    const [opened, frame] = await openWithError({
      appearance: {
        variables: { accent: '#010203', radius: '3px' },
        rules: {
          '.Label': { letterSpacing: '2px', textTransform: 'uppercase' },
          '.Input': { border: 'none', borderBottom: '2px solid var(--accent)', fontSize: '20px', boxShadow: '0 1px 2px #0003' },
          '.Input--invalid': { backgroundColor: '#fee' },
          '.Input::placeholder': { color: '#abcdef' },
          '.Error': { fontWeight: 700 },
          '.Button': { borderRadius: '25px', backgroundColor: 'transparent', color: '#111' },
          '.Button:hover': { backgroundColor: '#fed' },
        },
      },
    })
    await opened.form.locator('form.card .main').hover()
    assert.deepEqual(
      await read(frame, [
        ['label[for=number]', 'letter-spacing'],
        ['label[for=number]', 'text-transform'],
        ['#expiry', 'border-top-width'],
        ['#expiry', 'border-bottom-width'],
        ['#expiry', 'border-top-left-radius'],
        ['#expiry', 'font-size'],
        ['#expiry::placeholder', 'color'],
        ['#number', 'background-color'],
        ['#number-fault', 'font-weight'],
        ['form.card .main', 'border-top-left-radius'],
        ['form.card .main', 'background-color'],
      ]),
      ['2px', 'uppercase', '0px', '2px', '3px', '20px', 'rgb(171, 205, 239)', 'rgb(255, 238, 238)', '700', '25px', 'rgb(255, 238, 221)'],
    )
    await update(opened, frame, {})
    assert.deepEqual(await read(frame, [['#expiry', 'font-size'], ['form.card .main', 'border-top-left-radius']]), ['16px', '8px']) // prettier-ignore
    await opened.page.close()
  })

  it('refuses every attack of the corpus, sends no request, and changes nothing', async () => {
    const [opened, frame] = await openWithError({ save: 'ask' })
    const requests: string[] = []
    await update(opened, frame, {})
    opened.page.on('request', (request) => requests.push(request.url()))
    const everything = (): Promise<string> =>
      frame.evaluate(() =>
        [...document.querySelectorAll('.root, .root *')]
          .map((part) => {
            const { x, y, width, height } = part.getBoundingClientRect()
            const style = getComputedStyle(part)
            return [
              part.className,
              x,
              y,
              width,
              height,
              style.color,
              style.backgroundColor,
              style.opacity,
              style.zIndex,
              style.content,
            ].join()
          })
          .join('\n'),
      )
    const before = await everything()
    const isText = (value: unknown): value is string => typeof value === 'string'
    // The values one by one are tested in contract/src/appearance.test.ts; here one of each kind.
    for (const value of evilValues.filter(isText).filter((_, index) => index % 9 === 0)) {
      const rules = Object.fromEntries(
        listSelectors().map(({ selector, part, state }) => [
          selector,
          Object.fromEntries(listProperties(part, state).map((property) => [property, value])),
        ]),
      )
      await update(opened, frame, { rules, dark: { rules } })
      assert.equal(await everything(), before, value)
    }
    for (const attack of attacks) {
      await update(opened, frame, attack)
      assert.equal(await everything(), before, JSON.stringify(attack).slice(0, 200))
    }
    assert.deepEqual(requests, [])
    assert.equal(await frame.evaluate(() => 'color' in {}), false)
    const refused = (await opened.eventValues('error')) as { readonly reason: string; readonly option?: string }[]
    assert.ok(refused.some(({ option }) => option === 'appearance.rules[".Input"].position'))
    assert.ok(refused.some(({ option }) => option === 'appearance.rules["footer"]'))
    await opened.page.close()
  })

  it('keeps the ground and the colors of consent and footer under the strongest valid appearance, also on a transparent form', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const [opened, frame] = await openWithError({ save: 'ask', appearance: { scheme } })
      const fixed = await read(frame, fixedProperties)
      for (const appearance of [strongest('#fff'), strongest('#000'), ...Object.values(appearanceExamples)]) {
        await update(opened, frame, { ...appearance, scheme })
        assert.deepEqual(await read(frame, fixedProperties), fixed)
        for (const part of ['footer', '.consent'] as const) {
          const [ink = '', ground = '', link = ''] = await read(frame, [[part, 'color'], [part, 'background-color'], [`${part} a`, 'color']]) // prettier-ignore
          for (const text of [ink, link])
            assert.ok(measureContrast(readRgb(text) ?? assert.fail(text), readRgb(ground) ?? assert.fail(ground)) >= 4.5, part)
          // Beside the first line, above it and below it: what is seen there is the ground, no shadow of a neighbor.
          await waitForPixels(opened, ground, `${scheme}: something is painted over ${part}`, async () => {
            const { x, y, width, height } = (await opened.form.locator(part).boundingBox()) ?? assert.fail(part)
            return [[x + 5, y + height / 2], [x + width / 2, y + 3], [x + width / 2, y + height - 3]] // prettier-ignore
          })
        }
      }
      await opened.page.close()
    }
  })

  it('shows no text that nobody could see: labels, input, errors and buttons have 2:1 in every state', async () => {
    const [opened, frame] = await openWithError()
    const invisible: readonly Appearance[] = [
      { variables: { text: '#fff', background: '#fff', field: '#fff', accent: '#fff', accentText: '#fff', error: '#fff' } },
      { rules: { '.Input': { color: '#fff' }, '.Label': { color: '#fff' }, '.Button': { color: '#fff', backgroundColor: '#fff' } } },
      { rules: { '.Error': { color: '#fefefe' }, '.Input--invalid': { color: '#eee', backgroundColor: '#fff' } } },
      { variables: { background: '#000' } },
      { variables: { background: 'transparent', field: 'transparent', text: '#fffffe' } },
    ]
    for (const appearance of invisible) {
      await update(opened, frame, { ...appearance, scheme: 'light' })
      for (const [part, carrier] of [
        ['label[for=number]', 'body'],
        ['#number', '#number'],
        ['#number-fault', 'body'],
        ['form.card .main', 'form.card .main'],
      ] as const) {
        // prettier-ignore
        const [ink = '', ground = ''] = await read(frame, [[part, 'color'], [carrier, 'background-color']]) // prettier-ignore
        const on = readRgb(ground) ?? [255, 255, 255]
        assert.ok(measureContrast(readRgb(ink) ?? assert.fail(ink), on) >= 2, `${part}: ${ink} on ${ground}: ${JSON.stringify(appearance)}`)
      }
    }
    await opened.page.close()
  })

  it('refuses a shadow under the labels and errors around a part, and paints the others below every text', async () => {
    const [opened, frame] = await openWithError({ save: 'ask' })
    const shadows = [['#expiry', 'box-shadow'], ['form.card .main', 'box-shadow']] as const // prettier-ignore
    const before = await read(frame, shadows)
    const covering = { boxShadow: '0 -12px 0 4px #16191f, 0 12px 0 4px #b3161b' }
    await update(opened, frame, { scheme: 'light', rules: { '.Input': covering, '.Button': covering } })
    assert.deepEqual(await read(frame, shadows), before)
    const options = ((await opened.eventValues('error')) as { readonly option?: string }[]).map(({ option }) => option)
    for (const selector of ['.Input', '.Button']) assert.ok(options.includes(`appearance.rules["${selector}"].boxShadow`), options.join())
    await update(opened, frame, { scheme: 'light', rules: { '.Input': { boxShadow: '0 0 40px 4px #ddd' } } })
    for (const text of ['label[for=number]', '#number-fault', 'footer', '.consent label', 'form.card .main']) {
      const isOnTop = await frame.evaluate((selector) => {
        const part = document.querySelector(selector) ?? document.body
        const { x, y, width, height } = part.getBoundingClientRect()
        return part.contains(document.elementFromPoint(x + width / 2, y + height / 2))
      }, text)
      assert.ok(isOnTop, text)
    }
    await opened.page.close()
  })

  it('keeps the border of a field with an error over the rules for fields', async () => {
    const [opened, frame] = await openWithError()
    await opened.form.locator('#number').hover()
    const gray = { borderColor: '#777' }
    await update(opened, frame, { scheme: 'light', rules: { '.Input': gray, '.Input:hover': gray, '.Input:focus': gray } })
    assert.deepEqual(await read(frame, [['#number', 'border-top-color'], ['#expiry', 'border-top-color']]), ['rgb(179, 22, 27)', 'rgb(179, 22, 27)']) // prettier-ignore
    await update(opened, frame, { scheme: 'light', rules: { '.Input--invalid': { borderColor: '#a0f' } } })
    assert.deepEqual(await read(frame, [['#number', 'border-top-color']]), ['rgb(170, 0, 255)'])
    await opened.page.close()
  })

  it('is light on a light page and dark on a dark one, whatever the device', async () => {
    for (const [head, scheme] of [
      ['<style>body{background:#101418;color:#fff}</style>', 'dark'],
      ['<style>body{background:#fff}#card{background:rgb(0 0 0 / 90%)}</style>', 'dark'],
      ['<style>:root{color-scheme:dark}</style>', 'dark'],
      ['', 'light'],
    ] as const) {
      for (const colorScheme of [scheme === 'dark' ? 'light' : 'dark'] as const) {
        const [opened, frame] = await open({}, { head, page: { colorScheme } })
        const shown = await frame.evaluate(() => document.documentElement.dataset['scheme'])
        assert.equal(shown, scheme, `${head} on a ${colorScheme} device`)
        // Behind a document of another scheme than its frame's, browsers paint an opaque ground.
        const schemes = await Promise.all(
          [opened.page.locator('iframe'), opened.form.locator('html')].map((each) =>
            each.evaluate((part) => getComputedStyle(part).colorScheme),
          ),
        )
        assert.deepEqual(schemes, ['light', 'light'])
        assert.equal(await opened.form.locator('.root').evaluate((part) => getComputedStyle(part).colorScheme), scheme)
        await opened.page.close()
      }
    }
  })

  it('follows a page that becomes dark, and the device only when it is told to', async () => {
    const head = '<style>body{background:#fff;color:#111}.dark body{background:#111;color:#eee}</style>'
    const [opened] = await open({}, { head })
    const waitFor = (scheme: string): Promise<void> => opened.form.locator(`html[data-scheme=${scheme}]`).waitFor()
    await waitFor('light')
    await opened.page.evaluate(() => document.documentElement.classList.add('dark'))
    await waitFor('dark')
    await opened.page.evaluate(() => document.documentElement.classList.remove('dark'))
    await waitFor('light')
    await opened.page.evaluate(() => (globalThis as unknown as TestPage).form.update({ appearance: { scheme: 'auto' } }))
    await opened.page.emulateMedia({ colorScheme: 'dark' })
    await waitFor('dark')
    await opened.page.close()
  })

  it('is transparent where it is told to, and the page still learns when the footer is covered', async () => {
    const head = '<style>body{background:rgb(200, 220, 240)}</style>'
    const [opened] = await open(
      { appearance: { variables: { background: 'transparent' } } },
      { head, body: '<div id="card"></div><i></i>' },
    )
    const waitForSeen = (state: string): Promise<unknown> =>
      opened.page.waitForFunction((wanted) => (globalThis as unknown as TestPage).formEvents['seen']?.at(-1) === wanted, state)
    await waitForSeen('visible')
    await waitForPixels(opened, 'rgb(200, 220, 240)', 'the page is not seen behind the form', async () => {
      const { x, y } = (await opened.page.locator('iframe').boundingBox()) ?? assert.fail('no frame')
      return [[x + 1, y + 1]]
    })
    const cover = await opened.page.addStyleTag({ content: 'i{position:fixed;inset:0;background:#fff;pointer-events:none}' })
    await waitForSeen('hidden')
    await cover.evaluate((element) => (element as unknown as HTMLElement).remove())
    await waitForSeen('visible')
    await opened.page.close()
  })

  it('is not shown before its appearance is there, and is shown without when the script does not come', async () => {
    for (const isBlocked of [false, true]) {
      let release = (): void => undefined
      const released = new Promise<void>((resolve) => (release = resolve))
      const opened = await testBed.open({
        options: { appearance: { variables: { accent: '#010203' } } },
        prepare: (page) =>
          page.route(/\/form\/v1\/appearance-/, async (route) => {
            await released
            await (isBlocked ? route.abort() : route.continue())
          }),
      })
      const frame = await opened.frame()
      await frame.waitForFunction(() => document.body.hidden)
      assert.deepEqual(await opened.eventValues('ready'), [])
      release()
      await opened.waitForEvent('ready')
      const [accent] = await read(frame, [['form.card .main', 'background-color']])
      assert.equal(accent, isBlocked ? 'rgb(20, 87, 217)' : 'rgb(1, 2, 3)')
      await opened.page.close()
    }
  })

  it('has the font of a file that the page hands over, requests nothing, and leaves the legal texts theirs', async () => {
    const [opened, frame] = await open({ save: 'ask' })
    const requests: string[] = []
    const widthOf = (part: string): Promise<number> => frame.evaluate((at) => document.querySelector(at)?.scrollHeight ?? 0, part)
    const [fixed, height] = [await read(frame, fixedProperties), await widthOf('footer')]
    const bytes = readFileSync(fontFile).toString('base64')
    const send = (base64: string): Promise<void> =>
      opened.page.evaluate(
        (font) => (globalThis as unknown as TestPage).form.update({ appearance: { font } }),
        `data:font/ttf;base64,${base64}`,
      )
    await send(btoa('no font'))
    const error = (await opened.waitForEvent('error')) as { readonly option: string }
    assert.equal(error.option, 'appearance.font')
    // It is refused each time: all problems are reported again when there is another one.
    await opened.page.evaluate(() => (globalThis as unknown as TestPage).form.update({ layout: 'round' }))
    const errors = (await opened.waitForEvents('error', 3)) as { readonly option: string }[]
    assert.deepEqual(
      errors
        .slice(1)
        .map(({ option }) => option)
        .sort(),
      ['appearance.font', 'layout'],
    )
    await opened.page.evaluate(() => (globalThis as unknown as TestPage).form.update({ layout: undefined }))
    opened.page.on('request', (request) => requests.push(request.url()))
    await send(bytes)
    await frame.waitForFunction(() =>
      [...document.fonts].some(({ family, unicodeRange }) => family === 'page-font' && unicodeRange === 'U+0-10FFFF'),
    )
    assert.match((await read(frame, [['#number', 'font-family']])).join(), /^page-font, /)
    assert.deepEqual([requests, await read(frame, fixedProperties), await widthOf('footer')], [[], fixed, height])
    await opened.page.close()
  })

  it('lets a floating label rest in an empty field, and rise when the field is used', async () => {
    const [opened, frame] = await open({ appearance: { labels: 'floating', rules: { '.Label--floating': { color: '#123456' } } } })
    const state = async (): Promise<unknown> => {
      const [color, transform] = await read(frame, [['label[for=number]', 'color'], ['label[for=number]', 'transform']]) // prettier-ignore
      return [color === 'rgb(18, 52, 86)', transform?.startsWith('matrix(0.8')]
    }
    assert.deepEqual(await state(), [false, false])
    await opened.form.locator('#number').focus()
    assert.deepEqual(await state(), [true, true])
    await opened.form.locator('#number').fill('8600')
    await opened.form.locator('#expiry').focus()
    assert.deepEqual(await state(), [true, true])
    await opened.page.close()
  })
})

const fontFile = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'
