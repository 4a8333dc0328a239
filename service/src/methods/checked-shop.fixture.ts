import { openEntrance, type Person } from '../dashboard/visitor.fixture.ts'
import { notChecked } from '../page-check/fetch-page.ts'
import { makeParse } from '../page-check/parse.ts'
import { makeSystemClock } from '../system-clock.ts'

import { compose, type House } from './compose.fixture.ts'

export const sdk = '<div id="card"></div><script src="https://form.example/sdk/v1/tessera.js"></script>'

/** A house whose page check reads the page that the shop serves now, by the real parser; no socket is opened. */
export interface CheckedShop {
  readonly house: House
  /** What `https://shop.example` serves from now on. */
  serve(html: string): void
  /** A developer of a new merchant with that origin. */
  developer(): Promise<Person>
}

export async function openCheckedShop(): Promise<CheckedShop> {
  let served = ''
  const house = await compose({
    pages: {
      parse: makeParse({ clock: makeSystemClock() }),
      async fetchPage(text, origins) {
        const url = new URL(text)
        if (!origins.includes(url.origin)) throw notChecked('origin_not_registered')
        return { url, text: served, policies: [] }
      },
    },
  })
  const entrance = openEntrance(house)
  return {
    house,
    serve: (html) => (served = html),
    async developer() {
      const person = await entrance.user('developer')
      await person.expect('dashboard.settings.change', { origins: ['https://shop.example'] })
      return person
    },
  }
}
