// Runs several test files in one process, one after the other: `node tools/test-batch.ts <path> …`. Each is a test with its path as the title.
import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'

for (const path of process.argv.slice(2)) {
  // A suite runs its tests once the whole file is evaluated, as Node does with a file of its own. The test around it begins when the file before it
  // has ended, its hooks included, and waits for the suite.
  void test(path, () => {
    void describe(path, async () => {
      await import(pathToFileURL(resolve(path)).href)
    })
  })
}
