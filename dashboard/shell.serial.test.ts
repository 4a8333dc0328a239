// time limit: 240 s
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import type { Route } from 'playwright-core'

import {
  listAccessibilityViolations,
  fillSignIn,
  openDashboard,
  signInByForm,
  currentTotpCode,
  waitForResponseTo,
  type OpenDashboard,
} from './dashboard.fixture.ts'

interface ApiResult {
  readonly card: { readonly token: string }
  readonly receipt: { readonly _id: string }
}

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard({ isShared: false })
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('a user signs in, finds a card, removes it, and signs out', async () => {
  const made = (await dashboard.api('cards.create', { card: { number: '8600069195406311', expire: '0399' }, customer: '<b>c-1</b>' })) as {
    card: { token: string }
  }
  await dashboard.api('cards.create', { card: { number: '8600495473316478', expire: '0399' } })
  const page = await dashboard.open('cards?search=6311')
  const found = page.getByRole('link', { name: '860006******6311' })
  await found.waitFor()
  await page.getByRole('link', { name: 'Cards' }).click()
  await page.getByRole('link', { name: '860049******6478' }).waitFor()
  assert.equal(await page.getByLabel('Find a card').inputValue(), '', 'the search is cleared with the list')
  await page.getByLabel('Find a card').fill(' 6311 ')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: '860049******6478' }).waitFor({ state: 'detached' })
  await found.click()
  assert.match(page.url(), new RegExp(`/dashboard/cards/${made.card.token.slice(0, 24)}$`))
  await page.getByText('<b>c-1</b>').waitFor()
  await page.getByRole('button', { name: 'Remove the card' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the card' }).click()
  await page.getByText('removed', { exact: true }).first().waitFor()
  await page.locator('.account summary').click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.match((await page.context().cookies()).map(({ name }) => name).join(), /^tessera-device$/)
})

test('the chosen language and theme survive a reload', async () => {
  const page = await (await dashboard.context()).newPage()
  await page.goto(`${dashboard.origin}/dashboard/cards`)
  await page.getByLabel('Theme').selectOption('dark')
  await page.getByLabel('Language').selectOption('ru')
  await page.reload()
  await page.getByRole('heading', { name: 'Вход' }).waitFor()
  assert.equal(await page.getByLabel('Тема').inputValue(), 'dark')
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
})

test('the first Tab focuses a skip link, and Enter moves the focus to the content', async () => {
  const page = await dashboard.open('cards')
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Skip to content' })
  assert.equal(await skip.evaluate((link) => link === document.activeElement), true)
  await page.keyboard.press('Enter')
  await page.locator('main:focus').waitFor()
  assert.equal(new URL(page.url()).pathname, '/dashboard/cards')
})

test('a card links to its failed payment, and the payment to the card it was attempted with', async () => {
  const callApi = (method: string, params: object) => dashboard.api(method, params) as Promise<ApiResult>
  const { token } = (await callApi('cards.create', { card: { number: '4444445987459073', expire: '0399' }, save: true })).card
  await callApi('cards.get_verify_code', { token })
  await callApi('cards.verify', { token, code: '666666' })
  const { _id: id } = (await callApi('receipts.create', { amount: 7_700_000 })).receipt
  await callApi('receipts.pay', { id, token })
  const page = await dashboard.open(`cards/${token.slice(0, 24)}`)
  const refused = page.locator('.timeline li', { hasText: 'Payment failed' })
  await refused.getByText('card blocked').waitFor()
  await refused.getByRole('link').click()
  await page.getByText('Reason of the last failure').waitFor()
  assert.match(page.url(), new RegExp(`/dashboard/receipts/${id}$`))
  await page.locator('dl').getByRole('link', { name: '444444******9073' }).click()
  await refused.waitFor()
  // Chromium has no Uzbek month names.
  const uzbek = await dashboard.open(`cards/${token.slice(0, 24)}`, { locale: 'uz-UZ' })
  assert.match(await uzbek.locator('.timeline time').first().innerText(), /^\d\d\.\d\d\.\d{4}, \d\d:\d\d:\d\d$/)
})

test('a wrong password is rejected, and a session that ended elsewhere leads to the sign-in page', async () => {
  const page = await (await dashboard.context()).newPage()
  await page.goto(`${dashboard.origin}/dashboard/cards`)
  await page.getByRole('textbox', { name: 'Phone' }).fill(dashboard.login.phone)
  await page.locator('input[type=password]').fill('wrong')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').getByText('sign_in_refused').waitFor()
  await page.reload()
  // A call that is sent when the cookies are gone would end the session before the click.
  await Promise.all([waitForResponseTo(page, 'dashboard.cards.list'), signInByForm(page, dashboard.login)])
  await page.context().clearCookies()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByText('Your session has ended').waitFor()
})

test('the sign-in page says that the session has ended also when two calls fail at once', async () => {
  const page = await dashboard.open('cards')
  // A call that is sent when the cookies are gone would end the session before the click.
  await page.waitForLoadState('networkidle')
  await page.context().clearCookies()
  const replies = ['dashboard.verification.funnel', 'dashboard.verification.list'].map((method) => waitForResponseTo(page, method))
  await page.getByRole('link', { name: 'Verification' }).click()
  await Promise.all(replies)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.equal(await page.getByText('Your session has ended').isVisible(), true)
})

