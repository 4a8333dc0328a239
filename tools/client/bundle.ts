import { build, type Format } from 'esbuild-wasm'

/** The server-side library in one file, without its types. `node20` is the oldest Node that it supports. */
export async function bundleClient(entry: string, format: Format): Promise<string> {
  const built = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format,
    charset: 'utf8',
  })
  return built.outputFiles[0]?.text ?? ''
}
