// Operations under /v1/iam/signing-keys: the keys that sign tokens.
import { Type } from 'typebox'
import { timestamp } from '../../../kit/fields.ts'
import { DEFAULT_BRAND } from '../../../kit/host/brand.ts'
import { Brand, requireBrand } from '../apps/apps.ts'
import { signingKeysRotated } from '../events.ts'
import { operation } from '../state.ts'
import { rotateKeys } from './keys.ts'

export const rotateSigningKeys = operation({
  route: 'POST /v1/iam/signing-keys',
  summary:
    'Publishes new signing keys, which sign after an hour; old keys stay published until their tokens have expired',
  description: 'Clients that read the published keys need no change. Nobody is signed out.',
  access: 'superadmin',
  issuesCredential: true,
  input: { brand: Type.Optional(Brand) },
  output: Type.Object({
    signsFrom: timestamp('When the new keys begin to sign'),
    retires: timestamp('When the old keys are no longer published'),
  }),
  status: 201,
  audit: 'signing-keys.rotate',
  emits: signingKeysRotated,
  run: async ({ db: reads, clock, random, seal, write }, { brand = DEFAULT_BRAND }) => {
    await requireBrand(reads, brand)
    return write(async ({ db, record, emit }) => {
      const { signsFrom, retires } = await rotateKeys({ db, clock, random, seal }, brand)
      record(brand, { signsFrom: { to: signsFrom }, retires: { to: retires } })
      emit('iam.signing_keys.rotated', { brand, signsFrom, retires })
      return { signsFrom, retires }
    })
  },
})
