import type { Figure, Measurement } from './measurement.ts'
import { profileTessera } from './profile.ts'

/** Where the time of the thread that answers goes. */
export const profile: Measurement = {
  name: 'profile',
  question: 'Where does the CPU time of a request go?',
  async run({ homes, stores, isQuick, say }) {
    const figures: Figure[] = []
    for (const store of stores) {
      for (const method of ['create', 'check'] as const) {
        const { places, functions, mainThread, otherThreads } = await profileTessera(homes, store, method, isQuick ? 1500 : 8000)
        const of = `profile ${method} ${store}`
        figures.push(
          { of, name: 'thread that answers', value: mainThread, unit: 'µs' },
          { of, name: 'other threads', value: otherThreads, unit: 'µs' },
        )
        figures.push(
          ...places.slice(0, placesShown).map(({ where, microseconds }) => ({ of, name: `  ${where}`, value: microseconds, unit: 'µs' })),
        )
        for (const { where, microseconds } of functions.slice(0, functionsShown)) say(`${of}: ${microseconds.toFixed(1)} µs ${where}`)
      }
    }
    return figures
  },
}

const placesShown = 14
const functionsShown = 12
