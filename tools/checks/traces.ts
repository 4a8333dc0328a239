import type { Tree } from '../tree.ts'
import type { CheckFinding } from './finding.ts'

/** What reveals the machine that a file was written on. Brackets keep this file from finding itself. */
const traces: readonly { pattern: RegExp; instead: string }[] = [
  { pattern: /(?<![\w.~-])\/(?:wor[k]|roo[t])\//, instead: 'a path of one machine: write it from the root of the project' },
  { pattern: /\/tm[p]\/(?:probe|claude|bash)/, instead: 'a path of one machine: make a folder under os.tmpdir()' },
  { pattern: /(?<![\w.-])\/hom[e]\/\w+\//, instead: 'a path of one machine: write it from the root of the project' },
  {
    pattern: /\bregistr[y]\.(?:npmjs|yarnpkg)\.\w+|\bnpm\.pkg\.githu[b]\b|"resolve[d]": "https?:/,
    instead: 'a registry host: packages come from the registry a machine is set to',
  },
]

/** A check: no file reveals on which machine, or from which registry, it was made. */
export function checkTraces(tree: Tree): CheckFinding[] {
  return tree.paths.flatMap((path) =>
    tree
      .read(path)
      .split('\n')
      .flatMap((line, index) => {
        const trace = traces.find(({ pattern }) => pattern.test(line))
        return trace === undefined ? [] : [{ path, line: index + 1, text: trace.instead }]
      }),
  )
}
