import { registerHooks } from 'node:module'

/**
 * Loads one module in place of another, to plant a fault in the service. Paths are from the root. The double itself may import the module that it
 * replaces.
 */
export function replaceModule(path: string, doublePath: string): void {
  const root = new URL('../../', import.meta.url)
  const real = new URL(path, root).href
  const double = new URL(doublePath, root).href
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      return found.url === real && context.parentURL !== double ? { ...found, url: double } : found
    },
  })
}
