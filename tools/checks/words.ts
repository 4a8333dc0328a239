import ts from 'typescript'
import type { Tree } from '../tree.ts'
import { lineOf, type Finding } from './finding.ts'
import { isCode } from './kinds.ts'

/** Words that say nothing, wherever they stand inside a name; and what to do instead. */
const emptyWords: Readonly<Record<string, string>> = {
  util: 'say what it does',
  utils: 'say what it does',
  helper: 'say what it does',
  helpers: 'say what it does',
  common: 'say what it holds',
  misc: 'say what it holds',
  manager: 'say what it is (keyring, store, queue)',
  handler: 'name the deed (answer, refuse, deliver)',
  handlers: 'name the deeds',
  data: 'say what it is (row, params, body, chunk, fields)',
  info: 'say what it tells',
  process: 'name the deed, or `child` for a process of the system',
  base: 'say what stands on it',
  core: 'say what it is',
  impl: 'say how it differs (sqlite, postgres, memory)',
  v2: 'say what is new about it',
}

/** Whole names that the field, or the house, calls otherwise. */
const wrongNames: Readonly<Record<string, string>> = {
  cardNumber: 'pan',
  ccNum: 'pan',
  cardNo: 'pan',
  last4: 'maskedPan',
  bin: 'iin',
  binCode: 'iin',
  exp: 'expiry',
  expDate: 'expiry',
  expiryDate: 'expiry',
  cardAlias: 'token',
  cardHash: 'fingerprint',
  panHash: 'fingerprint',
  cardData: 'card, or sealedCard',
  cvv: 'sad: sensitive authentication data is never stored, and so never named in code',
  masterKey: 'kek',
  dataKey: 'dek',
  encryptionKey: 'dek or kek',
  tenant: 'merchant',
  invoice: 'receipt',
  subscription: 'recurrent',
  amount: 'amountTiyin',
  price: 'amountTiyin',
  passcode: 'otp',
  smsCode: 'otp',
  timeout: 'a name with its unit last (queryTimeoutMs)',
  ttl: 'a name with its unit last (otpTtlSeconds)',
  max: 'a name with the qualifier last (attemptsMax)',
  provider: 'network, or the role it plays',
  gateway: 'network or sms, or whose it is (smsGateway)',
  callback: 'the deed, or `delivery` for a webhook',
  notification: 'event, delivery or attempt',
}

/** Names that hold such a word and are right. Each is a term of its own. */
const rightNames: ReadonlySet<string> = new Set([
  'associatedData', // AEAD's own term (NIST SP 800-38D, RFC 5116).
  'additionalData',
  'baseUrl', // RFC 3986 §5.1.
  'chunkBase', // The base of a numeral system.
  'dataVersion', // SQLite's pragma data_version.
  'processMetrics', // A process of the system, as in Prometheus' process_*.
  'ProcessLife',
  'takeOverProcess',
])

/** Terms of a standard, of the specification or of the system, wherever they stand in a name. */
const rightPhrases = [/sensitiveAuthenticationData/i, /cardholderData/i, /fiscalData/i, /coreDump/i, /dataFolder/i]

/** The same in paths. */
const rightPaths = [/receipts\.set_fiscal_data/, /core-dumps/, /data-folder/, /process-life/]

/** A check: files and what we declare in them carry the field's words. Names that others gave (properties, imports) are theirs. */
export function checkWords(tree: Tree): Finding[] {
  return tree.paths.flatMap((path) => [...judgePath(path), ...(isCode(path) ? judgeDeclarations(tree, path) : [])])
}

function judgePath(path: string): Finding[] {
  if (rightPaths.some((right) => right.test(path))) return []
  const isServiceInside = /[-.]service[-.]|.\/service\//.test(path)
  if (isServiceInside) return [{ path, line: 1, text: 'the path says "service": only the package is one' }]
  const word = path.split(/[-._/]/).find((part) => Object.hasOwn(emptyWords, part))
  return word === undefined ? [] : [{ path, line: 1, text: `the path says "${word}": ${emptyWords[word] ?? ''}` }]
}

function judgeDeclarations(tree: Tree, path: string): Finding[] {
  const file = tree.parse(path)
  const findings: Finding[] = []
  const visit = (node: ts.Node): void => {
    const name = declaredName(node)
    const text = name === null || isForeignWord(path, name.text) ? null : judgeName(name.text)
    if (name !== null && text !== null) findings.push({ path, line: lineOf(file, name), text })
    ts.forEachChild(node, visit)
  }
  visit(file)
  return findings
}

/** JSON-RPC 2.0 §5.1 calls it `data`, and so does the code that writes it; the PostgreSQL driver asks its queries by names of its own. */
function isForeignWord(path: string, name: string): boolean {
  if (path === 'service/src/store/postgres/flight.ts') return name === 'callback' || name === 'handleDataRow'
  return name === 'data' && /^(contract|service\/src\/rpc)\//.test(path)
}

/** What a name should be, in one line; null for a good one. */
export function judgeName(name: string): string | null {
  if (rightNames.has(name) || rightPhrases.some((phrase) => phrase.test(name))) return null
  const better = Object.hasOwn(wrongNames, name) ? wrongNames[name] : undefined
  if (better !== undefined) return `"${name}": write ${better}`
  if (/^[A-Z].*Service$|^[a-z]+Service$/.test(name) && !/^(start|stop|ask|check|end|run|running|kill|find|wait|with|is)/i.test(name)) {
    return `"${name}": only the package is a service: say what it is`
  }
  const word = splitName(name).find((part) => Object.hasOwn(emptyWords, part))
  return word === undefined ? null : `"${name}" holds the word "${word}": ${emptyWords[word] ?? ''}`
}

/** `openSqlite2Store` → open, sqlite2, store. */
function splitName(name: string): string[] {
  return name.split(/_|\$|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((part) => part.toLowerCase())
}

/**
 * The name that a piece of syntax declares. Not ours to choose, so not read: property names (the wire's, Node's, Fastify's), what a
 * pattern takes out under its own name (`const { data } = event`), and what is imported under its own name.
 */
function declaredName(node: ts.Node): ts.Identifier | null {
  const isDeclaration =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isTypeParameterDeclaration(node) ||
    (ts.isMethodDeclaration(node) && ts.isClassDeclaration(node.parent)) ||
    ((ts.isBindingElement(node) || ts.isImportSpecifier(node)) && node.propertyName !== undefined) ||
    (ts.isBindingElement(node) && ts.isArrayBindingPattern(node.parent))
  return isDeclaration && node.name !== undefined && ts.isIdentifier(node.name) ? node.name : null
}
