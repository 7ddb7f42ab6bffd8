// Operations under /v1/iam/me/password.
import { verify } from '@node-rs/argon2'
import { Type } from 'typebox'
import { nothing } from '../../kit/answer.ts'
import { invalidInput } from '../../kit/check.ts'
import { Fault } from '../../kit/fault.ts'
import { Password } from './fields.ts'
import { endSignInsOf } from './oidc/store.ts'
import { digestOf } from './people.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

/** So many tries in so long: who has a key or a token of somebody must not be able to guess their password with it. */
const TRIES_MAX = 10
const WINDOW_MS = 15 * 60_000

export const changePassword = operation({
  route: 'POST /v1/iam/me/password',
  summary: "Changes the caller's password, and ends everything they are signed in to but for this sign-in",
  access: 'bearer',
  issuesCredential: true,
  input: { current: Type.String({ maxLength: 256, examples: ['the old password'] }), password: Password },
  output: nothing,
  audit: 'password.change',
  faults: ['too_many_tries'],
  run: async ({ db: reads, caller, clock, write }, { current, password }) => {
    const now = clock.now().getTime()
    const since = new Date(now - WINDOW_MS).toISOString()
    // Counted by itself: a try counts whatever comes of it.
    const tries = await write(({ db }) => store.countTry(db, caller.user, new Date(now).toISOString(), since))
    if (tries > TRIES_MAX) {
      const message = 'The current password was wrong too often. Wait a quarter of an hour and try again.'
      throw new Fault('too_many_tries', { message, retryAfterS: WINDOW_MS / 1000 })
    }
    const account = await store.selectAccount(reads, caller.email)
    const proved = account?.password
    if (!proved || !(await verify(proved, current.normalize('NFKC')))) throw notYours()
    const digest = await digestOf(password)
    await write(async ({ db, record }) => {
      // Whoever has chosen another one meanwhile, by a mailed link or beside this call, keeps it.
      if (!(await store.updatePassword(db, caller.user, proved, digest))) throw notYours()
      await endSignInsOf(db, caller.user, caller.credential.signIn)
      record('password')
    })
  },
})

const notYours = () => invalidInput([{ path: 'current', says: 'is not your password' }])
