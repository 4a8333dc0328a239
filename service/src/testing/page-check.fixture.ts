import { after } from 'node:test'

import { createDashboardClient, type DashboardUser } from './dashboard-user.fixture.ts'
import { notChecked } from '../domain/page-check/fetch-page.ts'
import { makeParsePage } from '../domain/page-check/parse-page.ts'
import { makeSystemClock } from '../system-clock.ts'

import { createTestApp, type TestApp } from './test-app.fixture.ts'

export const sdk = '<div id="card"></div><script src="https://form.example/sdk/v1/tessera.js"></script>'

/** A test app whose page check parses the current page of the shop with the real parser; no socket is opened. */
export interface CheckedShop {
  readonly app: TestApp
  /** Sets the page of `https://shop.example`. */
  serve(html: string): void
  /** A developer of a new merchant with that origin. */
  developer(): Promise<DashboardUser>
}

export async function openCheckedShop(): Promise<CheckedShop> {
  let served = ''
  const app = await createTestApp(
    { after },
    {
      pageCheck: {
        parse: makeParsePage({ clock: makeSystemClock() }),
        async fetchPage(text, origins) {
          const url = new URL(text)
          if (!origins.includes(url.origin)) throw notChecked('origin_not_registered')
          return { url, text: served, policies: [] }
        },
      },
    },
  )
  const entrance = createDashboardClient(app)
  return {
    app,
    serve: (html) => (served = html),
    async developer() {
      const person = await entrance.user('developer')
      await person.call('dashboard.settings.change', { origins: ['https://shop.example'] })
      return person
    },
  }
}
