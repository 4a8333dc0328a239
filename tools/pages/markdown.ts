/** A table; cells may hold anything, line breaks and bars included. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')
}

/** A block of code. */
export function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}

/** Blocks with a blank line between them, paragraphs wrapped, and one newline at the end. */
export function page(...blocks: readonly string[]): string {
  return (
    blocks
      .filter((block) => block !== '')
      .flatMap((block) => block.split(/\n\n(?![^]*```)/))
      .map((block) => (isParagraph(block) ? wrap(block) : block))
      .join('\n\n') + '\n'
  )
}

/** Whether a block is plain text: no heading, table, list, code, picture, comment or anchor. */
function isParagraph(block: string): boolean {
  return !/^(#|\||- |1\. |```|!\[|<)/.test(block) && !block.includes('```')
}

function wrap(text: string): string {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > lineLength) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join('\n')
}

const lineLength = 110

/** Printed on every page, so that the code is edited and not the page. */
export function printedFrom(path: string): string {
  return `<!-- Printed from ${path} by \`npm run docs\`. -->`
}
