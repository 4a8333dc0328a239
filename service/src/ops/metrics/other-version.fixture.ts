import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

// Loaded into a service: it says that it is of another version.

const { readFileSync } = fs
fs.readFileSync = ((...args: Parameters<typeof readFileSync>) => {
  const [path] = args
  if (path instanceof URL && path.href.endsWith('/service/package.json')) return '{"version":"0.0.9"}'
  return readFileSync(...args)
}) as typeof readFileSync
syncBuiltinESMExports()
