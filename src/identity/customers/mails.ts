// The mails to customers: text and HTML with the same wording, in the organisation's name and colour.
import type { CustomerMails } from '../../kit/host/sign-in.ts'
import type { CodeMail, Purpose } from '../../services/iam/public.ts'
import { escaped } from '../pages.ts'
import type { Look } from './look.ts'
import type { Texts } from './texts.ts'

export type CustomerMail = { to: string; subject: string; text: string; html: string }

export function codeMail(to: string, purpose: Purpose, mail: CodeMail, look: Look, texts: Texts): CustomerMail {
  const { code: own, exists, ignore } = texts.mail
  const isReset = purpose === 'reset'
  switch (mail.kind) {
    case 'code':
      return written(
        to,
        own.subject(mail.code),
        [(isReset ? own.resetSays : own.says)(look.name), { code: mail.code }, own.valid, ignore],
        look,
      )
    case 'exists':
      return written(to, exists.subject, [exists.says(look.name), { code: mail.code }, own.valid, ignore], look)
    default: {
      const { subject, says, registerSays } = texts.mail[mail.kind]
      return written(to, subject, [(purpose === 'register' ? registerSays : says)(look.name), ignore], look)
    }
  }
}

/** The notices about a customer's account. */
export function accountMails(look: Look, texts: Texts): CustomerMails {
  const { address, taken, changed, moved, ignore } = texts.mail
  const mail = (to: string, subject: string, parts: readonly Part[]) => ({
    ...written(to, subject, parts, look),
    fromName: look.name,
  })
  return {
    confirm: (to, link) => mail(to, address.subject, [address.says(look.name), address.open, { link }, ignore]),
    taken: to => mail(to, taken.subject, [taken.says(look.name), ignore]),
    moved: (from, to) => mail(from, moved.subject, [moved.says(look.name, to), moved.alarm(look.name)]),
    changed: to => mail(to, changed.subject, [changed.says(look.name), changed.alarm]),
  }
}

type Part = string | { code: string } | { link: string }

function textOf(part: Part): string {
  if (typeof part === 'string') return part
  return 'code' in part ? `    ${part.code}` : part.link
}

function htmlOf(part: Part, { color }: Look): string {
  if (typeof part === 'string') return `<p style="margin:0 0 16px">${escaped(part)}</p>`
  return 'code' in part
    ? `<p style="margin:0 0 16px;font:700 28px/1.2 ui-monospace,monospace;letter-spacing:4px">${escaped(part.code)}</p>`
    : `<p style="margin:0 0 16px;overflow-wrap:anywhere"><a href="${escaped(part.link)}" style="color:${color}">${escaped(part.link)}</a></p>`
}

function written(to: string, subject: string, parts: readonly Part[], look: Look): CustomerMail {
  const text = parts.map(textOf).join('\n\n')
  const html = parts.map(part => htmlOf(part, look))
  return { to, subject: `${subject} (${look.name})`, text: `${text}\n`, html: frame(look, subject, html.join('\n')) }
}

/** Mail programs barely support style sheets, so each element has its own style. */
const frame = (look: Look, title: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title></head><body style="margin:0;padding:24px;background:#fbfaf8;color:#1b1b1f;font:16px/1.5 system-ui,sans-serif"><div style="max-width:480px;margin:0 auto;background:#ffffff;border-top:4px solid ${look.color};padding:24px"><h1 style="margin:0 0 16px;font-size:20px">${escaped(look.name)}</h1>
${body}
</div></body></html>
`
