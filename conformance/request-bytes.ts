import { fill, type Known } from './template.ts'
import type { Piece, VectorRequest } from './vector.ts'

/**
 * The bytes of a request. To a `call` it adds what the vector does not say: Host, `Connection: close`, and Content-Length where there is a
 * body or the method is POST; `root` stands before its path. A `raw` request goes as it is.
 */
export function requestBytes(request: VectorRequest, root: string, known: Known): Buffer {
  if (request.kind === 'raw') return joinPieces(request.raw, known)
  const body = joinPieces(request.body ?? [], known)
  const headers = request.headers.map((header) => fill(header, known))
  const isPost = request.line.startsWith('POST ')
  const added = [
    `Host: ${known.given.host ?? ''}`,
    'Connection: close',
    ...(isPost || request.body !== null ? [`Content-Length: ${body.length}`] : []),
  ].filter((header) => !headers.some((given) => nameOf(given) === nameOf(header)))
  const head = [`${fill(withRoot(request.line, root), known)} HTTP/1.1`, ...added, ...headers, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), body])
}

function joinPieces(pieces: readonly Piece[], known: Known): Buffer {
  return Buffer.concat(pieces.map((piece) => pieceBytes(piece, known)))
}

function pieceBytes(piece: Piece, known: Known): Buffer {
  if (typeof piece === 'string') return Buffer.from(fill(piece, known))
  if ('base64' in piece) return Buffer.from(piece.base64, 'base64')
  return Buffer.from(piece.repeat.repeat(piece.times))
}

function withRoot(line: string, root: string): string {
  return line.replace(' /', ` ${root}/`)
}

function nameOf(header: string): string {
  return header.slice(0, header.indexOf(':')).toLowerCase()
}
