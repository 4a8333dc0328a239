// needs: build, containers, yaml, openssl
// time limit: 480 s
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { settings } from '../../service/src/ops/config/config.ts'
import { findFreePort } from '../free-port.ts'

// The image, built from nothing by buildah and started by podman, in stores of this test's own; and the examples beside it.

/** Open files, and processes, of a container that root starts. */
const podmanLimit = 1_048_576
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const packaging = join(root, 'packaging/container')
const scratch = mkdtempSync(join(tmpdir(), 'tessera-container-'))
// Podman takes no longer path than 50 characters there.
const runRoot = mkdtempSync('/tmp/tessera-')
const image = 'localhost/tessera:0.1.0'
const userId = 10001
// Without systemd podman keeps its groups itself; crun of Debian 12 refuses a machine with both versions of control groups, runc does not.
const config = `[containers]\ndefault_ulimits = [${listUlimits()}]\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n`
const stores = ['--storage-driver', 'vfs', '--root', join(scratch, 'store'), '--runroot', runRoot]
const env = { PATH: process.env['PATH'], HOME: scratch, TMPDIR: scratch, CONTAINERS_CONF: join(scratch, 'containers.conf') }
const hardening = ['--read-only', '--read-only-tmpfs=false', '--cap-drop=ALL', '--security-opt=no-new-privileges', '--pids-limit=256']
const state = join(scratch, 'state')
const running: ChildProcess[] = []

