import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { FormCheckReport } from './check-form.ts'
import type { FormCheckFinding } from './finding.ts'
import { rules, type RuleId } from './rules.ts'

/** The report for people: violations by rule, errors first, with the advice once per rule; then the scripts, one line each. */
export function formatTextReport({ findings, scripts, pages, live, notes }: FormCheckReport): string {
  const violations = findings.filter(({ rule }) => rules[rule].severity !== 'note')
  const violatedRules = (Object.keys(rules) as RuleId[]).filter((rule) => violations.some((finding) => finding.rule === rule))
  const inventory = scripts.map(
    ({ address, sha256, integrity, party, purpose, bytes }) =>
      `  ${stripControls(address)}  ${party} party, ${integrity === null ? 'no integrity' : 'integrity'}, ${bytes === null ? 'not read' : `${bytes} bytes`}${sha256 === null ? '' : `, sha256-${sha256}`}, purpose ${purpose}`,
  )
  return [
    ...violatedRules.flatMap((rule) =>
      formatRule(
        rule,
        violations.filter((finding) => finding.rule === rule),
      ),
    ),
    ...(scripts.length === 0 ? [] : [`note  script-inventory: ${rules['script-inventory'].text}`, ...inventory, '']),
    `${pages.length} page(s), ${violations.length} finding(s), ${scripts.length} script(s). ${live === null ? 'Source only.' : `Source and browser (${live.browser}).`}`,
    ...notes.map(stripControls),
  ].join('\n')
}

function formatRule(rule: RuleId, findings: readonly FormCheckFinding[]): string[] {
  const { severity, text, advice } = rules[rule]
  return [
    `${severity}  ${rule}: ${text}`,
    ...findings.map((finding) => `  ${formatLocation(finding)}  ${stripControls(finding.shown)}`),
    `  → ${advice}`,
    `    ${docsOfRule(rule)}`,
    '',
  ]
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
    defaultConfiguration: { level: severity },
  }
}

function toSarifResult(finding: FormCheckFinding): object {
  const { text, advice, severity } = rules[finding.rule]
  return {
    ruleId: finding.rule,
    ruleIndex: Object.keys(rules).indexOf(finding.rule),
    level: severity,
    message: { text: `${text} Found: ${finding.shown === '' ? 'nothing' : finding.shown} What to do: ${advice}` },
    locations: [toSarifLocation(finding)],
  }
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

function docsOfRule(rule: RuleId): string {
  return `docs/guides/form-check.md#${rule}`
}
