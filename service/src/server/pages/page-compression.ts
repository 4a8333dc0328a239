import { constants } from 'node:zlib'

// How the pages of the form are compressed. The tests of their sizes, and bench/form.ts, compress with the same options.

/** A small memLevel gives texts and script separate Huffman codes: 0.5 % smaller than zlib's default. */
export const gzipOptions = { level: 9, memLevel: 6 } as const

/** About 1 ms, like quality 6, and 2 % smaller for the Russian document. With a window above 64 kB, quality 9 takes 15 ms; 10 and 11 take 13 ms and more. */
export const brotliOptions = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 9,
    [constants.BROTLI_PARAM_LGWIN]: 16,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  },
}
