import { join } from 'node:path'

import { bundleTypes } from '../client/types.ts'

/** The types of what merchants test with, in one text that imports nothing: `browser/dist/testing.d.ts`. */
export function bundleTestingTypes(root: string): string {
  return bundleTypes(join(root, 'browser', 'testing', 'index.ts'), libs)
}

/** The types of the SDK by their file in `browser/dist`: the module, the React wrapper, and the global of the script tag. */
export function bundleSdkTypes(root: string): ReadonlyMap<string, string> {
  const typesOf = (name: string): string => bundleTypes(join(root, 'browser', 'page', name), libs)
  return new Map([
    ['tessera.d.mts', typesOf('module.ts')],
    ['react.d.mts', typesOf('react-module.ts')],
    ['global.d.mts', global],
  ])
}

const global = `import type * as sdk from './tessera.mjs'
declare global {
  /** Of the script tag. */
  const Tessera: Readonly<Pick<typeof sdk, 'CardForm' | 'CardFormMisuse'>>
}
`
const libs = ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts']
