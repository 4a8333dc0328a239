// `npm run build:container`: lays out what the image is built of, and builds it. See docs/operating/containers.md.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCommandLine } from './command-line.ts'
import { layOutImage } from './container/lay-out.ts'
import { findOnPath } from './find-program.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const usage = `npm run build:container -- [--out folder] [--tag name] [--with buildah|podman|docker|none] [-- option of the builder …]

Lays out the folder that packaging/container/Containerfile is built in (service/dist/container by default), and builds the image with the first of buildah,
podman and docker that is on PATH, or with the one that is named; none builds no image. The tag is localhost/tessera:<version> by default. It asks the registry
of npm and the package sources of this Debian, and no registry of images. Options behind -- are handed to the builder, such as --isolation chroot.`
const { values, positionals } = readCommandLine({ out: { type: 'string' }, tag: { type: 'string' }, with: { type: 'string' } }, usage)
const builders = ['buildah', 'podman', 'docker'] as const
const wanted = values.with ?? builders.find((name) => findOnPath(name) !== null) ?? 'none'
if (wanted !== 'none' && !builders.some((name) => name === wanted)) fail(64, `--with takes ${builders.join(', ')} or none, not ${wanted}.`)
if (wanted !== 'none' && findOnPath(wanted) === null) fail(69, `${wanted} is not on PATH.`)
for (const program of ['apt-get', 'dpkg-deb', 'tar'])
  if (findOnPath(program) === null) fail(69, `${program} is not on PATH: the image is laid out on Debian or a derivative of it.`)

const image = layOutImage(root, values.out ?? join(root, 'service/dist/container'))
const tag = values.tag ?? `localhost/tessera:${image.version}`
process.stdout.write(`${image.folder} is laid out.\n`)
if (wanted !== 'none') {
  const given = Object.entries(image.arguments).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`])
  // The health check is part of Docker's format alone.
  const format = wanted === 'docker' ? [] : ['--format', 'docker']
  const file = join(image.folder, 'Containerfile')
  const { status } = spawnSync(wanted, ['build', ...format, ...given, ...positionals, '--tag', tag, '--file', file, image.folder], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) fail(70, `${wanted} did not build the image.`)
  process.stdout.write(`${tag} is built.\n`)
}

function fail(code: number, text: string): never {
  process.stderr.write(`build:container: ${text}\n`)
  process.exit(code)
}
