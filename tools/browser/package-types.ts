import { join } from 'node:path'

import { bundleTypes } from '../client/types.ts'

/**
 * The types of the package by their files, for an ES module (`m`) or a CommonJS module (`c`). React's and the tests' import theirs from the
 * form's, so that there is one `CardForm`.
 */
export function bundlePackageTypes(root: string, kind: 'm' | 'c'): ReadonlyMap<string, string> {
  const page = (name: string): string => join(root, 'browser', 'page', name)
  const others = { entry: page('module.ts'), from: `./tessera.${kind}js` }
  return new Map([
    [`tessera.d.${kind}ts`, bundleTypes(page('module.ts'), { libs })],
    [`react.d.${kind}ts`, bundleTypes(page('react-module.ts'), { libs, others })],
    [`testing.d.${kind}ts`, bundleTypes(join(root, 'browser', 'testing', 'index.ts'), { libs, others })],
    [`global.d.${kind}ts`, printGlobal(kind)],
  ])
}

/** The types that are served with the script: module, script tag's global and custom element in one file. Printed by `npm run docs`. */
export function printServedTypes(root: string): string {
  const text = bundleTypes(join(root, 'browser', 'page', 'module.ts'), { libs })
  return `// Types of the card form's SDK, printed from its code.\n${text}${servedGlobal}`
}

/** Where the served types are in the repository. They are checked in, because the service is built without a compiler. */
export const servedTypesPath = 'browser/printed/tessera.d.ts'

const servedGlobal = `declare global {
  /** The global of the script tag. */
  const Tessera: Readonly<{ CardForm: typeof CardForm; CardFormMisuse: typeof CardFormMisuse }>
}
`

function printGlobal(kind: 'm' | 'c'): string {
  return `import type * as sdk from './tessera.${kind}js'
declare global {
  /** The global of the script tag. */
  const Tessera: Readonly<Pick<typeof sdk, 'CardForm' | 'CardFormMisuse'>>
}
`
}

const libs = ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts']
