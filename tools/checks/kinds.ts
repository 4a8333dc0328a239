/** What kinds of files there are, by their names alone. */

/** TypeScript of this repository. */
export function isCode(path: string): boolean {
  return /\.tsx?$/.test(path)
}

/** A test, a suite that several tests run, or a fixture: it may import more than the code beside it. */
export function isTest(path: string): boolean {
  return /\.(test|suite|fixture)\.tsx?$|^service\/src\/testing\//.test(path)
}

/** TypeScript that `npm run docs` prints. */
export function isPrinted(path: string): boolean {
  return path === 'client/src/wire.ts' || path.startsWith('browser/printed/')
}

/** Folders that measure, test or build the service and are not part of it. */
export function isDevelopmentCode(path: string): boolean {
  return /^(tools|bench|fault|conformance|examples)\//.test(path)
}

/** Code that is shipped: neither a test nor development code. */
export function isShipped(path: string): boolean {
  return isCode(path) && !isTest(path) && !isDevelopmentCode(path)
}
