// time limit: 180 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Frame, Page } from 'playwright-core'

import { pressInFrame } from '../tools/press-in-frame.ts'
import { enterCard, enterCode, startTestBed, type TestPage, type OpenForm, type TestBed } from './form.fixture.ts'

const success = '8600069195406311'

describe('the appearance of the card form', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  /** Goes through every step, including errors, and checks each. */
  async function visit(opened: OpenForm, check: (frame: Frame, step: string) => Promise<void>): Promise<void> {
    const [{ form }, frame] = [opened, await opened.frame()]
    await opened.waitForEvent('ready')
    await check(frame, 'empty')
    await pressInFrame(form.locator('form.card button'))
    await form.locator('#number-fault:not(:empty)').waitFor()
    await check(frame, 'errors')
    await enterCard(opened, '4444445987459073')
    await form.locator('#number-fault:not(:empty)').waitFor()
    await check(frame, 'refused')
    await enterCard(opened, success)
    await form.locator('#code').waitFor()
    await check(frame, 'code')
    await enterCode(opened)
    await form.locator('.done h2').waitFor()
    await check(frame, 'done')
  }

  const overflowWidth = (): number => document.documentElement.scrollWidth - document.documentElement.clientWidth

  for (const locale of ['uz', 'ru', 'en']) {
    it(`fits into 320 pixels in every step: ${locale}`, async () => {
      const options = { locale, layout: 'row', theme: { fontSize: '20px' } }
      const opened = await testBed.open({
        options,
        page: { viewport: { width: 320, height: 640 } },
        head: '<style>body{margin:8px}</style>',
      })
      await visit(opened, async (frame, step) => {
        assert.equal(await frame.evaluate(overflowWidth), 0, `${step}: the form scrolls horizontally`)
        assert.equal(await opened.page.evaluate(overflowWidth), 0, `${step}: the shop scrolls horizontally`)
        const truncated = await frame.evaluate(() =>
          [...document.querySelectorAll<HTMLElement>('button, label, p, a, h2')]
            .filter(
              (part) => part.checkVisibility() && part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).display !== 'inline',
            )
            .map(({ textContent }) => textContent),
        )
        assert.deepEqual(truncated, [], `${step}: texts that are cut off`)
      })
      await opened.page.close()
    })
  }

  for (const layout of ['stacked', 'row', 'compact']) {
    it(`shows number, label and brand without overlap in every width, in both directions: ${layout}`, async () => {
      const opened = await testBed.open({ options: { layout }, head: '<style>body{margin:0}</style>' })
      await opened.form.locator('#number').fill('5500 0000 0000 0004')
      await opened.form.locator('.brand[data-brand=mastercard]').waitFor()
      const frame = await opened.frame()
      for (const direction of ['ltr', 'rtl'] as const) {
        await opened.page.evaluate((value) => (globalThis as unknown as TestPage).form.update({ direction: value }), direction)
        await opened.form.locator(`html[dir=${direction}]`).waitFor()
        for (let width = 304; width <= 416; width += 8) {
          await opened.page.setViewportSize({ width, height: 640 })
          await frame.waitForFunction((wanted) => innerWidth === wanted, width)
          const { hidden, ...overlaps } = await frame.evaluate(measureNumber)
          const where = `${direction}, ${String(width)} pixels`
          assert.ok(hidden <= 0, `${where}: ${String(hidden)} pixels of digits are hidden`)
          for (const [name, pixels] of Object.entries(overlaps)) assert.ok(pixels <= 0, `${where}: ${name} by ${String(pixels)}`)
        }
      }
      await opened.page.close()
    })
  }

  for (const [layout, labels, direction] of [
    ['row', 'above', 'ltr'],
    ['compact', 'above', 'rtl'],
    ['row', 'floating', 'rtl'],
    ['compact', 'floating', 'ltr'],
  ] as const) {
    it(`writes the errors of number and expiry in whole lines below both, and moves nothing for that: ${layout}, ${labels}, ${direction}`, async () => {
      const script = Promise.withResolvers<undefined>()
      const opened = await testBed.open({
        options: { layout, direction, appearance: { labels } },
        page: { viewport: { width: 376, height: 740 }, reducedMotion: 'reduce' },
        prepare: (page) => page.route('**/form/v1/deferred-*.js', (route) => script.promise.then(() => route.continue())),
      })
      await opened.waitForEvent('ready')
      const frame = await opened.frame()
      await frame.waitForFunction((wanted) => (document.documentElement.dataset['labels'] ?? 'above') === wanted, labels)
      const readPlaces = (): Promise<string[]> =>
        frame.evaluate(() =>
          [...document.querySelectorAll('.card label, .card .box, footer, .card .main')].map((part) => {
            const { x, y, width, height } = part.getBoundingClientRect()
            return [x, y, width, height].map((pixels) => pixels.toFixed(1)).join()
          }),
        )
      const before = await readPlaces()
      script.resolve(undefined)
      await opened.waitUntilComplete()
      assert.deepEqual(await readPlaces(), before)
      await pressInFrame(opened.form.locator('form.card button.main'))
      await opened.form.locator('#expiry-fault:not(:empty)').waitFor()
      const [box, ...faults] = await frame.evaluate(() =>
        ['#expiry', '#number-fault', '#expiry-fault', 'footer'].map((selector) => {
          const { top, bottom, width } = document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect()
          return { top, bottom, isWhole: width > innerWidth - 12 }
        }),
      )
      assert.deepEqual(
        faults.map(({ isWhole }) => isWhole),
        [true, true, true],
      )
      let above = box?.bottom ?? Infinity
      for (const { top, bottom } of faults) {
        assert.ok(top >= above, `an error begins at ${String(top)}, above ${String(above)}`)
        above = bottom
      }
      await opened.page.close()
    })
  }

  it('shows the marks of the accepted cards in an empty field, and none of others', async () => {
    const prepare = (page: Page): Promise<unknown> =>
      page.route(/\/form\/v1\?/, async (route) => {
        const response = await route.fetch()
        const body = (await response.text()).replace(/"accepted":\[[^\]]*\]/, '"accepted":["uzcard","humo"]')
        await route.fulfill({ response, body })
      })
    const opened = await testBed.open({ prepare })
    await opened.waitUntilComplete()
    const shown = (): Promise<(string | null)[]> =>
      opened.form.locator('.brand .mark:not(.gone)').evaluateAll((marks) => marks.map((mark) => mark.getAttribute('data-brand')))
    assert.deepEqual(await shown(), ['uzcard', 'humo'])
    await opened.form.locator('#number').fill('4')
    assert.deepEqual(await shown(), [])
    await opened.form.locator('#number').fill('98')
    assert.deepEqual(await shown(), ['humo'])
    await opened.page.close()
  })

  it('has visible borders, marks and focus in forced colors', async () => {
    const opened = await testBed.open({ page: { forcedColors: 'active', colorScheme: 'dark' } })
    await visit(opened, async (frame, step) => {
      const withoutBorder = await frame.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('input, button.main, .whole:not(:empty), footer, .consent')]
          .filter((part) => part.checkVisibility() && !(part instanceof HTMLInputElement && part.type === 'checkbox'))
          .filter((part) => {
            const { borderTopWidth, borderTopStyle, borderTopColor, backgroundColor } = getComputedStyle(part)
            return borderTopStyle === 'none' || Number.parseFloat(borderTopWidth) === 0 || borderTopColor === backgroundColor
          })
          .map(({ id, className, tagName }) => `${tagName} ${id}${className}`),
      )
      assert.deepEqual(withoutBorder, [], `${step}: elements without a border`)
      if (step === 'errors') {
        const [invalid, focused] = await frame.evaluate(() => {
          const outlineOf = (selector: string): string => getComputedStyle(document.querySelector(selector) ?? document.body).outlineStyle
          return [outlineOf('#expiry'), outlineOf('#number')]
        })
        assert.deepEqual([invalid, focused], ['solid', 'solid'])
      }
    })
    await opened.page.close()
  })

  it('has no transitions for people who prefer reduced motion', async () => {
    for (const [reducedMotion, moves] of [
      ['reduce', false],
      ['no-preference', true],
    ] as const) {
      const opened = await testBed.open({ page: { reducedMotion } })
      await opened.waitForEvent('ready')
      const seconds = await (
        await opened.frame()
      ).evaluate(() =>
        [...document.querySelectorAll('*')].flatMap((part) => {
          const { transitionDuration, animationDuration, animationName } = getComputedStyle(part)
          return [transitionDuration, animationName === 'none' ? '0s' : animationDuration].flatMap((text) =>
            text.split(',').map(Number.parseFloat),
          )
        }),
      )
      assert.equal(Math.max(...seconds) > 0, moves, reducedMotion)
      await opened.page.close()
    }
  })

  it('is laid out from right to left on request, with digits from left to right and the brand beside them', async () => {
    const opened = await testBed.open({ options: { direction: 'rtl' }, page: { viewport: { width: 400, height: 700 } } })
    const frame = await opened.frame()
    await opened.form.locator('html[dir=rtl]').waitFor()
    await opened.form.locator('#number').fill(success)
    await opened.form.locator('.brand[data-brand=uzcard]').waitFor()
    const layout = await frame.evaluate(() => {
      const at = (selector: string): DOMRect => document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect()
      const label = document.createRange()
      label.selectNodeContents(document.querySelector('label[for=number]') ?? document.body)
      const number = document.querySelector('#number') as HTMLInputElement
      const dot = document.createRange()
      const sentence = document.querySelector('footer p span')?.firstChild
      if (sentence) dot.setStart(sentence, (sentence.textContent?.length ?? 1) - 1)
      if (sentence) dot.setEnd(sentence, sentence.textContent?.length ?? 1)
      const { paddingLeft, paddingRight, direction, textAlign } = getComputedStyle(number)
      const brand = at('.brand')
      const isBrandLeft = brand.left - at('#number').left < at('#number').right - brand.right
      return {
        isLabelRight: at('#number').right - label.getBoundingClientRect().right < 3,
        isBrandClear: Number.parseFloat(isBrandLeft ? paddingLeft : paddingRight) >= brand.width + 13,
        isStopBehind: dot.toString() === '.' && at('footer').right - dot.getBoundingClientRect().right < 20,
        direction,
        textAlign,
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      }
    })
    assert.deepEqual(layout, {
      isLabelRight: true,
      isBrandClear: true,
      isStopBehind: true,
      direction: 'ltr',
      textAlign: 'right',
      overflow: 0,
    })
    await enterCard(opened, success)
    await enterCode(opened)
    await opened.waitForEvent('token')
    await opened.page.close()
  })
})

/** Runs in the frame: what of the digits is hidden, and how far the brand is over the digits, over the label, or outside the frame, in pixels. */
function measureNumber(): Readonly<Record<'hidden' | 'over the digits' | 'over the label' | 'outside', number>> {
  const find = (selector: string): HTMLElement => document.querySelector(selector) ?? document.body
  const number = find('#number') as HTMLInputElement
  const text = document.createRange()
  text.selectNodeContents(find('label[for=number]'))
  const [brand, label, box] = [find('.brand').getBoundingClientRect(), text.getBoundingClientRect(), number.getBoundingClientRect()]
  const isAbove = brand.bottom <= box.top
  const isLeft = brand.left - box.left < box.right - brand.right
  const { paddingLeft, paddingRight } = getComputedStyle(number)
  const clear = isLeft ? brand.right - box.left - Number.parseFloat(paddingLeft) : box.right - brand.left - Number.parseFloat(paddingRight)
  return {
    hidden: number.scrollWidth - number.clientWidth,
    'over the digits': isAbove ? 0 : clear,
    'over the label': isAbove ? Math.min(brand.right - label.left, label.right - brand.left) : 0,
    outside: Math.max(-brand.left, brand.right - innerWidth, -brand.top),
  }
}
