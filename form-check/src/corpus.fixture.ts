import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { checkPage } from './check-page.ts'
import type { FormCheckFinding } from './finding.ts'
import { rules } from './rules.ts'

/** The folder of the frozen corpus. Its README says how pages are added. */
export const corpusFolder = join(import.meta.dirname, '..', 'corpus')

export interface CorpusPage {
  /** The path inside the corpus. */
  readonly file: string
  readonly violation: boolean
}

/** What the check says about the corpus. A violation is found when an input that takes card data is reported; a clean page is accused by any error. */
export interface CorpusResult {
  readonly violations: number
  readonly clean: number
  readonly missed: readonly string[]
  readonly accused: readonly string[]
}

export function readCorpus(): CorpusPage[] {
  return JSON.parse(readFileSync(join(corpusFolder, 'pages.json'), 'utf8')) as CorpusPage[]
}

/** Checks the source of each page. */
export function checkCorpusSources(pages: readonly CorpusPage[]): FormCheckFinding[] {
  return pages.flatMap(({ file }) => {
    const path = join(corpusFolder, file)
    return checkPage({ path, text: readFileSync(path, 'utf8'), policies: [], origin: null }).findings
  })
}

export function measureCorpus(pages: readonly CorpusPage[], findings: readonly FormCheckFinding[]): CorpusResult {
  const errors = findings.filter(({ rule }) => rules[rule].severity === 'error')
  const pathsWith = (found: readonly FormCheckFinding[]): Set<string> => new Set(found.map(({ path }) => path))
  const found = pathsWith(errors.filter(({ rule }) => rule === 'card-input' || rule === 'sad-input'))
  const blamed = pathsWith(errors)
  const violations = pages.filter(({ violation }) => violation)
  const clean = pages.filter(({ violation }) => !violation)
  return {
    violations: violations.length,
    clean: clean.length,
    missed: violations.filter(({ file }) => !found.has(join(corpusFolder, file))).map(({ file }) => file),
    accused: clean.filter(({ file }) => blamed.has(join(corpusFolder, file))).map(({ file }) => file),
  }
}

export function formatCorpusResult({ violations, clean, missed, accused }: CorpusResult): string {
  const listOf = (files: readonly string[]): string => (files.length === 0 ? 'none' : files.join(', '))
  return `${violations - missed.length} of ${violations} violations found, missed: ${listOf(missed)}; ${accused.length} of ${clean} clean pages accused: ${listOf(accused)}`
}
