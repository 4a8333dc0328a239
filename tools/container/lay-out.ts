import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { buildServerPackage } from '../server/build.ts'

/** The user in the image. Its number is in Containerfile, compose file and Kubernetes example. */
const userId = 10001

/** What Node and the service need of Debian; nothing of it is configured, and no script of it runs. */
const debianPackages = ['libc6', 'libgcc-s1', 'libstdc++6', 'libsmartcols1', 'coreutils', 'util-linux'] as const

/** Of these two one program each is in the image: what the launcher's first line names, and what switches core dumps off. */
const onlyProgram: Readonly<Record<string, string>> = { coreutils: './usr/bin/env', 'util-linux': './usr/bin/prlimit' }

interface DebianPackage {
  readonly name: string
  readonly version: string
  readonly architecture: string
  readonly sha256: string
  /** The fields of the package, as `dpkg-deb --field` prints them. */
  readonly control: string
}

/** What the image is built of. */
export interface ImageContext {
  readonly folder: string
  readonly version: string
  readonly arguments: Readonly<Record<string, string>>
}

/**
 * Lays out the folder in which `packaging/container/Containerfile` is built: the archives of npm, Debian's files in one archive, and the files that the image
 * has of its own, with the SBOM of all. Debian's packages come from the sources of this machine, verified by apt; the archives of npm are compared with the lock file.
 */
export function layOutImage(root: string, folder: string): ImageContext {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'files'), { recursive: true })
  cpSync(join(root, 'packaging/container/Containerfile'), join(folder, 'Containerfile'))
  const built = buildServerPackage(root, join(root, 'service/dist/server'))
  packInto(folder, 'server.tgz', [built.folder], {})
  const koffiBinary = `koffi-linux-${process.arch}`
  const lock = readLock(root)
  packInto(folder, 'node.tgz', [], lockedArchive(lock, `node-linux-${process.arch}`))
  packInto(folder, 'koffi.tgz', [], lockedArchive(lock, 'koffi'))
  packInto(folder, 'koffi-binary.tgz', [], lockedArchive(lock, `@koromix/${koffiBinary}`))
  const debian = layOutDebian(folder)
  layOutFiles(join(folder, 'files'), mergeSbom(join(built.folder, 'sbom.cdx.json'), debian, koffiBinary))
  return { folder, version: built.version, arguments: { KOFFI_BINARY: koffiBinary } }
}

interface LockedPackage {
  readonly version: string
  readonly integrity: string
}

function readLock(root: string): Readonly<Record<string, LockedPackage>> {
  return (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, LockedPackage> }).packages
}

function lockedArchive(lock: Readonly<Record<string, LockedPackage>>, name: string): { name: string; locked?: LockedPackage } {
  const locked = lock[`node_modules/${name}`]
  if (locked === undefined) throw new Error(`package-lock.json has no ${name}: the image can be built for Linux x64 and arm64`)
  return { name, locked }
}

