import { after } from 'node:test'

import { createDashboardClient, type DashboardUser } from './dashboard-user.fixture.ts'
import { notChecked } from '../domain/page-check/fetch-page.ts'
import { makeParsePage } from '../domain/page-check/parse-page.ts'
import { makeSystemClock } from '../system-clock.ts'

import { createTestApp, type TestApp, type TestAppOptions } from './test-app.fixture.ts'

export const sdk = '<div id="card"></div><script src="https://form.example/sdk/v1/tessera.js"></script>'

/** A test app whose page check parses the current page of the shop with the real parser; no socket is opened. */
export interface CheckedShop {
  readonly app: TestApp
  /** Sets the page of `https://shop.example`, and the headers that protect it. */
  serve(html: string, headers?: Readonly<Record<string, string>>): void
  /** Sets the hash of a script whose content no page fixes. */
  serveScript(address: string, hash: string): void
  /** Runs this whenever the page is fetched. */
  onFetch(run: () => void): void
  /** The page does not respond, until it is served again. */
  refuse(): void
  /** A developer of a new merchant with that origin. */
  developer(): Promise<DashboardUser>
}

export async function openCheckedShop(deps: Pick<TestAppOptions, 'store'> = {}): Promise<CheckedShop> {
  let served = ''
  let headers: Readonly<Record<string, string>> = {}
  let isReadable = true
  let onFetch = (): void => undefined
  const contents = new Map<string, string>()
  const app = await createTestApp(
    { after },
    {
      ...deps,
      pageCheck: {
        parse: makeParsePage({ clock: makeSystemClock() }),
        fetchScript: (address) => Promise.resolve(contents.get(address) ?? 'status_404'),
        async fetchPage(text, origins) {
          const url = new URL(text)
          onFetch()
          if (!isReadable) throw notChecked('unreachable')
          if (!origins.includes(url.origin)) throw notChecked('origin_not_registered')
          return { url, text: served, policies: [], headers }
        },
      },
    },
  )
  const entrance = createDashboardClient(app)
  return {
    app,
    serve: (html, changed = headers) => {
      served = html
      headers = changed
      isReadable = true
    },
    serveScript: (address, hash) => void contents.set(address, hash),
    onFetch: (run) => void (onFetch = run),
    refuse: () => void (isReadable = false),
    async developer() {
      const person = await entrance.user('developer')
      await person.call('dashboard.settings.change', { origins: ['https://shop.example'] })
      return person
    },
  }
}
