import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Row } from '../statement.ts'
import { testAuditKey } from '../suite/audit-key.fixture.ts'
import type { StoreUnderTest } from '../suite/opened.fixture.ts'
import type { Store } from '../store.ts'
import { writeMigratedDatabase } from './migrated-database.fixture.ts'
import { openSharedSqliteStore, openSqliteStore, SQLITE_FILE } from './sqlite.ts'

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
      writeMigratedDatabase(folder)
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

/** The same on the store of another thread of the process, which writes through the thread of the first. */
export function withSharedSqlite(test: (opened: StoreUnderTest) => Promise<void>): () => Promise<void> {
  return withSqlite(async ({ store, raw, reopen }) => {
    let shared = shareStore(store)
    const reopenBoth = async (): Promise<Store> => {
      await shared.close(5000)
      return (shared = shareStore(await reopen()))
    }
    try {
      // Commits are counted by the thread that opened the store.
      await test({ store: { ...shared, commitCount: () => store.commitCount() }, raw, reopen: reopenBoth })
    } finally {
      await shared.close(5000)
    }
  })
}

/** What another thread of the process has of a store, here in the same thread. */
export function shareStore(store: Store): Store {
  const { file, openWriterPort } = store
  if (file === null || openWriterPort === undefined) throw new Error('not the store that the first thread opened')
  return openSharedSqliteStore({
    path: file,
    writerPort: openWriterPort(),
    exit: (cause) => {
      throw cause
    },
    tryLock: (name) => store.tryLock(name),
    isLocked: (name) => store.isLocked(name),
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
  // The thread of the store may commit at the same time.
  const db = new DatabaseSync(join(folder, SQLITE_FILE), { timeout: 5000 })
  try {
    return db.prepare(text).all() as Row[]
  } finally {
    db.close()
  }
}
