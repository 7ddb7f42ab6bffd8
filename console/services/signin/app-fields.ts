// The fields of an app, for its two forms.
import type { App } from '../../../client/stoa.js'
import type { Me } from '../../api.ts'
import type { FormField } from '../../parts/form.tsx'
import { colorControl, logoControl } from './look-fields.tsx'
import { PEOPLE_CHOICES, SIGN_UP_CHOICES, TYPE_CHOICES } from './words.ts'

const NAME: FormField = { path: 'name', label: 'Name', help: 'People see it when they sign in.' }
const URIS: FormField[] = [
  {
    path: 'redirectUris',
    label: 'Redirect URIs',
    help: 'Where people return to after signing in, such as https://shop.example.com/auth/callback. Compared exactly.',
  },
  { path: 'logoutUris', label: 'Sign-out URIs', help: 'Where people return to after signing out. Compared exactly.' },
]

/** `people` of the form, or of the app that is edited. */
type Values = { people?: App['people']; signUp?: App['signUp'] }
const isForCustomers = (values: Values) => values.people === 'users'
const mayRegister = (values: Values) => isForCustomers(values) && values.signUp !== 'closed'

const forCustomers = (people?: App['people']): FormField[] => {
  const when = (test: (values: Values) => boolean) => ({
    when: (values: Record<string, unknown>) => test({ ...values, ...(people && { people }) }),
  })
  return [
    {
      path: 'signUp',
      label: 'Who may register',
      help: 'It can be changed later.',
      choices: SIGN_UP_CHOICES,
      ...when(isForCustomers),
    },
    {
      path: 'signUpDomains',
      label: 'Domains',
      help: 'Only addresses at these domains may register. All may if it is empty.',
      ...when(mayRegister),
    },
    {
      path: 'refuseDisposable',
      label: 'Reject disposable addresses',
      help: 'Registrations from known providers of them, by the risk data',
      ...when(mayRegister),
    },
    {
      path: 'logo',
      label: 'Logo',
      help: 'Instead of the organisation’s: PNG, JPEG, WebP or SVG, at most 32 KiB',
      control: logoControl,
      ...when(isForCustomers),
    },
    {
      path: 'color',
      label: 'Colour',
      help: 'Of buttons and links, instead of the organisation’s',
      control: colorControl,
      ...when(isForCustomers),
    },
  ]
}

const trusted = ({ role }: Me, people?: App['people']): FormField[] =>
  role !== 'owner' || people === 'users'
    ? []
    : [
        {
          path: 'trusted',
          label: 'Trusted',
          help: 'Its tokens have the full role of the person. They must stay on the server.',
          when: (values: Values) => (people ?? values.people) === 'team',
        },
      ]

export const createFields = (me: Me): FormField[] => [
  NAME,
  {
    path: 'app',
    label: 'Short name',
    slugOf: 'name',
    help: `Lower-case letters and digits. The client id begins with ${me.org}- and cannot be changed.`,
  },
  { path: 'people', label: 'Who signs in', help: 'It cannot be changed later.', choices: PEOPLE_CHOICES },
  { path: 'type', label: 'Runs as', help: 'It cannot be changed later.', choices: TYPE_CHOICES },
  ...URIS,
  ...forCustomers(),
  ...trusted(me),
]

export const editFields = (me: Me, { people }: App): FormField[] => [
  NAME,
  ...URIS,
  ...forCustomers(people),
  { path: 'audience', label: 'Audience', help: 'An API of your own that its access tokens are for: https URL or URN' },
  { path: 'claims', label: 'Claims', help: 'More facts in its tokens: role, metadata.plan' },
  ...trusted(me, people),
]

/** What a field that was emptied is set to. */
const EMPTY: Record<string, unknown> = {
  logoutUris: [],
  signUpDomains: [],
  refuseDisposable: false,
  logo: null,
  color: null,
  audience: null,
  claims: [],
  trusted: false,
}

export function withEmptied(fields: FormField[], input: Record<string, unknown>): Record<string, unknown> {
  const emptied = fields.filter(({ path }) => path in EMPTY && !(path in input))
  return { ...Object.fromEntries(emptied.map(({ path }) => [path, EMPTY[path]])), ...input }
}
