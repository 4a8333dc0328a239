/** What kinds of files there are, by their names alone. */

/** TypeScript of ours. */
export function isCode(path: string): boolean {
  return /\.tsx?$/.test(path)
}

/** A test, a suite that several tests run, or what tests are fed with: it may know more than the code beside it. */
export function isTest(path: string): boolean {
  return /\.(test|suite|fixture)\.tsx?$|^service\/src\/testing\//.test(path)
}

/** Code for readers to copy. */
export function isExample(path: string): boolean {
  return path.startsWith('examples/')
}

/** TypeScript that a program wrote (`npm run docs`). */
export function isPrinted(path: string): boolean {
  return path === 'client/src/wire.ts' || path.startsWith('browser/printed/')
}

/** Folders that measure, break, check or show the service from outside. */
export function isWorkshop(path: string): boolean {
  return /^(tools|bench|fault|conformance|examples)\//.test(path)
}

/** Code that is shipped: neither a test nor the workshop. */
export function isShipped(path: string): boolean {
  return isCode(path) && !isTest(path) && !isWorkshop(path)
}
