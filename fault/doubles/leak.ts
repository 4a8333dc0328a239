import { openSync } from 'node:fs'

// Preloaded: a service that leaks memory and descriptors, ten times a second.

const leaked: unknown[] = []
setInterval(() => leaked.push(Buffer.alloc(512 * 1024, 1), openSync('/dev/null', 'r')), 100).unref()
