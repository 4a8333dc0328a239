// time limit: 90 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Frame } from 'playwright-core'

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

  for (const [layout, width] of [
    ['stacked', 320],
    ['stacked', 376],
    ['row', 400],
    ['compact', 480],
  ] as const) {
    it(`shows number, label and brand without overlap, in both directions: ${layout}, ${String(width)} pixels`, async () => {
      const opened = await testBed.open({ options: { layout }, page: { viewport: { width, height: 640 } } })
      await opened.form.locator('#number').fill('5500 0000 0000 0004')
      await opened.form.locator('.brand[data-brand=mastercard]').waitFor()
      const frame = await opened.frame()
      for (const direction of ['ltr', 'rtl'] as const) {
        await opened.page.evaluate((value) => (globalThis as unknown as TestPage).form.update({ direction: value }), direction)
        await opened.form.locator(`html[dir=${direction}]`).waitFor()
        const [hidden, overlap, onLabel] = await frame.evaluate(() => {
          const number = document.querySelector('#number') as HTMLInputElement
          const label = document.createRange()
          label.selectNodeContents(document.querySelector('label[for=number]') ?? document.body)
          const [brand, labelBox, box] = [document.querySelector('.brand') ?? document.body, label, number].map((it) =>
            it.getBoundingClientRect(),
          )
          if (brand === undefined || labelBox === undefined || box === undefined) throw new Error('nothing to measure')
          const isAbove = brand.bottom <= box.top
          return [
            number.scrollWidth - number.clientWidth,
            isAbove ? 0 : box.right - Number.parseFloat(getComputedStyle(number).paddingRight) - brand.left,
            isAbove ? Math.min(brand.right - labelBox.left, labelBox.right - brand.left) : 0,
          ]
        })
        assert.equal(hidden, 0, `${direction}: digits are hidden`)
        assert.ok(overlap <= 0, `${direction}: the brand overlaps the digits by ${String(overlap)}`)
        assert.ok(onLabel <= 0, `${direction}: the brand overlaps the label by ${String(onLabel)}`)
      }
      await opened.page.close()
    })
  }

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
