// An organisation's branding of the pages and mails for its customers: /v1/iam/settings.
import { orNone } from '../../kit/fields.ts'
import { declareOrgSettings } from '../../kit/org-settings/declare.ts'
import { color, logo, requireImage } from './branding.ts'

export const iamSettings = declareOrgSettings({
  service: 'iam',
  what: 'the branding of the pages and mails for customers',
  fields: {
    logo: { schema: orNone(logo('none')), default: null },
    color: { schema: orNone(color('the default')), default: null },
  },
  prepare: change => {
    requireImage(change.logo)
    return change
  },
})