before(() => {
  writeFileSync(join(scratch, 'containers.conf'), config)
  run('node', ['tools/build-container.ts', '--with', 'none', '--out', join(scratch, 'context')], { ...process.env })
  const built = JSON.parse(readFileSync(join(scratch, 'context/files/opt/tessera/sbom.cdx.json'), 'utf8')) as {
    components: { name: string }[]
  }
  assert.ok(built.components.length > 50)
  run('buildah', [...stores, 'build', '--isolation', 'chroot', '--format', 'docker', '--tag', image, join(scratch, 'context')])
  makeState(state)
})
after(() => {
  spawnSync('podman', [...stores, 'rm', '--all', '--force', '--time', '0'], { env })
  for (const child of running) child.kill('SIGKILL')
  for (const folder of [scratch, runRoot]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

test('it runs as a user without privileges on a root file system that nobody writes: a card, form and dashboard, health, and a stop with 0', async () => {
  const [port, adminPort] = [await findFreePort(), await findFreePort()]
  const folders = [`--volume=${state}:/var/lib/tessera`]
  const child = start('one', [...hardening, ...folders], ['start', `--port=${String(port)}`, `--admin-port=${String(adminPort)}`])
  const url = `http://127.0.0.1:${String(port)}`
  await untilReady(`http://127.0.0.1:${String(adminPort)}/readyz`, child)
  const auth = { 'x-auth': '65f0c0ffee0000000000cafe' }
  const body = JSON.stringify({ id: 1, method: 'cards.create', params: { card: { number: '8600069195406311', expire: '0399' } } })
  assert.match(await (await fetch(`${url}/api`, { method: 'POST', headers: auth, body })).text(), /"token":"/)
  for (const page of [`${url}/form/reasons`, `${url.replace('127.0.0.1', 'localhost')}/dashboard`])
    assert.equal((await fetch(page)).status, 200, page)

  assert.match(inside('one', 'tessera', 'status', '--ready'), /^coreDumps +off$/m)
  assert.equal(spawnSync('podman', [...stores, 'healthcheck', 'run', 'one'], { env }).status, 0)
  const facts = `const fs = require('node:fs')
    const writable = ['/', '/tmp', '/etc', '/opt/tessera', '/usr/bin'].filter((at) => { try { fs.writeFileSync(at + '/x', ''); return true } catch { return false } })
    const status = fs.readFileSync('/proc/1/status', 'utf8')
    console.log(JSON.stringify({ uid: process.getuid(), writable, caps: /CapEff:\\s*(\\w+)/.exec(status)[1], bound: /CapBnd:\\s*(\\w+)/.exec(status)[1], nnp: /NoNewPrivs:\\s*(\\d)/.exec(status)[1] }))`
  const none = '0000000000000000'
  assert.deepEqual(JSON.parse(inside('one', 'node', '-e', facts)), { uid: userId, writable: [], caps: none, bound: none, nnp: '1' })
  assert.equal(spawnSync('podman', [...stores, 'exec', 'one', 'sh', '-c', 'true'], { env }).status, 127, 'it has no shell')
  assert.equal(statSync(join(state, 'data')).mode & 0o777, 0o700)

  run('podman', [...stores, 'stop', '--time', '25', 'one'])
  assert.equal(await ended(child), 0)
})

test('a service that is away is unhealthy, and one that takes no calls is not ready', async () => {
  // It waits for a database that nobody serves: alive, not ready.
  const options = [`--volume=${state}:/var/lib/tessera`, '--env=TESSERA_DATA=/var/lib/tessera/other']
  const child = start(
    'waiting',
    [...hardening, ...options],
    ['start', '--port=0', '--admin-port=0', '--database-wait-seconds=120', '--database-url=postgres://nobody@127.0.0.1:1/none'],
  )
  await pause(2000)
  assert.equal(spawnSync('podman', [...stores, 'healthcheck', 'run', 'waiting'], { env }).status, 1)
  assert.notEqual(spawnSync('podman', [...stores, 'exec', 'waiting', 'tessera', 'status', '--ready'], { env }).status, 0)
  run('podman', [...stores, 'kill', 'waiting'])
  await ended(child)
})

test('inside are an SBOM that names all of it, the licence of each part, and what scanners read of Debian', () => {
  const tree = join(scratch, 'tree')
  mkdirSync(tree)
  run('podman', [...stores, 'create', '--name', 'files', image])
  run('sh', ['-c', `podman ${stores.join(' ')} export files | tar -x -C ${tree}`])
  const read = (path: string): string => readFileSync(join(tree, path), 'utf8')
  const sbom = JSON.parse(read('opt/tessera/sbom.cdx.json')) as {
    bomFormat: string
    metadata: { component: { type: string } }
    components: { name: string; version: string; purl: string; licenses?: object[] }[]
  }
  assert.deepEqual([sbom.bomFormat, sbom.metadata.component.type], ['CycloneDX', 'container'])
  const listed = new Map(sbom.components.map((each) => [`${each.name}@${each.version}`, each]))
  const debian = readdirSync(join(tree, 'var/lib/dpkg/status.d'))
  for (const name of debian) {
    const version = /^Version: (.*)$/m.exec(read(`var/lib/dpkg/status.d/${name}`))?.[1] ?? ''
    assert.ok(listed.get(`${name}@${version}`)?.purl.startsWith('pkg:deb/debian/'), `${name} ${version} is in the SBOM`)
    assert.ok(read(`usr/share/doc/${name}/copyright`).length > 500, name)
  }
  assert.ok(debian.length >= 7)
  const files = readdirSync(tree, { recursive: true, encoding: 'utf8' })
  const manifests = files.filter(
    (path) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path) && !path.includes('/@tessera/server/package.json'),
  )
  for (const path of manifests) {
    const { name, version } = JSON.parse(read(path)) as { name: string; version: string }
    assert.ok(listed.has(`${name}@${version}`) || listed.has(`${name.split('/')[1] ?? ''}@${version}`), `${name}@${version} is in the SBOM`)
  }
  assert.ok(manifests.length > 40)
  assert.match(read('usr/share/doc/node/LICENSE'), /Node\.js is licensed/)
  // Nothing that runs as somebody else, and no program besides these.
  const programs = files.filter((path) => /^(?:usr\/)?s?bin\/./.test(path)).sort()
  assert.deepEqual(programs, ['usr/bin/env', 'usr/bin/node', 'usr/bin/prlimit'])
  const privileged = files.filter((path) => {
    const { mode } = statSync(join(tree, path), { throwIfNoEntry: false }) ?? { mode: 0 }
    return (mode & 0o6000) !== 0
  })
  assert.deepEqual(privileged, [])
})

test('the compose file names this image, restricts it in the same way, and sets settings that exist', () => {
  const [compose] = readYaml('compose.yaml') as [{ services: { tessera: Record<string, unknown> } }]
  const { tessera } = compose.services
  assert.equal(tessera['image'], image)
  assert.deepEqual([tessera['read_only'], tessera['cap_drop'], tessera['security_opt']], [true, ['ALL'], ['no-new-privileges:true']])
  requireSettings(Object.keys(tessera['environment'] as object))
})

interface Manifest {
  readonly kind: string
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: { readonly selector?: object; readonly template?: { readonly metadata: { labels: object }; readonly spec: PodSpec } }
}
interface PodSpec {
  readonly terminationGracePeriodSeconds: number
  readonly containers: readonly {
    env: { name: string; value: string }[]
    image: string
    startupProbe: Probe
    livenessProbe: Probe
    readinessProbe: Probe
  }[]
}
interface Probe {
  readonly exec: { readonly command: readonly string[] }
}

test('the Kubernetes example names this image, settings that exist, and probes that are commands', () => {
  const documents = readYaml('kubernetes.yaml') as Manifest[]
  assert.deepEqual(
    documents.map(({ kind }) => kind),
    ['ConfigMap', 'Deployment', 'Service', 'PodDisruptionBudget'],
  )
  const configured = JSON.parse(documents[0]?.data?.['tessera.json'] ?? '') as Record<string, unknown>
  const known = new Set(settings.map(({ name }) => name))
  assert.deepEqual(
    Object.keys(configured).filter((name) => !known.has(name)),
    [],
  )
  const template = documents[1]?.spec?.template ?? assert.fail()
  const container = template.spec.containers[0] ?? assert.fail()
  assert.equal(container.image, image)
  requireSettings(container.env.map(({ name }) => name))
  const drainSeconds = Number(settings.find(({ name }) => name === 'drainSeconds')?.default)
  assert.ok(template.spec.terminationGracePeriodSeconds > Number(configured['lameDuckSeconds']) + drainSeconds)
  for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const)
    assert.equal(container[name].exec.command[0], 'tessera', name)
})

test('its pod starts by podman in the test environment, with secrets as Kubernetes hands them out', async () => {
  const port = await findFreePort()
  const secrets = join(scratch, 'secrets')
  mkdirSync(secrets)
  const files = ['-keyout', join(secrets, 'tls.key'), '-out', join(secrets, 'tls.crt')]
  run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=tessera.internal',
    '-addext',
    'subjectAltName=DNS:tessera.internal',
    ...files,
  ])
  for (const name of ['tls.crt', 'tls.key']) {
    chownSync(join(secrets, name), 0, userId)
    chmodSync(join(secrets, name), 0o440)
  }
  const tls = { tlsCertFile: '/etc/tessera/secrets/tls.crt', tlsKeyFile: '/etc/tessera/secrets/tls.key' }
  const podState = join(scratch, 'pod-state')
  makeState(podState)
  const configFolder = join(scratch, 'pod-config')
  mkdirSync(configFolder)
  writeFileSync(join(configFolder, 'tessera.json'), JSON.stringify({ host: '127.0.0.1', port, adminPort: 0, ...tls }))
  chmodSync(configFolder, 0o755)
  // What this podman has no counterpart for is replaced by folders, the volumes; on the network of the host a pod has no ports of its own.
  const script = `import sys, yaml
docs = list(yaml.safe_load_all(open(sys.argv[1])))
pod = docs[1]["spec"]["template"]
pod.update({"apiVersion": "v1", "kind": "Pod"})
pod["metadata"]["name"] = "trial"
folders = {"config": sys.argv[2], "secrets": sys.argv[3], "data": sys.argv[4]}
for volume in pod["spec"]["volumes"]:
    name = volume["name"]
    volume.clear()
    volume.update({"name": name, "hostPath": {"path": folders[name], "type": "Directory"}})
del pod["spec"]["containers"][0]["ports"]
yaml.safe_dump(pod, sys.stdout)`
  const manifest = run('/usr/bin/python3', ['-c', script, join(packaging, 'kubernetes.yaml'), configFolder, secrets, podState])
  const path = join(scratch, 'pod.yaml')
  writeFileSync(path, manifest)
  run('podman', [...stores, 'kube', 'play', '--network=host', path])
  const name = 'trial-tessera'
  for (let attempt = 0; spawnSync('podman', [...stores, 'exec', name, 'tessera', 'status', '--ready'], { env }).status !== 0; attempt++) {
    if (attempt > 60) assert.fail(run('podman', [...stores, 'logs', name]))
    await pause(500)
  }
  const loaded = JSON.parse(inside(name, 'tessera', 'status', '--json')) as { url: string }
  assert.equal(loaded.url, `https://127.0.0.1:${String(port)}`)
  run('podman', [...stores, 'kube', 'down', path])
})

