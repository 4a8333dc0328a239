import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Row } from '../statement.ts'
import { testAuditKey } from '../suite/audit-key.fixture.ts'
import type { StoreUnderTest } from '../suite/opened.fixture.ts'
import { openSqliteStore, SQLITE_FILE } from './sqlite.ts'

let migrated: Buffer | null = null

/** A new database with all migrations, made once in a process: they take a quarter of a second each time. */
async function readMigrated(): Promise<Buffer> {
  if (migrated !== null) return migrated
  await withFolder(async (folder) => {
    const store = await openSqliteStore({ folder, exit: () => undefined })
    await store.close(5000)
    migrated = readFileSync(join(folder, SQLITE_FILE))
  })
  return migrated ?? Buffer.alloc(0)
}

/** Runs a test on an embedded store in a folder of its own, which is removed afterwards. */
export function withSqlite(test: (opened: StoreUnderTest & { readonly folder: string }) => Promise<void>): () => Promise<void> {
  return () =>
    withFolder(async (folder) => {
      const open = async (): ReturnType<typeof openSqliteStore> => {
        const opened = await openSqliteStore({
          folder,
          exit: (cause) => {
            throw cause
          },
        })
        opened.setAuditKey(testAuditKey)
        return opened
      }
      writeFileSync(join(folder, SQLITE_FILE), await readMigrated(), { mode: 0o600 })
      let store = await open()
      const raw = async (text: string): Promise<readonly Row[]> => queryRaw(folder, text)
      const reopen = async (): ReturnType<typeof openSqliteStore> => {
        await store.close(5000)
        return (store = await open())
      }
      try {
        await test({ store, raw, reopen, folder })
      } finally {
        await store.close(5000)
      }
    })
}

export async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-store-'))
  try {
    await test(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function queryRaw(folder: string, text: string): readonly Row[] {
  const db = new DatabaseSync(join(folder, SQLITE_FILE))
  try {
    return db.prepare(text).all() as Row[]
  } finally {
    db.close()
  }
}