test('signing out without a connection shows an error, and the user stays signed in', async () => {
  const page = await dashboard.open('account')
  await page.route('**/dashboard/api', (route) => route.abort())
  await page.locator('.account summary').click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.locator('.popup').getByText('The service did not respond').waitFor()
  await page.getByRole('heading', { name: 'My account' }).waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.equal(await page.getByText('Your session has ended').isVisible(), false)
  assert.equal((await page.context().cookies()).length, 1)
})

test('without a connection a signed-in user is offered a retry, and not the sign-in page', async () => {
  const page = await (await dashboard.context()).newPage()
  await page.route('**/dashboard/api', refuseSession)
  await page.goto(`${dashboard.origin}/dashboard/cards`)
  const errorMessage = page.getByRole('alert').getByText('The service did not respond')
  await errorMessage.waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('textbox', { name: 'Phone' }).waitFor()
  await page.route('**/dashboard/api', refuseSession)
  await page.getByRole('textbox', { name: 'Phone' }).fill(dashboard.login.phone)
  await page.locator('input[type=password]').fill(dashboard.login.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await errorMessage.waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Cards' }).waitFor()
})

test('a second factor is on even if the session cannot be reloaded, and signing in asks for its code with a way back', async () => {
  const { page, login } = await dashboard.openNew('read', 'account')
  const factor = page.locator('section', { has: page.getByRole('heading', { name: 'Authenticator app' }) })
  const code = page.getByLabel('Code from your authenticator app')
  const begin = async (): Promise<void> => {
    await factor.getByLabel('Current password').fill(login.password)
    await factor.getByRole('button', { name: 'Turn on' }).click()
    await code.waitFor()
  }
  await begin()
  await factor.getByRole('button', { name: 'Cancel' }).click()
  await begin()
  await factor.getByRole('img', { name: /QR code/ }).waitFor()
  const secret = await factor.locator('.copy').innerText()
  await page.route('**/dashboard/api', refuseSession)
  await code.fill(currentTotpCode(secret))
  await factor.getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('dialog').getByRole('checkbox').check()
  await page.getByRole('dialog').locator('footer button').click()
  await factor.getByText('on', { exact: true }).waitFor()
  assert.equal(await factor.getByRole('alert').count(), 0)
  await page.unrouteAll()
  await page.locator('.account summary').click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await fillSignIn(page, login)
  await page.getByRole('heading', { name: 'Second factor' }).waitFor()
  assert.equal(await code.evaluate((field) => field === document.activeElement), true)
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.getByRole('button', { name: 'Back to phone and password' }).click()
  assert.equal(await page.getByRole('textbox', { name: 'Phone' }).evaluate((field) => field === document.activeElement), true)
  await fillSignIn(page, login)
  await code.fill(currentTotpCode(secret, 1)) // the confirming code is used up
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'My account' }).waitFor()
})

test('the account menu and the drawer of a phone close on Escape, on a click or focus outside, and on navigation', async () => {
  const page = await dashboard.open('cards')
  const popup = page.locator('.popup')
  const open = async (): Promise<void> => {
    await page.locator('.account summary').click()
    await popup.waitFor()
  }
  const closed = { state: 'hidden' } as const
  await open()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await popup.waitFor(closed)
  assert.equal(await page.locator('summary:focus').count(), 1)
  await open()
  await page.locator('main h1').click()
  await popup.waitFor(closed)
  await open()
  await page.getByLabel('Find a card').focus()
  await popup.waitFor(closed)
  await open()
  await popup.getByRole('link').click()
  await popup.waitFor(closed)
  await page.setViewportSize({ width: 390, height: 740 })
  const menu = page.getByRole('button', { name: 'Menu' })
  const drawer = page.getByRole('navigation')
  await menu.click()
  await drawer.getByRole('link', { name: 'Cards' }).focus()
  await page.keyboard.press('Escape')
  await drawer.waitFor(closed)
  assert.equal(await menu.evaluate((button) => button === document.activeElement), true)
  await menu.click()
  await page.locator('.backdrop').click({ position: { x: 380, y: 300 } })
  await drawer.waitFor(closed)
  await menu.click()
  await drawer.getByRole('link', { name: 'Settings' }).click()
  await drawer.waitFor(closed)
})

