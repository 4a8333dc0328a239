import { stripTypeScriptTypes } from 'node:module'

/** One source as JavaScript: types become blanks, so that lines and columns of a stack trace are those of the source, and files have their new names. */
export function transpile(text: string): string {
  return stripTypeScriptTypes(text, { mode: 'strip' }).replaceAll(ownFiles, '$1$2$3.js$2')
}

/** What is imported, and the files that workers and child processes run. */
const ownFiles = /(\bfrom\s*|\bimport\s*\(\s*|\bimport\s+|\bnew URL\(\s*)(['"])([\w./-]+)(?<!\.d)\.ts\2/g
