/** A string of a script, with the place where it starts. Template literals have a blank in place of each `${…}`. */
export interface ScriptLiteral {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Lists the strings and template literals of a script. Comments and regular expressions are skipped. */
export function listLiterals(code: string): ScriptLiteral[] {
  const literals: ScriptLiteral[] = []
  let lastToken = ''
  for (let index = 0; index < code.length && literals.length < maxLiterals; index += 1) {
    const char = code[index] ?? ''
    if (char === '/' && code[index + 1] === '/') index = endOf(code, '\n', index)
    else if (char === '/' && code[index + 1] === '*') index = endOf(code, '*/', index + 2) + 1
    else if (char === '/' && (lastToken === '' || '=(,:;!&|?{}[\n>'.includes(lastToken))) index = endOfRegExp(code, index)
    else if (char === "'" || char === '"' || char === '`') {
      const literal = readLiteral(code, index)
      literals.push(literal)
      index = literal.end - 1
      lastToken = char
    } else if (!/\s/.test(char)) lastToken = char
  }
  return literals
}

function readLiteral(code: string, start: number): ScriptLiteral {
  const quote = code[start] ?? ''
  let text = ''
  let index = start + 1
  while (index < code.length && code[index] !== quote) {
    if (code[index] === '\n' && quote !== '`') break
    if (code[index] === '\\') {
      const [escape, value] = readEscape(code, index)
      text += value
      index += escape
    } else if (quote === '`' && code.startsWith('${', index)) {
      text += ' '
      index = endOfExpression(code, index + 2)
    } else {
      text += code[index] ?? ''
      index += 1
    }
  }
  return { text, start, end: index + 1 }
}

/** The length of an escape in the code, and what it stands for. */
function readEscape(code: string, index: number): [length: number, value: string] {
  const [whole, hex, braced] = /^\\(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x[0-9a-f]{2}|\r\n|[^])/i.exec(code.slice(index, index + 12)) ?? [
    '\\',
  ]
  const point = parseInt(hex ?? braced ?? (whole.startsWith('\\x') ? whole.slice(2) : ''), 16)
  if (point >= 0 && point <= 0x10ffff) return [whole.length, String.fromCodePoint(point)]
  return [whole.length, { n: '\n', t: '\t', r: '', '\n': '', '\r\n': '' }[whole.slice(1)] ?? whole.slice(1)]
}

function endOfExpression(code: string, start: number): number {
  let depth = 1
  for (let index = start; index < code.length; index += 1) {
    if (code[index] === '{') depth += 1
    else if (code[index] === '}' && --depth === 0) return index + 1
  }
  return code.length
}

function endOfRegExp(code: string, start: number): number {
  let isClass = false
  for (let index = start + 1; index < code.length && code[index] !== '\n'; index += 1) {
    if (code[index] === '\\') index += 1
    else if (code[index] === '[') isClass = true
    else if (code[index] === ']') isClass = false
    else if (code[index] === '/' && !isClass) return index
  }
  return start
}

function endOf(code: string, mark: string, start: number): number {
  const found = code.indexOf(mark, start)
  return found < 0 ? code.length : found
}

const maxLiterals = 20_000