/** Packs a folder, or fetches the archive of the version that the lock file names. */
function packInto(
  folder: string,
  target: string,
  folders: readonly string[],
  { name, locked }: { name?: string; locked?: LockedPackage },
): void {
  const wanted = name === undefined || locked === undefined ? folders : [`${name}@${locked.version}`]
  const out = execFileSync('npm', ['pack', '--json', '--pack-destination', folder, ...wanted], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [{ filename } = { filename: '' }] = JSON.parse(out) as { filename: string }[]
  // Older versions of npm print the scope with a slash.
  const packed = join(folder, filename.replace(/^@/, '').replace('/', '-'))
  const integrity = `sha512-${createHash('sha512').update(readFileSync(packed)).digest('base64')}`
  if (locked !== undefined && locked.integrity !== integrity) throw new Error(`${filename} is not what package-lock.json names`)
  renameSync(packed, join(folder, target))
}

function layOutDebian(folder: string): DebianPackage[] {
  const work = join(folder, 'debian')
  const tree = join(work, 'tree')
  mkdirSync(join(tree, 'var/lib/dpkg/status.d'), { recursive: true })
  // apt downloads as a user of its own.
  chmodSync(work, 0o777)
  execFileSync('apt-get', ['download', '-q', ...debianPackages, findLicencePackage()], { cwd: work, stdio: ['ignore', 'ignore', 'pipe'] })
  const packages = readdirSync(work)
    .filter((file) => file.endsWith('.deb'))
    .map((file) => unpackDebian(join(work, file), tree))
  // What the packages have for other programs: conversion of character sets, manuals, translations, units.
  for (const path of readdirSync(tree, { recursive: true, encoding: 'utf8' }))
    if (/^(?:usr\/)?lib\/(?:[^/]+\/gconv|systemd)$|^usr\/(?:share\/(?!doc$)[^/]+|sbin)$/.test(path))
      rmSync(join(tree, path), { recursive: true })
  // Debian 13 has these folders below /usr alone, and the links are those of its base system.
  for (const name of ['lib', 'lib64'])
    if (!existsSync(join(tree, name)) && existsSync(join(tree, 'usr', name))) symlinkSync(`usr/${name}`, join(tree, name))
  execFileSync('tar', [
    '--create',
    '--file',
    join(folder, 'debian.tar'),
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--directory',
    tree,
    '.',
  ])
  rmSync(work, { recursive: true })
  return packages
}

/** The licence of libgcc and libstdc++ is in a package that has the compiler's version in its name. */
function findLicencePackage(): string {
  const shown = execFileSync('apt-cache', ['show', '--no-all-versions', 'libgcc-s1'], { encoding: 'utf8' })
  const [name] = /gcc-\d+-base/.exec(shown) ?? []
  if (name === undefined) throw new Error('apt knows no package libgcc-s1: run apt-get update')
  return name
}

function unpackDebian(path: string, tree: string): DebianPackage {
  const control = execFileSync('dpkg-deb', ['--field', path], { encoding: 'utf8' })
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(control)?.[1] ?? ''
  const name = field('Package')
  const archive = execFileSync('dpkg-deb', ['--fsys-tarfile', path], { maxBuffer: 1e9 })
  const program = onlyProgram[name]
  const wanted = program === undefined ? [] : [program, `./usr/share/doc/${name}/copyright`]
  execFileSync('tar', ['--extract', '--directory', tree, ...wanted], { input: archive })
  // Where scanners look for Debian's packages in an image without a package manager.
  writeFileSync(join(tree, 'var/lib/dpkg/status.d', name), control)
  return {
    name,
    version: field('Version'),
    architecture: field('Architecture'),
    sha256: createHash('sha256').update(readFileSync(path)).digest('hex'),
    control,
  }
}

function layOutFiles(files: string, sbom: object): void {
  const put = (path: string, text: string): void => {
    mkdirSync(join(files, dirname(path)), { recursive: true })
    writeFileSync(join(files, path), text)
  }
  put('etc/passwd', `root:x:0:0:root:/:/nonexistent\ntessera:x:${String(userId)}:${String(userId)}:Tessera:/var/lib/tessera:/nonexistent\n`)
  put('etc/group', `root:x:0:\ntessera:x:${String(userId)}:\n`)
  // Without it, the C library would ask the name server before /etc/hosts.
  put('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n')
  put('opt/tessera/sbom.cdx.json', `${JSON.stringify(sbom, null, 2)}\n`)
  // npm makes the program of a package executable when it installs it; here nothing is installed.
  put('opt/tessera/bin/tessera', "#!/usr/bin/env node\nimport '../node_modules/@tessera/server/bin/tessera.mjs'\n")
  chmodSync(join(files, 'opt/tessera/bin/tessera'), 0o755)
  put('opt/tessera/bin/package.json', '{"type":"module"}\n')
  mkdirSync(join(files, 'tmp'))
  chmodSync(join(files, 'tmp'), 0o1777)
}

interface Sbom {
  readonly metadata: { readonly component: Readonly<Record<string, unknown>> }
  readonly components: readonly { readonly 'bom-ref': string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

/** The SBOM of the package, with what the image has besides, and without what is for other systems. */
function mergeSbom(path: string, debian: readonly DebianPackage[], koffiBinary: string): object {
  const server = JSON.parse(readFileSync(path, 'utf8')) as Sbom
  const isHere = (ref: string): boolean =>
    !/^(?:node-(?:linux|win|darwin)|@koromix\/koffi-)/.test(ref) ||
    ref.startsWith(`node-linux-${process.arch}@`) ||
    ref.startsWith(`@koromix/${koffiBinary}@`)
  const components = debian.map(({ name, version, architecture, sha256 }) => ({
    'bom-ref': `deb:${name}@${version}`,
    type: 'library',
    name,
    version,
    purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`,
    licenses: [{ license: { name: `/usr/share/doc/${name}/copyright` } }],
    hashes: [{ alg: 'SHA-256', content: sha256 }],
  }))
  const [self, ...others] = server.dependencies
  const refs = components.map((each) => each['bom-ref'])
  return {
    ...server,
    metadata: { ...server.metadata, component: { ...server.metadata.component, type: 'container' } },
    components: [...server.components.filter((each) => isHere(each['bom-ref'])), ...components],
    dependencies: [
      { ref: self?.ref, dependsOn: [...(self?.dependsOn ?? []).filter(isHere), ...refs] },
      ...others.filter(({ ref }) => isHere(ref)).map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(isHere) })),
      ...refs.map((ref) => ({ ref, dependsOn: [] })),
    ],
  }
}
