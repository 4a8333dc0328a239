import { appearanceLabels, type AppearanceLabels } from './appearance.ts'
import { listSelectors, readRules, type AppearanceDeclaration } from './appearance-syntax.ts'
import { readThemeValue, themeSchemes, themeVariables, type ThemeScheme, type ThemeValues } from './theme.ts'

/** The two schemes in which a form can be shown. */
export type ColorScheme = 'light' | 'dark'
export const colorSchemes = ['light', 'dark'] as const

/** What is valid of an appearance, for each scheme, and the names of everything that is not. */
export interface ReadAppearance {
  readonly scheme: ThemeScheme
  readonly labels: AppearanceLabels
  readonly variables: Readonly<Record<ColorScheme, ThemeValues>>
  readonly rules: Readonly<Record<ColorScheme, readonly AppearanceDeclaration[]>>
  readonly rejected: readonly string[]
}

/**
 * Reads the options `appearance` and `theme` of a form. Each invalid member is left out and named; an empty text counts as missing, because a
 * page that reads its own custom properties gets one for a missing one. Where both options have a variable, that of `appearance` applies.
 */
export function readAppearance(appearance: unknown, theme?: unknown): ReadAppearance {
  const given = recordOf(appearance)
  const { scheme: flatScheme, dark: flatDark, ...flat } = recordOf(theme)
  const dark = recordOf(given['dark'])
  const rejected: string[] = []
  const values = (record: unknown, path: string): ThemeValues => {
    const { passed, rejected: names } = readVariables(record, path)
    rejected.push(...names)
    return passed
  }
  const oneOf = <T extends string>(allowed: readonly T[], value: unknown, path: string): T | undefined => {
    const found = allowed.find((each) => each === value)
    if (found === undefined && (value ?? '') !== '') rejected.push(path)
    return found
  }
  const declarations = (rules: unknown, path: string): readonly AppearanceDeclaration[] => {
    const { passed, rejected: names } = readRules(rules, path)
    rejected.push(...names)
    return passed
  }
  const light = { ...values(flat, 'theme'), ...values(given['variables'], 'appearance.variables') }
  const darkOnly = { ...values(flatDark, 'theme.dark'), ...values(dark['variables'], 'appearance.dark.variables') }
  const rules = declarations(given['rules'], 'appearance.rules')
  const darkRules = declarations(dark['rules'], 'appearance.dark.rules')
  rejected.push(...listUnknown(given, appearanceMembers, 'appearance'), ...listUnknown(dark, ['variables', 'rules'], 'appearance.dark'))
  const scheme =
    oneOf(themeSchemes, given['scheme'], 'appearance.scheme') ?? oneOf(themeSchemes, flatScheme, 'theme.scheme') ?? defaultScheme
  return {
    scheme,
    labels: oneOf(appearanceLabels, given['labels'], 'appearance.labels') ?? 'above',
    variables: { light, dark: { ...light, ...darkOnly } },
    rules: { light: rules, dark: inOrder([...rules, ...darkRules]) },
    rejected,
  }
}

export const defaultScheme: ThemeScheme = 'page'

const appearanceMembers = ['variables', 'rules', 'dark', 'scheme', 'labels', 'font']
/** More names than there are variables are of no use. */
const maxNames = 100

function readVariables(record: unknown, path: string): { readonly passed: ThemeValues; readonly rejected: readonly string[] } {
  const given = recordOf(record)
  const isGiven = (name: string): boolean => Object.hasOwn(given, name) && (given[name] ?? '') !== ''
  const passed = Object.fromEntries(
    themeVariables.flatMap((name) => {
      const value = isGiven(name) ? readThemeValue(name, given[name]) : null
      return value === null ? [] : [[name, value]]
    }),
  )
  const names = Object.keys(given).slice(0, maxNames)
  return {
    passed,
    rejected: names.flatMap((name) => (Object.hasOwn(passed, name) || !isGiven(name) ? [] : [`${path}.${name.slice(0, 40)}`])),
  }
}

function listUnknown(record: object, known: readonly string[], path: string): string[] {
  return Object.keys(record)
    .slice(0, maxNames)
    .flatMap((name) => (known.includes(name) ? [] : [`${path}.${name.slice(0, 40)}`]))
}

/** In the order of the selectors, and for one selector in the order given: the last declaration of a property applies. */
function inOrder(declarations: readonly AppearanceDeclaration[]): readonly AppearanceDeclaration[] {
  return listSelectors().flatMap(({ part, state }) => declarations.filter((each) => each.part === part && each.state === state))
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {}
}