/** The settings that exist, by the names of their environment variables. */
function requireSettings(names: readonly string[]): void {
  const known = new Set<string>(settings.map(({ env: each }) => each))
  assert.deepEqual(
    names.filter((name) => !known.has(name)),
    [],
  )
  assert.ok(names.length > 0)
}

/** The documents of a YAML file of packaging/container. */
function readYaml(name: string): unknown[] {
  const script = 'import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))'
  return JSON.parse(run('/usr/bin/python3', ['-c', script, join(packaging, name)])) as unknown[]
}

/**
 * What podman asks for by itself, or what this machine allows where that is less: a container whose limits are above the hard ones of the machine does not
 * start. Podman that may not raise its own limit of processes sets it to the largest process id, and that is the hard one then.
 */
function listUlimits(): string {
  const limits = readFileSync('/proc/self/limits', 'utf8')
  const ulimit = (name: string, row: string, max: number): string => {
    const [, hard = ''] = new RegExp(`^${row} +\\S+ +(\\d+|unlimited)`, 'm').exec(limits) ?? assert.fail(`no limit of ${row}`)
    const allowed = String(hard === 'unlimited' ? max : Math.min(Number(hard), max))
    return `"${name}=${allowed}:${allowed}"`
  }
  const processIdMax = Number(readFileSync('/proc/sys/kernel/pid_max', 'utf8'))
  return [ulimit('nofile', 'Max open files', podmanLimit), ulimit('nproc', 'Max processes', Math.min(podmanLimit, processIdMax))].join(', ')
}

/** As a volume is when podman or Kubernetes makes it: the group of the image may write it. */
function makeState(folder: string): void {
  mkdirSync(folder)
  chownSync(folder, 0, userId)
  chmodSync(folder, 0o770)
}

function start(name: string, options: readonly string[], command: readonly string[]): ChildProcess & { output: () => string } {
  const child = spawn('podman', [...stores, 'run', '--name', name, '--network=host', ...options, image, ...command], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  return Object.assign(child, { output: () => output })
}

async function untilReady(url: string, child: ChildProcess & { output: () => string }): Promise<void> {
  for (let attempt = 0; attempt < 120; attempt++) {
    const status = await fetch(url).then(
      (reply) => reply.status,
      () => 0,
    )
    if (status === 200) return
    if (child.exitCode !== null) break
    await pause(500)
  }
  assert.fail(`the container did not start: ${child.output()}`)
}

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)))
}

function inside(name: string, ...command: string[]): string {
  return run('podman', [...stores, 'exec', name, ...command])
}

function run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = env): string {
  return execFileSync(program, args, { cwd: root, env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 })
}
