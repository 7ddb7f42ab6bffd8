/** A row of a Markdown table. An unescaped `|` would end the cell. */
export const row = (cells: string[]): string => `| ${cells.map(text => text.replaceAll('|', '\\|')).join(' | ')} |`
