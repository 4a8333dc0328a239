import { pressInFrame } from '../tools/press-in-frame.ts'
import { enterCard, enterCode, observeForm, type OpenForm, type TestBed } from './form.fixture.ts'
import { callAsServer, createOfferingSession, saveCards } from './saved-cards.fixture.ts'
import { stubReplies, type ReplyStub, type StateVisitor } from './states.fixture.ts'

/** How the hosted page is shown. */
export interface HostedLook {
  readonly name: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly colorScheme: 'light' | 'dark'
  /** The merchant's color; '' for none. */
  readonly brandColor: string
  readonly locales: readonly ('uz' | 'ru' | 'en')[]
}

const languages = ['uz', 'ru', 'en'] as const

export const hostedLooks: readonly HostedLook[] = [
  { name: 'hosted-360-light', viewport: { width: 360, height: 740 }, colorScheme: 'light', brandColor: '', locales: languages },
  { name: 'hosted-390-dark', viewport: { width: 390, height: 780 }, colorScheme: 'dark', brandColor: '#7b2ff2', locales: languages },
  { name: 'hosted-wide', viewport: { width: 1080, height: 720 }, colorScheme: 'light', brandColor: '#0a6b4d', locales: ['ru'] },
]

const success = '8600069195406311'

/** Opens the hosted page in each state, and every page of text. */
export async function visitHostedStates(
  testBed: TestBed,
  { viewport, colorScheme, brandColor }: HostedLook,
  locale: string,
  visit: (opened: OpenForm, state: string) => Promise<void>,
): Promise<void> {
  const createSession = (other: object = {}): Promise<{ session: string; page: string }> =>
    callAsServer(testBed, 'form.sessions.create', {
      origin: testBed.shopOrigin,
      save: 'ask',
      return: `${testBed.shopOrigin}/cards?order=1`,
      locale,
      ...other,
    })
  const page = await testBed.browser.newPage({ viewport, colorScheme, locale, reducedMotion: 'reduce' })
  const stub = await stubReplies(page)
  const opened = observeForm(page)
  await page.route('**/form/v1/page?**', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace('"brandColor":""', `"brandColor":"${brandColor}"`) })
  })
  // What follows a confirmation is not loaded, so that the confirmation stays.
  await page.route(`${testBed.shopOrigin}/**`, () => Promise.resolve())
  const open = async (link: string): Promise<void> => {
    // In the same document only the fragment would change.
    await page.goto('about:blank')
    await page.goto(link)
  }
  await visitForms(testBed, opened, { createSession, open, visit: (state) => visit(opened, state) })
  await visitEndings(opened, stub, { createSession, open, visit: (state) => visit(opened, state) })
  for (const path of ['/form/terms', '/form/privacy', '/form/reasons', '/form/v1', '/form/nothing']) {
    await page.goto(`${testBed.formOrigin}${path}?locale=${locale}`)
    await visit(opened, path)
  }
  await page.close()
}

interface HostedVisit {
  readonly createSession: (other?: object) => Promise<{ session: string; page: string }>
  readonly open: (link: string) => Promise<void>
  readonly visit: StateVisitor
}

async function visitForms(testBed: TestBed, opened: OpenForm, { createSession, open, visit }: HostedVisit): Promise<void> {
  const { page, form } = opened
  await open((await createSession()).page)
  await form.locator('form.done').waitFor({ state: 'attached' })
  await visit('add a card')
  await open((await createSession({ amount: 125_000_000, order: 'A-197/26' })).page)
  await form.locator('form.done').waitFor({ state: 'attached' })
  await visit('pay')
  await enterCard(opened, '8600060921090842')
  await form.locator('#number-fault:not(:empty)').waitFor()
  await visit('refused')
  await enterCard(opened, success)
  await form.locator('#code').waitFor()
  await visit('code')
  await enterCode(opened)
  await page.locator('.ending .sign svg').waitFor()
  await visit('confirmed')
  const { page: link } = await createOfferingSession(testBed, await saveCards(testBed, [success, '8600495473316478']), {
    return: `${testBed.shopOrigin}/cards`,
    amount: 18_500_000,
  })
  await open(link)
  await form.locator('.saved').waitFor()
  await visit('saved cards')
  await pressInFrame(form.locator('form.card button.main'))
  await page.locator('.ending .sign svg').waitFor()
  await visit('picked')
}

async function visitEndings({ page }: OpenForm, stub: ReplyStub, { createSession, open, visit }: HostedVisit): Promise<void> {
  const ending = page.locator('.ending .sign svg')
  const showEnding = async (state: string, link: string): Promise<void> => {
    await open(link)
    await ending.waitFor()
    await visit(state)
    stub.restore()
  }
  const { page: link } = await createSession()
  stub.fail('form.sessions.show', 'session_unknown')
  await showEnding('unknown', link)
  stub.fail('form.sessions.show', 'offline')
  await showEnding('offline', link)
  stub.change('form.sessions.show', (details) => ({ ...details, state: 'ended' }))
  await showEnding('ended', link)
  stub.change('form.sessions.show', (details) => ({ ...details, state: 'cancelled' }))
  await showEnding('cancelled', link)
  await page.evaluate(() => sessionStorage.clear())
  await showEnding('incomplete', link.split('#')[0] ?? '')
}
