// Operations under /v1/o11y/mail: mail that was written to files, because no mail server is set.
import { Type } from 'typebox'
import { Fault } from '../../kit/fault.ts'
import { boolean, secret, string, timestamp } from '../../kit/fields.ts'
import { operation } from '../../kit/operation.ts'
import { listing, page, paging } from '../../kit/page.ts'

/** Each mail of a page is a file that is opened. */
const LIMIT_MAX = 50

const MailId = string('The id of a kept mail, which begins with its time', '2026-11-15T093000.000Z-Y6cVtIpZ', {
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{6}\\.[0-9]{3}Z-[0-9A-Za-z]{8}$',
})

const KeptMail = Type.Object(
  {
    id: MailId,
    at: timestamp('When it was written'),
    to: string('The recipient', 'ada@example.com'),
  },
  { title: 'KeptMail', description: 'A mail that was written to a file' },
)

export const listKeptMail = operation({
  route: 'GET /v1/o11y/mail',
  summary: 'Lists the mail that was written to files because no mail server is set, newest first',
  description: `Without \`STOA_SMTP_URL\`, mail is kept in the data directory of the process that wrote it. Subjects are not listed, because they may have codes for signing in. At most ${LIMIT_MAX} are returned at once.`,
  access: 'superadmin',
  input: paging,
  output: Type.Object({
    kept: boolean('Whether mail is kept; false if a mail server is set, and mail is sent', true),
    ...listing(KeptMail).properties,
  }),
  run: async ({ mail: { kept } }, query) => {
    const select = async (last: string, count: number) => kept?.list(last, count) ?? []
    return { kept: kept !== null, ...(await page(query, select, 'id', LIMIT_MAX)) }
  },
})

export const getKeptMail = operation({
  route: 'GET /v1/o11y/mail/{id}',
  summary: 'Returns a mail that was written to a file',
  description:
    'Its links and codes may sign somebody in, reset a password or accept an invitation, so reading it leaves an entry in the audit trail.',
  access: 'superadmin',
  issuesCredential: true,
  input: { id: MailId },
  output: Type.Object(
    {
      ...KeptMail.properties,
      from: string('The sender', 'Stoa <stoa@localhost>'),
      subject: secret('The subject, which may have a code', '123456 is your code (Home)'),
      text: secret('The text, cut at 64 KiB', 'Reset your password: https://…'),
    },
    { title: 'KeptMailText', description: 'A mail that was written to a file, with its text' },
  ),
  audit: 'mail.read',
  faults: ['not_found'],
  run: async ({ mail, write }, { id }) => {
    const found = (await mail.kept?.read(id)) ?? null
    if (found === null) {
      throw new Fault('not_found', { message: 'There is no kept mail with this id; GET /v1/o11y/mail lists them.' })
    }
    await write(async ({ record }) => record(id, { recipient: { to: found.to } }))
    return found
  },
})
