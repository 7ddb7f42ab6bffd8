// Finds where the JSON text of an object ends, however the text is cut into pieces.

export type ObjectEnd = { read(text: string): void; complete(): boolean }

/** Counts brackets outside strings, which is enough for text that is valid JSON. */
export function createObjectEnd(): ObjectEnd {
  let depth = 0
  let inString = false
  let escaped = false
  let complete = false

  function readCharacter(character: string): void {
    if (escaped) escaped = false
    else if (inString) {
      if (character === '\\') escaped = true
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') {
      depth--
      complete = depth <= 0
    }
  }

  return {
    read(text) {
      for (let i = 0; i < text.length; i++) readCharacter(text[i] as string)
    },
    complete: () => complete,
  }
}
