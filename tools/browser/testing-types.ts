import { join } from 'node:path'

import { bundleTypes } from '../client/types.ts'

/** The types of what merchants test with, in one text that imports nothing: `browser/dist/testing.d.ts`. */
export function bundleTestingTypes(root: string): string {
  return bundleTypes(join(root, 'browser', 'testing', 'index.ts'), ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'])
}
