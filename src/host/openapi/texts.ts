// The texts of an operation that follow from its declaration, so that no declaration repeats them.
import type { Access, Operation } from '../../kit/operation.ts'
import { BODY_LIMIT } from '../../kit/operation.ts'

const SUPERADMIN = 'a superadmin (a member of the organisation `admin`)'
const CALLERS: Record<Access, string> = {
  public: 'Anyone may call it.',
  ingest: 'Any credential of the organisation may call it, including a publishable key.',
  reader: 'Any credential of the organisation may call it, including the token of one of its workspaces.',
  bearer: 'Any credential of the organisation may call it.',
  person: 'Only a signed-in person may call it, with a browser session or the token of a trusted app.',
  admin: 'A credential of an owner or admin of the organisation may call it.',
  superadmin: `A credential of ${SUPERADMIN} may call it.`,
}

const BY_ROLE = {
  admin: `A credential of an owner or admin of the organisation, or of ${SUPERADMIN}, may call it.`,
  owner: `A credential of an owner of the organisation, or of ${SUPERADMIN}, may call it.`,
}

/** Who may call it. */
export const callersOf = ({ access, role }: Pick<Operation, 'access' | 'role'>): string =>
  role === null ? CALLERS[access] : BY_ROLE[role]

/** The description as paragraphs: what the declaration says, who may call it, and what follows from the declaration. */
export function descriptionOf(operation: Operation): string {
  const { description, access } = operation
  const callers = [callersOf(operation), ...(access === 'public' ? [] : keyRules(operation))]
  const paragraphs = [...(description === null ? [] : [description]), callers.join(' '), effects(operation).join(' ')]
  return paragraphs.filter(text => text !== '').join('\n\n')
}

function keyRules({ project, model, metered, issuesCredential, endsCredential }: Operation): string[] {
  const rules: string[] = []
  if (issuesCredential) rules.push('A key with a limit, budget or rate may not.')
  else if (endsCredential) rules.push('Limited keys may call it, too.')
  else if (project === null) rules.push('A key limited to projects may not.')
  else if (project !== 'chosen')
    rules.push(`A key limited to projects may call it for those; \`${project}\` names one.`)
  if (model !== null) rules.push(`A key limited to models may call it for those; \`${model}\` names one.`)
  if (metered) rules.push('It costs money, and is refused for a key that has used up its budget.')
  return rules
}

function effects(operation: Operation): string[] {
  const { audit, emits, faults, access, method, bodyKind, bodyLimit, encodings, creates, disclosesSecret } = operation
  const texts: string[] = []
  const subjects = Object.keys(emits)
  if (faults.includes('not_found') && access !== 'public') {
    texts.push('Resources of other organisations are answered with 404, as if they did not exist.')
  }
  if (audit !== null) {
    texts.push(`${method === 'GET' ? 'Each call' : 'A change'} is recorded in the audit trail as \`${audit}\`.`)
  }
  if (subjects.length > 0) texts.push(`It emits ${subjects.map(subject => `\`${subject}\``).join(', ')}.`)
  if (creates && disclosesSecret) {
    texts.push(
      'The answer contains a secret and is not stored: repeating the request with its Idempotency-Key is a `conflict`.',
    )
  }
  if (bodyKind !== 'none' && bodyLimit !== BODY_LIMIT) texts.push(`The body may be up to ${sizeText(bodyLimit)} long.`)
  if (encodings.length > 0) texts.push(`The body may be encoded with ${encodings.join(', ')}.`)
  return texts
}

const MIB = 1024 * 1024
const sizeText = (bytes: number) =>
  bytes % MIB === 0 ? `${bytes / MIB} MiB` : bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`

/** The texts of a success, by status. */
export const OUTCOMES: Record<Operation['status'], string> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; it takes effect later.',
  204: 'Done. There is no body.',
  303: 'The browser is redirected.',
}

/** The introduction of the document, as paragraphs. */
export const INTRODUCTION = [
  'Every operation accepts the same credentials: a secret key (`sk-…`) or an access token of the identity provider in the header Authorization, or a browser session. A key can be limited to services, models and projects, and have a budget, a rate and an expiry.',
  'Bodies are JSON. Unknown fields are refused by name. Times are RFC 3339 in UTC.',
  'A listing returns one page in `data`. Send the value of `next` as `after` to get the following page; `next` is empty on the last page.',
  'The header X-Project-Id names the project to act in, for operations that list it. Every operation that needs a credential answers 404 if the organisation has no such project.',
  'Every error has the same body, a `Fault`: its `code` is stable, its `message` says what to do, and its `fields` name what is invalid. Each operation lists the codes it may answer with. Every answer has an `X-Request-Id`.',
  'Fields and operations may be added; ignore fields that you do not know.',
].join('\n\n')
