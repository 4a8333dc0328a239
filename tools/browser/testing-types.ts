import { join } from 'node:path'

import { bundleTypes } from '../client/types.ts'

/** The types of the testing package in one text without imports: `browser/dist/testing.d.ts`. */
export function bundleTestingTypes(root: string): string {
  return bundleTypes(join(root, 'browser', 'testing', 'index.ts'), libs)
}

/** The types of the SDK by their files in `browser/dist`: the module, the React wrapper, and the script tag's global. */
export function bundleSdkTypes(root: string): ReadonlyMap<string, string> {
  const typesOf = (name: string): string => bundleTypes(join(root, 'browser', 'page', name), libs)
  return new Map([
    ['tessera.d.mts', typesOf('module.ts')],
    ['react.d.mts', typesOf('react-module.ts')],
    ['global.d.mts', global],
  ])
}

/** The types that are served with the script: module, script tag's global and custom element in one file. Printed by `npm run docs`. */
export function printServedTypes(root: string): string {
  const text = bundleTypes(join(root, 'browser', 'page', 'module.ts'), libs)
  return `// Types of the card form's SDK, printed from its code.\n${text}${served}`
}

/** Where the served types are in the repository. They are checked in, because the service is built without a compiler. */
export const servedTypesPath = 'browser/printed/tessera.d.ts'

const served = `declare global {
  /** The global of the script tag. */
  const Tessera: Readonly<{ CardForm: typeof CardForm; CardFormMisuse: typeof CardFormMisuse }>
  interface HTMLElementTagNameMap {
    'tessera-card': TesseraCard
  }
}
`
const global = `import type * as sdk from './tessera.mjs'
declare global {
  /** The global of the script tag. */
  const Tessera: Readonly<Pick<typeof sdk, 'CardForm' | 'CardFormMisuse'>>
}
`
const libs = ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts']
