import assert from 'node:assert/strict'
import { createHmac, randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe from 'axe-core'
import type { DashboardOperationName, Params, Result, Role } from '@tessera/contract/operations'
import type { Browser, BrowserContext, Download, Page } from 'playwright-core'

import { openChromium } from '../tools/open-chromium.ts'
import { joinTessera, startTessera, stopOnFailure, type StartedTessera, type StartOptions } from '../tools/start-tessera.ts'

/** The service with the dashboard in a browser. */
export interface OpenDashboard {
  readonly tessera: StartedTessera
  /** `http://localhost:<port>`, the dashboard's own host. */
  readonly origin: string
  readonly browser: Browser
  /** The owner of the merchant. */
  readonly login: Login
  /** A fresh browser profile, not signed in. */
  context(options?: Parameters<Browser['newContext']>[0]): Promise<BrowserContext>
  /**
   * A page of the dashboard, signed in as the owner by default: `open('cards')`. A user signs in by the form once; the pages after that
   * use the same session until it ends.
   */
  open(path: string, options?: Parameters<Browser['newContext']>[0] & { login?: Login; isConfirmed?: boolean }): Promise<Page>
  /** The same, signed in as a new user with a role, created by the owner, who has set a password. */
  openAs(role: Exclude<Role, 'owner'>, path: string): Promise<Page>
  /** The same, with the user's credentials. */
  openNew(role: Exclude<Role, 'owner'>, path: string): Promise<{ readonly page: Page; readonly login: Login }>
  /** Calls the API as the merchant's server. */
  api(method: string, params: object): Promise<unknown>
  /** Closes every page that was opened, which would go on polling. */
  closePages(): Promise<void>
  stop(): Promise<void>
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>

export interface Login {
  readonly phone: string
  readonly password: string
}

/** The demo merchant's user, which every service has in the test environment. */
const sandboxLogin: Login = { phone: '998900000000', password: 'sandbox' }

/**
 * Opens service and browser, shared with the other files of this folder unless a test moves the service's clock or uses the clipboard. Every page
 * fails its test on a violation of the policy or an uncaught error.
 */
export async function openDashboard({ isShared = true, ...start }: { isShared?: boolean } & StartOptions = {}): Promise<OpenDashboard> {
  const tessera = isShared ? await joinTessera() : await startTessera(start)
  const { owner, browser } = await stopOnFailure(tessera, async () => ({
    // The owner first: a browser that stays open when this fails would keep the test file from ending.
    owner: tessera.isShared ? await makeOwner(tessera) : sandboxLogin,
    browser: await openChromium({ isShared }),
  }))
  const origin = tessera.url.replace('127.0.0.1', 'localhost')
  const contexts = new Set<BrowserContext>()
  const context = async (options?: Parameters<Browser['newContext']>[0]): Promise<BrowserContext> => {
    const opened = await browser.newContext({ locale: 'en-GB', ...options })
    contexts.add(opened)
    return opened
  }
  const sessions = new Map<string, Cookies>()
  const open: OpenDashboard['open'] = async (path, { login = owner, isConfirmed = true, ...options } = {}) => {
    const opened = await context(options)
    await opened.addCookies(sessions.get(login.phone) ?? [])
    const page = await opened.newPage()
    page.on('pageerror', (err) => pageErrors.push(String(err)))
    page.on('console', (line) => {
      if (/Content Security Policy|TrustedScript|TrustedHTML/.test(line.text())) pageErrors.push(line.text())
    })
    await page.goto(`${origin}/dashboard/${path}`)
    await page.locator('nav a, input[type=password]').first().waitFor({ state: 'attached' })
    if ((await page.locator('nav a').count()) === 0) {
      await signInByForm(page, login)
      // Changes of credentials ask for a confirmation; the dialog has its own test (account.serial.test.ts).
      if (isConfirmed) await callDashboard(page, 'dashboard.session.confirm', { password: login.password })
    }
    sessions.set(login.phone, await opened.cookies())
    return page
  }
  const openNew: OpenDashboard['openNew'] = async (role, path) => {
    const ownerPage = await open('account')
    const phone = drawPhone()
    await callDashboard(ownerPage, 'dashboard.session.confirm', { password: owner.password })
    const { password } = await callDashboard(ownerPage, 'dashboard.users.create', { phone, role })
    await ownerPage.context().close()
    const page = await (await context()).newPage()
    await page.goto(`${origin}/dashboard/${path}`)
    await fillSignIn(page, { phone, password })
    const login = { phone, password: 'four plain words here' }
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password').fill(login.password)
    await page.locator('button[type=submit]').click()
    await page.locator('nav a').first().waitFor({ state: 'attached' })
    await callDashboard(page, 'dashboard.session.confirm', { password: login.password })
    return { page, login }
  }
  return {
    tessera,
    origin,
    browser,
    login: owner,
    context,
    open,
    openNew,
    openAs: async (role, path) => (await openNew(role, path)).page,
    async api(method, params) {
      const headers = { 'x-auth': `${tessera.merchantId}:${tessera.password}` }
      const reply = await fetch(`${tessera.url}/api/${method}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ id: 1, method, params }),
      })
      return ((await reply.json()) as { result: unknown }).result
    },
    async closePages() {
      await Promise.all([...contexts].map((each) => each.close()))
      contexts.clear()
    },
    async stop() {
      await browser.close()
      await tessera.stop()
      assert.deepEqual(pageErrors, [], 'a page broke its policy, or threw')
    },
  }
}

const pageErrors: string[] = []

/** An owner of the test's own merchant, who has chosen a password. */
async function makeOwner({ url, merchantId, makeOwner }: StartedTessera): Promise<Login> {
  const phone = drawPhone()
  const { password } = await makeOwner(merchantId, phone)
  const login = { phone, password: 'four plain words here' }
  const origin = url.replace('127.0.0.1', 'localhost')
  const headers: Record<string, string> = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', origin }
  const call = async (method: string, params: object): Promise<Response> =>
    fetch(`${origin}/dashboard/api`, { method: 'POST', headers, body: JSON.stringify({ id: 1, method, params }) })
  headers['cookie'] = (await call('dashboard.session.signIn', { phone, password })).headers.get('set-cookie')?.split(';')[0] ?? ''
  const { result } = (await (await call('dashboard.session.get', {})).json()) as { result: { session: { csrf: string } } }
  headers['x-tessera-csrf'] = result.session.csrf
  const reply = (await (await call('dashboard.password.change', { password, newPassword: login.password })).json()) as { error?: object }
  assert.equal(reply.error, undefined)
  await call('dashboard.session.signOut', {})
  return login
}

/** A phone number belongs to one user of the service, so each is used once. */
function drawPhone(): string {
  return `99890${String(randomInt(2_000_000, 9_999_999))}`
}

/** The text of a file that a page gave to the browser. A shared browser tells no path of its own, so the file is saved first. */
export async function readDownload(download: Download): Promise<string> {
  const path = join(mkdtempSync(join(tmpdir(), 'tessera-download-')), 'file')
  await download.saveAs(path)
  return readFileSync(path, 'utf8')
}

/** Signs in, and resolves when a page of the dashboard is shown. */
export async function signInByForm(page: Page, login: Login): Promise<void> {
  await fillSignIn(page, login)
  await page.locator('nav a').first().waitFor({ state: 'attached' })
}

/** Submits the sign-in form without waiting for the outcome. */
export async function fillSignIn(page: Page, { phone, password }: Login): Promise<void> {
  await page.getByRole('textbox', { name: /phone|телефон|telefon/i }).fill(phone)
  await page.locator('input[type=password]').fill(password)
  await page.locator('button[type=submit]').click()
}

/** Calls the dashboard endpoint as the user signed in on a page. Fails on an error response. */
export async function callDashboard<M extends DashboardOperationName>(page: Page, method: M, params: Params<M>): Promise<Result<M>> {
  const reply = await page.evaluate(
    async ({ method, params }) => {
      const call = async (method: string, params: unknown, csrf = ''): Promise<DashboardResponse> => {
        const headers = { 'content-type': 'application/json', 'x-tessera-csrf': csrf }
        const reply = await fetch('/dashboard/api', { method: 'POST', headers, body: JSON.stringify({ id: 1, method, params }) })
        return (await reply.json()) as DashboardResponse
      }
      const { csrf } = (await call('dashboard.session.get', {})).result?.['session'] as { csrf: string }
      return call(method, params, csrf)
    },
    { method, params },
  )
  assert.equal(reply.error, undefined, `${method} was refused`)
  return reply.result as Result<M>
}

interface DashboardResponse {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: object
}

/** The accessibility violations of a page by axe (WCAG 2.2 A and AA, and best practices), one line per rule. */
export async function listAccessibilityViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  // Nothing else is read, and describing every node that passes takes most of the time on a long page.
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations'] }))
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}

/** The current TOTP code (RFC 6238). */
export function currentTotpCode(secret: string, stepsAhead = 0): string {
  const bits = Array.from(secret, (letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
  const step = Buffer.alloc(8)
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + stepsAhead))
  const mac = createHmac('sha1', key).update(step).digest()
  return String((mac.readUInt32BE((mac[19] ?? 0) & 0xf) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** Resolves when the page has received the next response to a method and rendered it. */
export async function waitForResponseTo(page: Page, method: string): Promise<void> {
  const response = await page.waitForResponse((each) => each.request().postData()?.includes(`"${method}"`) ?? false)
  await response.finished()
  await page.evaluate(() => new Promise((shown) => requestAnimationFrame(() => setTimeout(shown))))
}
