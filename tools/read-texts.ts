import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import type { Language } from '../contract/src/profile.ts'

/** One text for people, in every language. */
export interface TranslatedText extends Readonly<Record<Language, string>> {
  /** The file, and the line or the path in its table. */
  readonly where: string
}

const languages = ['en', 'ru', 'uz'] as const satisfies readonly Language[]

/**
 * The texts of a file, without running it: `{ en, ru, uz }` literals of texts or of tables, lists of three in the order uz, ru, en (the card form), and tables of their own for
 * each language (`const en = { … }`, the dashboard). What is put into a template becomes `7`, which a sentence can bear.
 */
export function readTexts(root: string, path: string): TranslatedText[] {
  const source = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true)
  const found: TranslatedText[] = []
  const tables = new Map<Language, ReadonlyMap<string, string>>()
  visit(source)
  return [...found, ...joinTables(tables, path)]

  function visit(node: ts.Node): void {
    if (ts.isVariableDeclaration(node) && node.initializer !== undefined && ts.isIdentifier(node.name)) {
      const language = languageOfTable(node.name.text)
      if (language !== null && ts.isObjectLiteralExpression(node.initializer)) {
        tables.set(language, new Map(readLeaves(node.initializer, '')))
        return
      }
    }
    const whole = ts.isObjectLiteralExpression(node) ? readTables(node) : null
    if (whole !== null) {
      found.push(...joinTables(whole, path))
      return
    }
    const translations = ts.isObjectLiteralExpression(node)
      ? readMembers(node)
      : ts.isArrayLiteralExpression(node)
        ? readTriple(node)
        : null
    if (translations !== null) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
      found.push({ where: `${path}:${String(line)}`, ...translations })
      return
    }
    ts.forEachChild(node, visit)
  }
}

/** Tables of a language that are files of their own: `ru.ts` beside `en.ts`. */
export function readTableFiles(root: string, folder: string): TranslatedText[] {
  const tables = new Map<Language, ReadonlyMap<string, string>>()
  for (const language of languages) {
    const path = `${folder}/${language}.ts`
    const source = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true)
    const leaves: [string, string][] = []
    ts.forEachChild(source, function visit(node): void {
      if (ts.isVariableDeclaration(node) && node.initializer !== undefined && ts.isObjectLiteralExpression(node.initializer))
        leaves.push(...readLeaves(node.initializer, ''))
      else ts.forEachChild(node, visit)
    })
    tables.set(language, new Map(leaves))
  }
  return joinTables(tables, folder)
}

function joinTables(tables: ReadonlyMap<Language, ReadonlyMap<string, string>>, where: string): TranslatedText[] {
  return [...(tables.get('en') ?? [])].flatMap(([path, en]) => {
    const [ru, uz] = [tables.get('ru')?.get(path), tables.get('uz')?.get(path)]
    return ru === undefined || uz === undefined ? [] : [{ where: `${where} ${path}`, en, ru, uz }]
  })
}

/** `en`, `codeRu`, `complianceUz`. */
function languageOfTable(name: string): Language | null {
  return languages.find((language) => name === language || name.endsWith(language.replace(/^./, (letter) => letter.toUpperCase()))) ?? null
}

function membersOf(node: ts.ObjectLiteralExpression): ReadonlyMap<string, ts.Expression> {
  return new Map(
    node.properties.flatMap((each) =>
      ts.isPropertyAssignment(each) && ts.isIdentifier(each.name) ? [[each.name.text, each.initializer] as const] : [],
    ),
  )
}

/** `{ en: { … }, ru: { … }, uz: { … } }`. */
function readTables(node: ts.ObjectLiteralExpression): ReadonlyMap<Language, ReadonlyMap<string, string>> | null {
  const members = membersOf(node)
  const tables = languages.flatMap((language) => {
    const table = members.get(language)
    return table !== undefined && ts.isObjectLiteralExpression(table) ? [[language, new Map(readLeaves(table, ''))] as const] : []
  })
  return tables.length === languages.length ? new Map(tables) : null
}

function readMembers(node: ts.ObjectLiteralExpression): Record<Language, string> | null {
  const members = membersOf(node)
  const [en, ru, uz] = languages.map((language) => members.get(language))
  if (en === undefined || ru === undefined || uz === undefined || ![en, ru, uz].every(isText)) return null
  return { en: textOf(en), ru: textOf(ru), uz: textOf(uz) }
}

function readTriple({ elements: [uz, ru, en, ...more] }: ts.ArrayLiteralExpression): Record<Language, string> | null {
  if (uz === undefined || ru === undefined || en === undefined || more.length > 0 || ![uz, ru, en].every(isText)) return null
  return /[а-яё]/i.test(textOf(ru)) ? { en: textOf(en), ru: textOf(ru), uz: textOf(uz) } : null
}

/** A text, or what makes one or several of them. */
function isText(node: ts.Node): boolean {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isConditionalExpression(node) ||
    ts.isArrayLiteralExpression(node)
  )
}

function readLeaves(node: ts.Expression, path: string): [string, string][] {
  const value = ts.isAsExpression(node) || ts.isSatisfiesExpression(node) ? node.expression : node
  if (!ts.isObjectLiteralExpression(value)) return isText(value) ? [[path, textOf(value)]] : []
  return value.properties.flatMap((each) => {
    if (!ts.isPropertyAssignment(each)) return []
    const name = each.name.getText().replace(/^['"]|['"]$/g, '')
    return readLeaves(each.initializer, path === '' ? name : `${path}.${name}`)
  })
}

function textOf(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ expression, literal }) => `${textOf(expression) || '7'}${literal.text}`).join('')
  const parts: string[] = []
  ts.forEachChild(node, (child) => void parts.push(textOf(child)))
  return parts.filter((part) => part !== '').join(' ')
}
