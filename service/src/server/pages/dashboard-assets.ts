import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/**
 * The built dashboard: the first script, those of pages and of what pages share, one stylesheet, the worker of proofs of work, and the messages of long
 * pages. Each file name contains a hash, so that its content never changes.
 */
export interface DashboardAssets {
  /** By their names under `/dashboard/assets/`. */
  readonly files: ReadonlyMap<string, DashboardFile>
  readonly script: string
  readonly style: string
  /** Scripts that the first one imports: the browser begins to load them with it. */
  readonly imported: readonly string[]
}

export interface DashboardFile {
  readonly bytes: Buffer
  /** Compressed when it is first requested. */
  readonly gzipped: Buffer
  readonly type: string
}

/** Reads the output of `npm run build` in `folder`. Throws `DashboardMissing`. */
export function readDashboardAssets(folder: string): DashboardAssets {
  try {
    const others = readdirSync(folder).filter((name) => /\.json$|^(?:proof|part)-.*\.js$/.test(name))
    return nameAssets(
      readFileSync(join(folder, 'app.js')),
      readFileSync(join(folder, 'app.css')),
      others.map((name) => [name, readFileSync(join(folder, name))]),
    )
  } catch (cause) {
    throw new DashboardMissing(folder, { cause })
  }
}

/** Names script and stylesheet by their hashes. The other files are named by the build, since the script refers to them. */
export function nameAssets(scriptBytes: Buffer, styleBytes: Buffer, others: readonly (readonly [string, Buffer])[] = []): DashboardAssets {
  const script = `app-${digest(scriptBytes)}.js`
  const style = `app-${digest(styleBytes)}.css`
  const files = new Map([
    [script, asFile(scriptBytes, 'text/javascript; charset=utf-8')],
    [style, asFile(styleBytes, 'text/css; charset=utf-8')],
    ...others.map(
      ([name, bytes]) => [name, asFile(bytes, name.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'application/json')] as const,
    ),
  ])
  return Object.freeze({ files, script, style, imported: findImported(scriptBytes.toString('latin1')) })
}

/** The files of the `import … from` of a script that esbuild has written; a page is loaded by `import(…)` and not among them. */
function findImported(script: string): readonly string[] {
  return [...script.matchAll(/(?:from|import)"\.\/(part-[A-Za-z0-9]+\.js)"/g)].map(([, name = '']) => name)
}

/** The dashboard is not built. */
export class DashboardMissing extends Error {
  override readonly name = 'DashboardMissing'
  constructor(folder: string, options: ErrorOptions) {
    super(`the dashboard is not built in ${folder}: run npm run build`, options)
  }
}

function asFile(bytes: Buffer, type: string): DashboardFile {
  let gzipped: Buffer | null = null
  return {
    bytes,
    get gzipped() {
      return (gzipped ??= gzipSync(bytes, { level: 9 }))
    },
    type,
  }
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
}
