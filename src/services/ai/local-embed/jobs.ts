// What the worker thread is asked, and what it answers. Buffers are transferred, not copied.

/** Tokens of several texts, one after the other, and how many each text has. */
export type Tokens = { ids: Int32Array<ArrayBuffer>; lengths: Uint32Array<ArrayBuffer> }

export type TokenizeJob = { kind: 'tokenize'; texts: string[] }
export type EmbedJob = { kind: 'embed' } & Tokens
export type Job = TokenizeJob | EmbedJob

/** The vectors, one after the other. */
export type Vectors = { vectors: Float32Array<ArrayBuffer> }

export type Answer = { result: Tokens | Vectors } | { failure: unknown }
