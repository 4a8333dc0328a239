import type { Figure, Measurement } from './measurement.ts'
import { profileTessera } from './profile.ts'

/** Where the time of the thread that answers goes. */
export const profile: Measurement = {
  name: 'profile',
  question: 'Where does the time of the thread that answers go?',
  async run({ homes, stores, isQuick, say }) {
    const figures: Figure[] = []
    for (const store of stores) {
      for (const method of ['create', 'check'] as const) {
        const { places, functions } = await profileTessera(homes, store, method, isQuick ? 1500 : 8000)
        const of = `profile ${method} ${store}`
        const total = places.reduce((sum, { microseconds }) => sum + microseconds, 0)
        figures.push({ of, name: 'all', value: total, unit: 'µs a request' })
        figures.push(
          ...places.slice(0, placesShown).map(({ where, microseconds }) => ({ of, name: where, value: microseconds, unit: 'µs' })),
        )
        for (const { where, microseconds } of functions.slice(0, functionsShown)) say(`${of}: ${microseconds.toFixed(1)} µs ${where}`)
      }
    }
    return figures
  },
}

const placesShown = 14
const functionsShown = 12
