import { registerHooks } from 'node:module'

/**
 * Has one module of the service loaded in place of another, for a service that is made wrong on purpose. `of` is a path from the root. The
 * stand-in itself may import the module that it stands in for.
 */
export function standIn(of: string, by: string): void {
  const root = new URL('../../', import.meta.url)
  const real = new URL(of, root).href
  const double = new URL(by, root).href
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      return found.url === real && context.parentURL !== double ? { ...found, url: double } : found
    },
  })
}
