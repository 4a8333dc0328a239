import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listFiles } from '../list-files.ts'
import { transpile } from './transpile.ts'

interface PackageJson {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** What is laid into the folder of the package. */
export interface BuiltServerPackage {
  readonly folder: string
  readonly version: string
  /** The packages that are inside of it, as `name@version`. */
  readonly bundled: readonly string[]
}

/**
 * Lays out `@tessera/server`: the service and what it imports as JavaScript, the built form and dashboard, the dependencies with their licences, and an
 * SBOM. `npm pack` in the folder makes the archive. Form and dashboard are built before.
 */
export function buildServerPackage(root: string, folder: string): BuiltServerPackage {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const put = (path: string, bytes: string | Uint8Array): void => {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
  for (const path of listSources(root)) {
    const target = placeOf(path)
    if (path.endsWith('.ts')) put(target.replace(/\.ts$/, '.js'), transpile(readFileSync(join(root, path), 'utf8')))
    else put(target, readFileSync(join(root, path)))
  }
  for (const built of ['browser/dist', 'dashboard/dist']) copyBuilt(root, folder, built)
  for (const path of ['LICENSE', 'CHANGELOG.md', 'SECURITY.md']) put(path, readFileSync(join(root, path)))
  cpSync(join(root, 'monitoring'), join(folder, 'monitoring'), { recursive: true })
  cpSync(join(root, 'packaging/server'), folder, { recursive: true })

  const own = readPackage(join(root, 'service/package.json'))
  const bundled = copyDependencies(root, folder)
  const optional = listOptional(root)
  const inside = [
    ...libraries.map((name) => ({ name: `@tessera/${name}`, version: own.version })),
    ...bundled.filter(({ isDirect }) => isDirect),
  ]
  const manifest = {
    name: '@tessera/server',
    version: own.version,
    description: 'Self-hosted card tokenization service: a card in, a merchant-bound token out.',
    license: own.license,
    type: 'module',
    engines: { node: '>=20' },
    bin: { tessera: 'bin/tessera.mjs' },
    dependencies: Object.fromEntries(inside.map(({ name, version }) => [name, version])),
    bundleDependencies: inside.map(({ name }) => name),
    optionalDependencies: optional,
  }
  put('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
  for (const each of libraries) {
    const { dependencies, license } = readPackage(join(root, each, 'package.json'))
    const library = {
      name: `@tessera/${each}`,
      version: own.version,
      license,
      type: 'module',
      exports: { './*': './src/*.js' },
      dependencies,
    }
    put(`node_modules/@tessera/${each}/package.json`, `${JSON.stringify(library, null, 2)}\n`)
  }
  // The service reads its version there.
  put('service/package.json', `${JSON.stringify({ name: '@tessera/service', version: own.version, type: 'module' })}\n`)
  put('THIRD-PARTY-LICENSES.txt', bundled.map((each) => formatLicence(folder, each)).join('\n'))
  const shipped = [
    ...libraries.map((name) => `@tessera/${name}@${own.version}`),
    ...bundled.map(({ name, version }) => `${name}@${version}`),
  ]
  put('sbom.cdx.json', `${JSON.stringify(makeSbom(root, manifest, shipped), null, 2)}\n`)
  return { folder, version: own.version, bundled: shipped }
}

/** The workspaces beside the service: packages of their own in there too, since the service looks for their folders. */
const libraries = ['contract', 'vault', 'form-check'] as const

/** Everything of the workspaces that runs; neither their tests nor what only tests use. */
function listSources(root: string): string[] {
  const folders = ['service/src', ...libraries.map((each) => `${each}/src`), 'form-check/in-page']
  return listFiles(root).filter(
    (path) => folders.some((each) => path.startsWith(`${each}/`)) && !/\.(?:test|suite|fixture)\.ts$|^service\/src\/testing\//.test(path),
  )
}

function placeOf(path: string): string {
  return libraries.some((each) => path.startsWith(`${each}/`)) ? `node_modules/@tessera/${path}` : path
}

function copyBuilt(root: string, folder: string, path: string): void {
  if (!existsSync(join(root, path))) throw new Error(`${path} is missing: run npm run build first`)
  // The npm package of the SDK is built beside what the service serves.
  cpSync(join(root, path), join(folder, path), { recursive: true, filter: (from) => from !== join(root, path, 'package') })
}

interface BundledPackage {
  /** The folder in node_modules. */
  readonly path: string
  readonly name: string
  readonly version: string
  readonly isDirect: boolean
  readonly license: string
}

/** Copies the dependencies of the workspaces, with theirs, as npm has installed them by the lock file. What is built for one system stays out. */
function copyDependencies(root: string, folder: string): BundledPackage[] {
  const direct = new Set(
    ['service', ...libraries].flatMap((each) => Object.keys(readPackage(join(root, each, 'package.json')).dependencies ?? {})),
  )
  const found = new Map<string, BundledPackage>()
  const visit = (name: string, from: string): void => {
    if (name.startsWith('@tessera/') || optionalNames.has(name)) return
    const path = findInstalled(root, name, from)
    if (found.has(path)) return
    const { version, license = 'unknown', dependencies = {} } = readPackage(join(root, path, 'package.json'))
    found.set(path, { path, name, version, license, isDirect: direct.has(name) })
    for (const each of Object.keys(dependencies)) visit(each, path)
  }
  for (const name of direct) visit(name, '')
  for (const { path } of found.values())
    cpSync(join(root, path), join(folder, path), {
      recursive: true,
      filter: (from) => !isLeftOut(path, from.slice(join(root, path).length)),
    })
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Dependencies of dependencies have a row of their own. Node loads neither source maps nor the builds for bundlers that OpenTelemetry's packages have beside the others. */
function isLeftOut(name: string, path: string): boolean {
  const isForBundlers = name.includes('@opentelemetry/') && /^\/build\/(?:esm|esnext)(?:\/|$)/.test(path)
  return path.includes('/node_modules') || path.endsWith('.map') || isForBundlers
}

/** As Node resolves it: in the node_modules of the package that needs it, then further up. */
function findInstalled(root: string, name: string, from: string): string {
  for (let at = from; ; at = at.includes('/node_modules/') ? at.slice(0, at.lastIndexOf('/node_modules/')) : '') {
    const path = join(at, 'node_modules', name)
    if (existsSync(join(root, path, 'package.json'))) return path
    if (at === '') throw new Error(`${name}, which ${from} needs, is not installed`)
  }
}

/** Koffi has a binary for each system and is needed for PKCS#11 alone; the pinned Node is for machines whose own is older than 24. */
function listOptional(root: string): Record<string, string> {
  const koffi = readPackage(join(root, 'node_modules/koffi/package.json'))
  return { koffi: koffi.version, ...readPackage(join(root, 'package.json')).optionalDependencies }
}

function formatLicence(folder: string, { path, name, version, license }: BundledPackage): string {
  const files = readdirSync(join(folder, path)).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
  const texts = files.map((file) => readFileSync(join(folder, path, file), 'utf8').trim())
  return `${'='.repeat(80)}\n${name} ${version}: ${license}\n${'='.repeat(80)}\n\n${texts.join('\n\n')}\n`
}

interface Sbom {
  metadata: { component: object }
  components: { 'bom-ref': string; group?: string; name: string; version: string }[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

/** The SBOM that npm makes of the lock file (CycloneDX 1.5), for what is in the package or installed beside it. */
function makeSbom(
  root: string,
  {
    name,
    version,
    license,
    optionalDependencies,
  }: { name: string; version: string; license: string | undefined; optionalDependencies: Record<string, string> },
  bundled: readonly string[],
): Sbom {
  const { status, stdout, stderr } = spawnSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`)
  const all = JSON.parse(stdout) as Sbom
  const shipped = new Set([...bundled, ...Object.entries(optionalDependencies).map(([each, at]) => `${each}@${at}`)])
  const components = all.components.filter((each) => shipped.has(each['bom-ref']) || each['bom-ref'].startsWith('@koromix/koffi-'))
  const refs = new Set(components.map((each) => each['bom-ref']))
  const missing = [...shipped].filter((each) => !components.some((component) => component['bom-ref'] === each))
  if (missing.length > 0) throw new Error(`the SBOM has no ${missing.join(', ')}`)
  const self = `${name}@${version}`
  return {
    ...all,
    metadata: {
      ...all.metadata,
      component: {
        'bom-ref': self,
        type: 'application',
        group: '@tessera',
        name: 'server',
        version,
        purl: `pkg:npm/%40tessera/server@${version}`,
        licenses: [{ license: { id: license } }],
      },
    },
    components,
    dependencies: [
      { ref: self, dependsOn: [...refs] },
      ...all.dependencies
        .filter(({ ref }) => refs.has(ref))
        .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) })),
    ],
  }
}

function readPackage(path: string): PackageJson {
  return JSON.parse(readFileSync(path, 'utf8')) as PackageJson
}

const optionalNames: ReadonlySet<string> = new Set(['koffi', 'pg-cloudflare'])
