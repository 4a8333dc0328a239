import { fillTemplate, type TemplateValues } from './template.ts'
import type { Piece, VectorRequest } from './vector.ts'

/**
 * The bytes of a request. A `call` gets the headers that the vector leaves out: Host, `Connection: close`, and Content-Length where there is a
 * body or the method is POST; `root` is put before its path. A `raw` request is sent as it is.
 */
export function requestBytes(request: VectorRequest, root: string, values: TemplateValues): Buffer {
  if (request.kind === 'raw') return joinPieces(request.raw, values)
  const body = joinPieces(request.body ?? [], values)
  const headers = request.headers.map((header) => fillTemplate(header, values))
  const isPost = request.line.startsWith('POST ')
  const added = [
    `Host: ${values.given.host ?? ''}`,
    'Connection: close',
    ...(isPost || request.body !== null ? [`Content-Length: ${body.length}`] : []),
  ].filter((header) => !headers.some((given) => nameOf(given) === nameOf(header)))
  const head = [`${fillTemplate(withRoot(request.line, root), values)} HTTP/1.1`, ...added, ...headers, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), body])
}

function joinPieces(pieces: readonly Piece[], values: TemplateValues): Buffer {
  return Buffer.concat(pieces.map((piece) => pieceBytes(piece, values)))
}

function pieceBytes(piece: Piece, values: TemplateValues): Buffer {
  if (typeof piece === 'string') return Buffer.from(fillTemplate(piece, values))
  if ('base64' in piece) return Buffer.from(piece.base64, 'base64')
  return Buffer.from(piece.repeat.repeat(piece.times))
}

function withRoot(line: string, root: string): string {
  return line.replace(' /', ` ${root}/`)
}

function nameOf(header: string): string {
  return header.slice(0, header.indexOf(':')).toLowerCase()
}
