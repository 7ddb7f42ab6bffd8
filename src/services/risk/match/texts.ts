// Many texts packed into one byte array. It needs a fraction of the memory of strings and can be transferred between
// threads.

export type Texts = {
  /** The UTF-8 of text i is between `offsets[i]` and `offsets[i + 1]`. */
  bytes: Uint8Array<ArrayBuffer>
  offsets: Uint32Array<ArrayBuffer>
}

export function packTexts(texts: readonly string[]): Texts {
  const offsets = new Uint32Array(texts.length + 1)
  let end = 0
  for (let index = 0; index < texts.length; index++) {
    end += Buffer.byteLength(texts[index]!)
    offsets[index + 1] = end
  }
  const bytes = new Uint8Array(end)
  const target = Buffer.from(bytes.buffer)
  for (let index = 0; index < texts.length; index++) target.write(texts[index]!, offsets[index]!)
  return { bytes, offsets }
}

export function openTexts({ bytes, offsets }: Texts): (index: number) => string {
  const source = Buffer.from(bytes.buffer)
  return index => source.toString('utf8', offsets[index], offsets[index + 1])
}
