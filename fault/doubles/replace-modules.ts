import { registerHooks } from 'node:module'

// Preloaded: loads one module in place of another, as the query of its URL says (planted-faults.ts). A double itself may import the module that it replaces.

const root = new URL('../../', import.meta.url)
for (const [path, doublePath] of new URL(import.meta.url).searchParams)
  replaceModule(new URL(path, root).href, new URL(doublePath, root).href)

function replaceModule(real: string, double: string): void {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      return found.url === real && context.parentURL !== double ? { ...found, url: double } : found
    },
  })
}
