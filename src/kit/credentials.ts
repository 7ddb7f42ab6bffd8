import type { Caller } from './caller.ts'

/** Turns the text of a credential into the caller it stands for, or raises the fault that says why not. Answers at
 *  once when it knows the credential already: that is the path of nearly every request. */
export interface Credentials {
  secretKey(text: string): Caller | Promise<Caller>
}
