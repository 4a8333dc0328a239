import { pathToFileURL } from 'node:url'

import type { Finding } from './check-page.ts'
import { rules } from './rules.ts'

/** Said with every report, so that nobody takes half for the whole. */
export const onlyHalf =
  'Only the source was checked. Inputs that scripts add, closed shadow roots, hidden links and requests need a real browser: this version has no live half yet.'

/** For people: a line a finding, and what to do under it. */
export function printText(findings: readonly Finding[], pages: number): string {
  const lines = findings.map(({ rule, path, line, shown }) =>
    [`${path}:${line}  ${rules[rule].severity}  ${rule}  ${JSON.stringify(shown)}`, `    ${rules[rule].advice}`].join('\n'),
  )
  return [...lines, `${pages} page(s), ${findings.length} finding(s).`, onlyHalf].join('\n')
}

/** SARIF 2.1.0 (OASIS). */
export function printSarif(findings: readonly Finding[]): object {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'tessera form-check',
            rules: Object.entries(rules).map(([id, { text, advice }]) => ({ id, shortDescription: { text }, help: { text: advice } })),
          },
        },
        invocations: [{ executionSuccessful: true, toolExecutionNotifications: [{ level: 'warning', message: { text: onlyHalf } }] }],
        results: findings.map(({ rule, path, line, shown }) => ({
          ruleId: rule,
          level: rules[rule].severity,
          message: { text: `${rules[rule].text} Found: ${shown.toWellFormed()}` },
          locations: [{ physicalLocation: { artifactLocation: { uri: addressOf(path) }, region: { startLine: line } } }],
        })),
      },
    ],
  }
}

function addressOf(path: string): string {
  return URL.parse(path)?.protocol.startsWith('http') === true ? path : pathToFileURL(path).href
}
