import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { FormCheckReport } from './check-form.ts'
import type { FormCheckFinding } from './finding.ts'
import { rules, type Rule, type RuleId } from './rules.ts'

/** How many findings a report has of each severity. The entries of the script inventory do not count. */
export type FindingCounts = Readonly<Record<Rule['severity'], number>>

export function countFindings({ findings }: FormCheckReport): FindingCounts {
  const counted = findings.filter(isListed)
  const countOf = (severity: Rule['severity']): number => counted.filter(({ rule }) => rules[rule].severity === severity).length
  return { error: countOf('error'), warning: countOf('warning'), info: countOf('info') }
}

/** Whether the page fails: it has an error, or more warnings than are accepted. */
export function isFailing(report: FormCheckReport, maxWarnings: number): boolean {
  const { error, warning } = countFindings(report)
  return error > 0 || warning > maxWarnings
}

/** The report for people: findings by rule, errors first, with the advice once per rule; then the scripts, one line each. */
export function formatTextReport(report: FormCheckReport): string {
  const { findings, scripts, pages, live, notes } = report
  const listed = findings.filter(isListed)
  const foundRules = severities.flatMap((severity) =>
    (Object.keys(rules) as RuleId[]).filter((rule) => rules[rule].severity === severity && listed.some((finding) => finding.rule === rule)),
  )
  const inventory = scripts.map(
    ({ address, sha256, integrity, party, purpose, bytes }) =>
      `  ${stripControls(address)}  ${party} party, ${integrity === null ? 'no integrity' : 'integrity'}, ${bytes === null ? 'not read' : `${bytes} bytes`}${sha256 === null ? '' : `, sha256-${sha256}`}, purpose ${purpose}`,
  )
  const { error, warning, info } = countFindings(report)
  const counts = [
    plural(pages.length, 'page'),
    plural(error, 'error'),
    plural(warning, 'warning'),
    `${info} info`,
    plural(scripts.length, 'script'),
  ]
  return [
    ...foundRules.flatMap((rule) =>
      formatRule(
        rule,
        listed.filter((finding) => finding.rule === rule),
      ),
    ),
    ...(scripts.length === 0 ? [] : [`info  script-inventory: ${rules['script-inventory'].text}`, ...inventory, '']),
    `${counts.join(', ')}. ${live === null ? 'Source only.' : `Source and browser (${live.browser}).`}`,
    ...notes.map(stripControls),
  ].join('\n')
}

function formatRule(rule: RuleId, findings: readonly FormCheckFinding[]): string[] {
  const { severity, text, advice } = rules[rule]
  return [
    `${severity}  ${rule}: ${text}`,
    ...findings.map(
      (finding) =>
        `  ${formatLocation(finding)}${[finding.shown, quote(finding.text)].map((part) => (part === '' ? '' : `  ${stripControls(part)}`)).join('')}`,
    ),
    `  → ${advice}`,
    `    ${docsOfRule(rule)}`,
    '',
  ]
}

/** The report for programs: each finding with the severity and the advice of its rule. Members may be added; none is removed or renamed. */
export function toJsonReport(report: FormCheckReport): object {
  return {
    format: jsonFormat,
    ...report,
    counts: countFindings(report),
    findings: report.findings.map((finding) => {
      const { severity, text: requirement, advice, source } = rules[finding.rule]
      return { ...finding, severity, requirement, advice, source, docs: docsOfRule(finding.rule) }
    }),
  }
}

/** The report as SARIF 2.1.0 (OASIS), for tools that show findings beside the code. */
export function formatSarifReport({ findings, notes }: FormCheckReport): object {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'tessera form-check', rules: Object.keys(rules).map((id) => toSarifRule(id as RuleId)) } },
        columnKind: 'utf16CodeUnits',
        invocations: [
          { executionSuccessful: true, toolExecutionNotifications: notes.map((text) => ({ level: 'note', message: { text } })) },
        ],
        results: findings.map(toSarifResult),
      },
    ],
  }
}

function toSarifRule(id: RuleId): object {
  const { text, advice, source, severity } = rules[id]
  return {
    id,
    shortDescription: { text },
    fullDescription: { text: `${text} (${source})` },
    help: { text: `${advice} See ${docsOfRule(id)}` },
    defaultConfiguration: { level: toSarifLevel(severity) },
  }
}

function toSarifResult(finding: FormCheckFinding): object {
  const { text, advice, severity } = rules[finding.rule]
  return {
    ruleId: finding.rule,
    ruleIndex: Object.keys(rules).indexOf(finding.rule),
    level: toSarifLevel(severity),
    message: {
      text: `${text} Found: ${[finding.shown, quote(finding.text)].filter((part) => part !== '').join(' ') || 'nothing'}. What to do: ${advice}`,
    },
    locations: [toSarifLocation(finding)],
  }
}

/** SARIF has no `info`: it says `note`. */
function toSarifLevel(severity: Rule['severity']): 'error' | 'warning' | 'note' {
  return severity === 'info' ? 'note' : severity
}

function toSarifLocation({ path, line, column, selector }: FormCheckFinding): object {
  const region = line === null ? {} : { region: { startLine: line, startColumn: column ?? 1 } }
  const logical = selector === null ? {} : { logicalLocations: [{ fullyQualifiedName: selector, kind: 'element' }] }
  return { physicalLocation: { artifactLocation: { uri: toUri(path) }, ...region }, ...logical }
}

/** A relative path stays relative, so that the report is valid in every checkout. */
function toUri(path: string): string {
  if (/^https?:\/\//i.test(path)) return URL.parse(path)?.href ?? 'about:invalid'
  return isAbsolute(path) ? pathToFileURL(path).href : path.split(/[\\/]/).map(encodeURIComponent).join('/')
}

function formatLocation({ path, line, column, selector }: FormCheckFinding): string {
  const position = line === null ? '' : `:${line}:${column ?? 1}`
  return stripControls(`${path}${position}${selector === null ? '' : `  ${selector}`}`)
}

/** Removes control and direction characters: text from a page must not control the terminal. */
function stripControls(text: string): string {
  return text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, ' ')
}

/** A script is listed in the inventory, not among the findings. */
function isListed({ rule }: FormCheckFinding): boolean {
  return rule !== 'script-inventory'
}

function quote(text: string): string {
  return text === '' ? '' : `“${text}”`
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function docsOfRule(rule: RuleId): string {
  return `docs/guides/form-check.md#${rule}`
}

const severities = ['error', 'warning', 'info'] as const
/** Raised when a program that reads the report has to change. */
const jsonFormat = 1
