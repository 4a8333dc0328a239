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

/** Blocks with a blank line between them, and one newline at the end. */
export function page(...blocks: readonly string[]): string {
  return blocks.filter((block) => block !== '').join('\n\n') + '\n'
}

/** On every printed page, so that nobody edits the page instead of the code. */
export function printedFrom(path: string): string {
  return `<!-- Printed from ${path} by \`npm run docs\`. -->`
}
