// Operations under /v1/iam/signing-keys: the keys that tokens are signed with.
import { Type } from 'typebox'
import { DEFAULT_BRAND } from '../../kit/brand.ts'
import { timestamp } from '../../kit/fields.ts'
import { Brand, requireBrand } from './apps.ts'
import { rotateKeys } from './sign-in/signing-keys.ts'
import { operation } from './state.ts'

export const rotateSigningKeys = operation({
  route: 'POST /v1/iam/signing-keys',
  summary: 'Publishes new signing keys, which sign after an hour; the old ones stay published until their tokens ended',
  access: 'superadmin',
  issuesCredential: true,
  input: { brand: Type.Optional(Brand) },
  output: Type.Object({
    signsFrom: timestamp('When the new ones begin to sign'),
    retires: timestamp('When the old ones are no longer published'),
  }),
  status: 201,
  audit: 'signing-keys.rotate',
  run: async ({ db: reads, clock, random, seal, write }, { brand = DEFAULT_BRAND }) => {
    await requireBrand(reads, brand)
    return write(async ({ db, record }) => {
      record(brand)
      return rotateKeys({ db, clock, random, seal }, brand)
    })
  },
})
