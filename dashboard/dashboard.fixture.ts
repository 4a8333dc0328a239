import assert from 'node:assert/strict'
import axe from 'axe-core'
import type { DashboardMethodName, Params, Result, Role } from '@tessera/contract/methods'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

import { chromiumFlags, findChromium } from '../tools/chromium.ts'
import { startTessera, type StartedTessera } from '../tools/start-tessera.ts'

/** The real service with the dashboard open in a real browser. */
export interface OpenDashboard {
  readonly tessera: StartedTessera
  /** `http://localhost:<port>`, the dashboard's own host. */
  readonly origin: string
  readonly browser: Browser
  /** A fresh browser profile, not signed in. */
  context(options?: Parameters<Browser['newContext']>[0]): Promise<BrowserContext>
  /** A page of the dashboard, signed in by the sandbox's login unless told otherwise: `open('cards')`. */
  open(path: string, options?: Parameters<Browser['newContext']>[0] & { login?: Login }): Promise<Page>
  /** The same, signed in as a new user of a role, whom the owner made and who has chosen a password. */
  openAs(role: Exclude<Role, 'owner'>, path: string): Promise<Page>
  /** The same, with what the user signs in by. */
  openNew(role: Exclude<Role, 'owner'>, path: string): Promise<{ readonly page: Page; readonly login: Login }>
  /** Calls the API as the demo merchant's server. */
  api(method: string, params: object): Promise<unknown>
  stop(): Promise<void>
}

export interface Login {
  readonly phone: string
  readonly password: string
}

/** The demo merchant's. */
export const sandboxLogin: Login = { phone: '998900000000', password: 'sandbox' }

/** Starts service and browser. Every page fails its test on a violation of the policy or an error that nobody caught. */
export async function openDashboard(): Promise<OpenDashboard> {
  const tessera = await startTessera()
  const executablePath = findChromium()
  assert.ok(executablePath, 'Chromium is missing: npm test installs it, or say apt-get install chromium')
  const browser = await chromium.launch({ executablePath, args: chromiumFlags() })
  const origin = tessera.url.replace('127.0.0.1', 'localhost')
  const context = (options?: Parameters<Browser['newContext']>[0]) => browser.newContext({ locale: 'en-GB', ...options })
  const open: OpenDashboard['open'] = async (path, { login = sandboxLogin, ...options } = {}) => {
    const page = await (await context(options)).newPage()
    page.on('pageerror', (err) => faults.push(String(err)))
    page.on('console', (line) => {
      if (/Content Security Policy|TrustedScript|TrustedHTML/.test(line.text())) faults.push(line.text())
    })
    await page.goto(`${origin}/dashboard/${path}`)
    await signIn(page, login)
    return page
  }
  const openNew: OpenDashboard['openNew'] = async (role, path) => {
    const owner = await open('account')
    const phone = `99890112${String(++people).padStart(4, '0')}`
    const { password } = await callDashboard(owner, 'dashboard.users.create', { phone, role })
    await owner.context().close()
    const page = await (await context()).newPage()
    await page.goto(`${origin}/dashboard/${path}`)
    await fillSignIn(page, { phone, password })
    const login = { phone, password: 'four plain words here' }
    await page.getByLabel('Present password').fill(password)
    await page.getByLabel('New password').fill(login.password)
    await page.locator('button[type=submit]').click()
    await page.locator('nav a').first().waitFor({ state: 'attached' })
    return { page, login }
  }
  return {
    ...{ tessera, origin, browser, context, open, openNew },
    openAs: async (role, path) => (await openNew(role, path)).page,
    async api(method, params) {
      const headers = { 'x-auth': `${tessera.merchantId}:${tessera.password}` }
      const reply = await fetch(`${tessera.url}/api/${method}`, {
        ...{ method: 'POST', headers },
        body: JSON.stringify({ id: 1, method, params }),
      })
      return ((await reply.json()) as { result: unknown }).result
    },
    async stop() {
      await browser.close()
      await tessera.stop()
      assert.deepEqual(faults, [], 'a page broke its policy, or threw')
    },
  }
}

const faults: string[] = []
let people = 0

/** Fills the sign-in page; resolves when a page of the dashboard is there. */
export async function signIn(page: Page, login: Login): Promise<void> {
  await fillSignIn(page, login)
  await page.locator('nav a').first().waitFor({ state: 'attached' })
}

/** Fills the sign-in page, whatever comes of it. */
export async function fillSignIn(page: Page, { phone, password }: Login): Promise<void> {
  await page.getByRole('textbox', { name: /phone|телефон|telefon/i }).fill(phone)
  await page.locator('input[type=password]').fill(password)
  await page.locator('button[type=submit]').click()
}

/** Asks the dashboard's own door as whoever is signed in on a page; fails on an error. */
export async function callDashboard<M extends DashboardMethodName>(page: Page, method: M, params: Params<M>): Promise<Result<M>> {
  const reply = await page.evaluate(
    async ({ method, params }) => {
      const call = async (method: string, params: unknown, csrf = ''): Promise<Answered> => {
        const headers = { 'content-type': 'application/json', 'x-tessera-csrf': csrf }
        const reply = await fetch('/dashboard/api', { method: 'POST', headers, body: JSON.stringify({ id: 1, method, params }) })
        return (await reply.json()) as Answered
      }
      const { csrf } = (await call('dashboard.session.get', {})).result?.['session'] as { csrf: string }
      return call(method, params, csrf)
    },
    { method, params },
  )
  assert.equal(reply.error, undefined, `${method} was refused`)
  return reply.result as Result<M>
}

interface Answered {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: object
}

/** What axe says of a page (WCAG 2.2 A and AA, and good practice), a line a rule; nothing for a page that everybody can use. */
export async function faultsFor(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}
