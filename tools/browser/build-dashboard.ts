import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild-wasm'

/** Builds the dashboard into `folder`: one script and one style, whose lasting names the service makes. Tells their sizes in bytes. */
export async function buildDashboard(root: string, folder: string): Promise<Readonly<Record<string, number>>> {
  const built = await build({
    absWorkingDir: join(root, 'dashboard'),
    entryPoints: ['app/main.tsx'],
    outdir: folder,
    entryNames: 'app',
    ...{ bundle: true, write: false, minify: true, charset: 'utf8', legalComments: 'none', format: 'esm', platform: 'browser' },
    ...{ jsx: 'automatic', jsxImportSource: 'preact' },
    target: ['chrome123', 'firefox120', 'safari17.5'],
  })
  mkdirSync(folder, { recursive: true })
  const files = built.outputFiles.map(({ path, contents }) => [path.split(/[\\/]/).at(-1) ?? '', contents] as const)
  for (const [name, contents] of files) put(folder, name, contents)
  return Object.fromEntries(files.map(([name, { length }]) => [name, length]))
}

/** Whole or not at all. */
function put(folder: string, name: string, contents: Uint8Array): void {
  const path = join(folder, name)
  writeFileSync(`${path}.${process.pid}`, contents)
  renameSync(`${path}.${process.pid}`, path)
}
