import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { isCredential, isPrivateFile, isPrivateTo } from './private-file.ts'

const passwd = `root:x:0:0:root:/root:/bin/sh
www-data:x:33:33::/var/www:/usr/sbin/nologin
tessera:x:10001:10001:Tessera:/var/lib/tessera:/nonexistent
`
const group = `root:x:0:
www-data:x:33:
users:x:100:
tessera:x:10001:
`
const service = { uid: 10001, gid: 10001, passwd, group }
const secret = { mode: 0o440, uid: 0, gid: 10001 }

test('a file that only its owner may read is private, and one that the group or others may read is not', () => {
  for (const mode of [0o600, 0o400, 0o700]) assert.ok(isPrivateTo({ mode, uid: 10001, gid: 10001 }, service))
  for (const mode of [0o640, 0o440, 0o604, 0o660, 0o644])
    assert.ok(!isPrivateTo({ mode, uid: 10001, gid: 10001 }, service), mode.toString(8))
})

test("of root's files the service's own group may read one, and nobody write it", () => {
  assert.ok(isPrivateTo(secret, service))
  assert.ok(isPrivateTo({ ...secret, mode: 0o640 }, service))
  for (const mode of [0o660, 0o644, 0o444, 0o450, 0o442, 0o441, 0o420])
    assert.ok(!isPrivateTo({ ...secret, mode }, service), mode.toString(8))
  assert.ok(!isPrivateTo({ ...secret, uid: 33 }, service), 'a file of another user')
  assert.ok(!isPrivateTo({ ...secret, gid: 33 }, service), 'another group')
  assert.ok(!isPrivateTo({ ...secret, gid: 0 }, { ...service, uid: 0, gid: 0 }), 'a service of root')
})

test('a group with another user is not the own one of the service', () => {
  const inUsers = { ...secret, gid: 100 }
  const people = `${passwd}alice:x:1000:1000::/home/alice:/bin/sh\n`
  assert.ok(isPrivateTo(inUsers, { ...service, gid: 100 }), 'the control: nobody else')
  assert.ok(
    !isPrivateTo(inUsers, { ...service, gid: 100, passwd: `${passwd}bob:x:1001:100::/home/bob:/bin/sh\n` }),
    'the primary group of bob',
  )
  const withMembers = (members: string): string => group.replace('tessera:x:10001:', `tessera:x:10001:${members}`)
  assert.ok(!isPrivateTo(secret, { ...service, passwd: people, group: withMembers('alice') }))
  assert.ok(!isPrivateTo(secret, { ...service, group: withMembers('root,tessera,somebody-of-a-directory') }))
  assert.ok(isPrivateTo(secret, { ...service, group: withMembers('root,tessera') }))
})

test('without the files of users there is nobody else, as in an image of the service alone', () => {
  assert.ok(isPrivateTo(secret, { ...service, passwd: '', group: '' }))
})

test('a credential of systemd may be readable by the mask of its ACL, and by nothing else', () => {
  const folder = { mode: 0o40550, uid: 0, gid: 0 }
  const file = { mode: 0o100440, uid: 0, gid: 0 }
  assert.ok(isCredential(folder, file))
  assert.ok(isCredential({ ...folder, mode: 0o40500 }, { ...file, mode: 0o100400 }), 'before version 254')
  for (const mode of [0o100444, 0o100460]) assert.ok(!isCredential(folder, { ...file, mode }), mode.toString(8))
  for (const mode of [0o40555, 0o40570]) assert.ok(!isCredential({ ...folder, mode }, file), mode.toString(8))
  for (const other of [{ uid: 1234 }, { gid: 1234 }]) {
    assert.ok(!isCredential(folder, { ...file, ...other }), 'a file of another user')
    assert.ok(!isCredential({ ...folder, ...other }, file), 'a folder of another user')
  }
})

test('a file is looked at with the users of this machine', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-private-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'secret')
  writeFileSync(path, 'x', { mode: 0o600 })
  assert.ok(isPrivateFile(path))
  chmodSync(path, 0o640)
  chownSync(path, process.getuid?.() ?? 0, process.getgid?.() ?? 0)
  assert.ok(!isPrivateFile(path))
})
