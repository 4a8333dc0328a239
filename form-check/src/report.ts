import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { Finding } from './finding.ts'
import type { Report } from './check-form.ts'
import { docsOf, rules, type RuleId } from './rules.ts'

/** For people: what breaks a rule, grave things first, with what to do said once a rule; then the scripts, a line each. */
export function printText({ findings, scripts, pages, live, notes }: Report): string {
  const broken = (Object.keys(rules) as RuleId[]).filter(
    (rule) => rules[rule].severity !== 'note' && findings.some((one) => one.rule === rule),
  )
  const blocks = broken.flatMap((rule) => {
    const found = findings.filter((one) => one.rule === rule)
    const { severity, text, advice } = rules[rule]
    return [
      `${severity}  ${rule}: ${text}`,
      ...found.map((one) => `  ${placeOf(one)}  ${clean(one.shown)}`),
      `  → ${advice}`,
      `    ${docsOf(rule)}`,
      '',
    ]
  })
  const inventory = scripts.map(
    ({ address, sha256, integrity, party, purpose, bytes }) =>
      `  ${clean(address)}  ${party} party, ${integrity === null ? 'no integrity' : 'integrity'}, ${bytes === null ? 'not read' : `${bytes} bytes`}${sha256 === null ? '' : `, sha256-${sha256}`}, purpose ${purpose}`,
  )
  const count = findings.filter(({ rule }) => rules[rule].severity !== 'note').length
  return [
    ...blocks,
    ...(scripts.length === 0 ? [] : [`note  script-inventory: ${rules['script-inventory'].text}`, ...inventory, '']),
    `${pages.length} page(s), ${count} finding(s), ${scripts.length} script(s). ${live === null ? 'Source only.' : `Source and browser (${live.browser}).`}`,
    ...notes.map(clean),
  ].join('\n')
}

/** SARIF 2.1.0 (OASIS), for whatever shows findings beside code. */
export function printSarif({ findings, notes }: Report): object {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'tessera form-check', rules: Object.entries(rules).map(([id, rule]) => describe(id as RuleId, rule)) } },
        columnKind: 'utf16CodeUnits',
        invocations: [
          { executionSuccessful: true, toolExecutionNotifications: notes.map((text) => ({ level: 'note', message: { text } })) },
        ],
        results: findings.map((one) => ({
          ruleId: one.rule,
          ruleIndex: Object.keys(rules).indexOf(one.rule),
          level: rules[one.rule].severity,
          message: {
            text: `${rules[one.rule].text} Found: ${one.shown === '' ? 'nothing' : one.shown} What to do: ${rules[one.rule].advice}`,
          },
          locations: [locationOf(one)],
        })),
      },
    ],
  }
}

function describe(id: RuleId, { text, advice, source, severity }: (typeof rules)[RuleId]): object {
  return {
    ...{ id, shortDescription: { text }, fullDescription: { text: `${text} (${source})` }, help: { text: `${advice} See ${docsOf(id)}` } },
    defaultConfiguration: { level: severity },
  }
}

function locationOf({ path, line, column, selector }: Finding): object {
  const region = line === null ? {} : { region: { startLine: line, startColumn: column ?? 1 } }
  const logical = selector === null ? {} : { logicalLocations: [{ fullyQualifiedName: selector, kind: 'element' }] }
  return { physicalLocation: { artifactLocation: { uri: addressOf(path) }, ...region }, ...logical }
}

/** A relative path stays one, so that a report fits every checkout. */
function addressOf(path: string): string {
  if (/^https?:\/\//i.test(path)) return URL.parse(path)?.href ?? 'about:invalid'
  return isAbsolute(path) ? pathToFileURL(path).href : path.split(/[\\/]/).map(encodeURIComponent).join('/')
}

function placeOf({ path, line, column, selector }: Finding): string {
  const at = line === null ? '' : `:${line}:${column ?? 1}`
  return clean(`${path}${at}${selector === null ? '' : `  ${selector}`}`)
}

/** What a page says must not speak to the terminal. */
function clean(text: string): string {
  return text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, ' ')
}