test('on My account each action waits for its response and shows its error, and each session’s button names the session', async () => {
  const { page, login } = await dashboard.openNew('read', 'account')
  const elsewhere = await (await dashboard.context({ userAgent: 'A browser elsewhere' })).newPage()
  await elsewhere.goto(`${dashboard.origin}/dashboard/account`)
  await signInByForm(elsewhere, login)
  await page.reload()
  const panel = page.locator('section.panel', { has: page.getByRole('heading', { name: 'Sessions' }) })
  const end = panel.getByRole('button', { name: /^End A browser elsewhere, 127\.0\.0\.1, / })
  const errorMessage = panel.getByRole('alert').getByText('The service did not respond')
  await end.waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.route('**/dashboard/api', (route) => route.abort())
  await end.click()
  await errorMessage.waitFor()
  await page.unrouteAll()
  await end.click()
  await end.waitFor({ state: 'detached' })
  const change = async (present: string): Promise<void> => {
    await page.getByLabel('Current password').first().fill(present)
    await page.getByLabel('New password').fill('five plain words are here')
    await page.getByRole('button', { name: 'Change password' }).click()
  }
  await change(login.password)
  await page.getByText('Your password is changed').waitFor()
  await change('wrong')
  await page.getByRole('alert').waitFor()
  assert.equal(await page.getByText('Your password is changed').count(), 0)
  const all = panel.getByRole('button', { name: 'Sign out everywhere' })
  await page.route('**/dashboard/api', (route) => route.abort())
  await all.click()
  await errorMessage.waitFor()
  await page.unrouteAll()
  await all.click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.equal(await page.getByText('Your session has ended').count(), 0)
})

test('requests time out: a language that cannot be loaded leaves the page as it is, and both texts and data can be retried', async () => {
  const page = await dashboard.open('start', { locale: 'ru-RU' })
  await page.getByRole('heading', { name: 'Тестовые карты' }).waitFor()
  await page.evaluate(() => {
    const { timeout } = AbortSignal
    AbortSignal.timeout = (ms) => timeout.call(AbortSignal, document.body.classList.contains('hurried') ? 1 : ms)
  })
  const hurry = (is: boolean) => page.locator('body').evaluate((body, is) => body.classList.toggle('hurried', is), is)
  const errorMessage = page.getByRole('alert').getByText('The service did not respond')
  await page.route(/start\.en-/, () => undefined)
  await hurry(true)
  await page.locator('.account summary').click()
  await page.getByLabel('Язык').selectOption('en')
  await errorMessage.waitFor()
  await page.getByRole('heading', { name: 'Тестовые карты' }).waitFor()
  await page.unrouteAll()
  await hurry(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Test cards' }).waitFor()
  assert.equal(await errorMessage.count(), 0)
  // The texts of Cards are loaded by a first visit, so that only its data is missing at the second.
  const cards = page.getByRole('link', { name: 'Cards', exact: true })
  const list = page.locator('main table').or(page.getByText('No cards yet'))
  await cards.click()
  await list.waitFor()
  await page.locator('.account summary').click()
  await page.getByRole('link', { name: 'My account' }).click()
  await page.getByRole('heading', { name: 'My account' }).waitFor()
  await page.route('**/dashboard/api', () => undefined)
  await hurry(true)
  await cards.click()
  await errorMessage.waitFor()
  await page.unrouteAll()
  await hurry(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await list.waitFor()
})

test('a page on another port of the same host sends the session cookie, and its calls are rejected', async () => {
  const cookies: string[] = []
  const evil = createServer((request, reply) => {
    cookies.push(request.headers.cookie ?? '')
    reply.setHeader('content-type', 'text/html').end('<!doctype html><title>Other</title>')
  })
  await new Promise<void>((resolve) => evil.listen(0, 'localhost', resolve))
  const page = await dashboard.open('cards')
  const replies: string[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/dashboard/api'))
      void response.text().then(
        (text) => replies.push(text),
        () => undefined,
      )
  })
  await page.goto(`http://localhost:${String((evil.address() as AddressInfo).port)}/`)
  // The cookie is sent there too, because ports share cookies. That is why the dashboard endpoint checks the origin.
  assert.match(cookies.join(), /tessera=[0-9a-f]{24}_/)
  const seen = await page.evaluate(async (url) => {
    const body = JSON.stringify({ id: 1, method: 'dashboard.session.get', params: {} })
    const attempts: RequestInit[] = [
      { headers: { 'content-type': 'application/json', 'x-tessera-csrf': 'x' } },
      { headers: { 'content-type': 'text/plain' } },
      { mode: 'no-cors', headers: { 'content-type': 'text/plain' } },
    ]
    return Promise.all(
      attempts.map(async (options) => {
        try {
          return (await (await fetch(url, { method: 'POST', credentials: 'include', body, ...options })).text()) || 'nothing to read'
        } catch {
          return 'refused'
        }
      }),
    )
  }, `${dashboard.origin}/dashboard/api`)
  assert.deepEqual(seen, ['refused', 'refused', 'refused'])
  for (const text of replies) assert.match(text, /not_from_dashboard/)
  evil.close()
})

test('the dashboard cannot be framed, and its policy forbids turning text into markup', async () => {
  const page = await (await dashboard.context()).newPage()
  const document = await page.goto(`${dashboard.origin}/dashboard/cards`)
  assert.match(document?.headers()['content-security-policy'] ?? '', /frame-ancestors 'none'/)
  const isRefused = await page.evaluate(() => {
    try {
      window.document.body.innerHTML = '<i>x</i>'
      return false
    } catch {
      return true
    }
  })
  assert.equal(isRefused, true)
})

const refuseSession = (route: Route): Promise<void> =>
  route.request().postData()?.includes('session.get') ? route.abort() : route.continue()
