// Operations under /v1/iam/me/password.
import { verify } from '@node-rs/argon2'
import { Type } from 'typebox'
import { invalidInput } from '../../kit/check.ts'
import { Fault } from '../../kit/fault.ts'
import { nothing, operation } from '../../kit/operation.ts'
import { deleteSignInsOf } from '../account/public.ts'
import { Password } from './fields.ts'
import { digestOf } from './people.ts'
import * as store from './store.ts'

/** So many tries in so long: who has a key or a token of somebody must not be able to guess their password with it. */
const TRIES_MAX = 10
const WINDOW_MS = 15 * 60_000

export const changePassword = operation({
  route: 'POST /v1/iam/me/password',
  summary: "Changes the caller's password, and ends everything they are signed in to but for this sign-in",
  access: 'bearer',
  mints: true,
  input: { current: Type.String({ maxLength: 256, examples: ['the old password'] }), password: Password },
  output: nothing,
  audit: { what: 'password.change', on: () => 'password' },
  faults: ['too_many_tries'],
  prepare: async ({ db, caller, clock }, { current, password }) => {
    const now = clock.now().getTime()
    const since = new Date(now - WINDOW_MS).toISOString()
    if ((await store.countTry(db, caller.user, new Date(now).toISOString(), since)) > TRIES_MAX) {
      const message = 'The current password was wrong too often. Wait a quarter of an hour and try again.'
      throw new Fault('too_many_tries', { message, retryAfterS: WINDOW_MS / 1000 })
    }
    const account = await store.selectAccount(db, caller.email)
    const right = !!account?.password && (await verify(account.password, current.normalize('NFKC')))
    if (!right) throw invalidInput([{ path: 'current', says: 'is not your password' }])
    return digestOf(password)
  },
  run: async ({ db, caller }, _input, digest) => {
    await store.updatePassword(db, caller.user, digest)
    await deleteSignInsOf(db, caller.user, caller.credential.digest)
  },
})
