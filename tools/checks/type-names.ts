import ts from 'typescript'
import type { Tree } from '../tree.ts'
import { lineOf, type CheckFinding } from './finding.ts'
import { isCode, isPrinted, isTest } from './kinds.ts'

/**
 * A check: the name of a type ends in a noun. `Asked` or `ReceiptsTold` says that something happened and not what the value is;
 * `CardListQuery` does. An error class may be a short sentence (`StoreLocked`).
 */
export function checkTypeNames(tree: Tree): CheckFinding[] {
  return tree.paths
    .filter((path) => isCode(path) && !isTest(path) && !isPrinted(path))
    .flatMap((path) => {
      const file = tree.parse(path)
      const findings: CheckFinding[] = []
      const visit = (node: ts.Node): void => {
        const name = readTypeName(node)
        const text = name === null ? null : judgeTypeName(name.text, ts.isClassDeclaration(node))
        if (name !== null && text !== null) findings.push({ path, line: lineOf(file, name), text })
        ts.forEachChild(node, visit)
      }
      visit(file)
      return findings
    })
}

function readTypeName(node: ts.Node): ts.Identifier | null {
  const isType = ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)
  return isType ? (node.name ?? null) : null
}

function judgeTypeName(name: string, isClass: boolean): string | null {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])/)
  const last = words.at(-1) ?? ''
  const isPhrase = words.length > 1
  if (isParticiple(last) && !(isPhrase && isClass))
    return `"${name}" ends in a participle: name the thing (ReceiptListQuery, CardLookupResult)`
  if (!isPhrase && (verbs.has(name) || isGerund(name)))
    return `"${name}" is a verb: name the thing that it makes or does (SmsSender, PageParser)`
  return null
}

function isParticiple(word: string): boolean {
  return irregularParticiples.has(word) || (word.endsWith('ed') && !nounsInEd.has(word))
}

function isGerund(word: string): boolean {
  return word.endsWith('ing') && !nounsInIng.has(word)
}

const nounsInEd: ReadonlySet<string> = new Set(['Bed', 'Deed', 'Embed', 'Feed', 'Need', 'Seed', 'Speed'])

const nounsInIng: ReadonlySet<string> = new Set(
  'Binding Encoding Finding Heading Keyring Landing Listing Mapping Ping Reading Ring Routing Setting String Thing Timing Warning'.split(
    ' ',
  ),
)

// prettier-ignore
const irregularParticiples: ReadonlySet<string> = new Set([
  'Begun', 'Bought', 'Broken', 'Brought', 'Built', 'Chosen', 'Come', 'Done', 'Drawn', 'Driven', 'Fallen', 'Felt', 'Found', 'Given', 'Gone', 'Got',
  'Heard', 'Held', 'Hidden', 'Kept', 'Known', 'Laid', 'Led', 'Left', 'Lost', 'Made', 'Meant', 'Met', 'Paid', 'Said', 'Seen', 'Sent', 'Shown',
  'Sold', 'Spent', 'Spoken', 'Stolen', 'Taken', 'Thought', 'Thrown', 'Told', 'Understood', 'Won', 'Worn', 'Written',
])

/** Verbs that are no noun at the same time, as a read, a call or a change are. */
// prettier-ignore
const verbs: ReadonlySet<string> = new Set([
  'Ask', 'Begin', 'Bring', 'Choose', 'Conclude', 'Decide', 'Deliver', 'Do', 'Evaluate', 'Find', 'Forget', 'Get', 'Give', 'Hear', 'Keep',
  'Let', 'Make', 'Mend', 'Open', 'Parse', 'Put', 'Receive', 'Refuse', 'Remember', 'Resolve', 'Say', 'See', 'Send', 'Serve', 'Settle', 'Speak',
  'Take', 'Tell', 'Verify', 'Write',
])
