/** Whether PostgreSQL can store the text as it is. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
