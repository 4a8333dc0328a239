import type { Measure, Measurement } from './measurement.ts'
import { profileService } from './profile.ts'

/** Where the CPU time of the main thread goes. */
export const profile: Measurement = {
  name: 'profile',
  question: 'Where does the CPU time of a request go?',
  async run({ dataFactory, stores, isQuick, say }) {
    const measures: Measure[] = []
    for (const store of stores) {
      for (const method of ['create', 'check', 'pay'] as const) {
        const { folders, functions, mainThread, otherThreads } = await profileService(dataFactory, store, method, isQuick ? 1500 : 8000)
        const of = `profile ${method} ${store}`
        measures.push(
          { of, name: 'main thread', value: mainThread, unit: 'µs' },
          { of, name: 'other threads', value: otherThreads, unit: 'µs' },
        )
        measures.push(
          ...folders
            .slice(0, maxFoldersShown)
            .map(({ where, microseconds }) => ({ of, name: `  ${where}`, value: microseconds, unit: 'µs' })),
        )
        for (const { where, microseconds } of functions.slice(0, maxFunctionsShown)) say(`${of}: ${microseconds.toFixed(1)} µs ${where}`)
      }
    }
    return measures
  },
}

const maxFoldersShown = 14
const maxFunctionsShown = 12
