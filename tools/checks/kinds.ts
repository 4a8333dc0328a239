/** What kinds of files there are, by their names alone. */

/** TypeScript of ours. */
export function isCode(path: string): boolean {
  return /\.tsx?$/.test(path)
}

/** A test, a suite that several tests run, or what tests are fed with: it may know more than the code beside it. */
export function isTest(path: string): boolean {
  return /\.(test|suite|fixture)\.ts$/.test(path)
}

/** Folders that measure, break, check or show the service from outside. */
export function isWorkshop(path: string): boolean {
  return /^(tools|bench|fault|conformance|examples)\//.test(path)
}

/** Code that is shipped: neither a test nor the workshop. */
export function isShipped(path: string): boolean {
  return isCode(path) && !isTest(path) && !isWorkshop(path)
}
