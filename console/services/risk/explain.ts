// What an answer of the reference means, in words.
import type { ReferenceAnswer } from '../../../client/stoa.js'
import type { Tone } from '../../parts/status.tsx'
import { ageText } from './queries.tsx'

type Explained = { tone: Tone; title: string; says: string }

/** `hit` has no meaning if there is a refusal. */
export function explained(answer: ReferenceAnswer): Explained {
  const { refusal, from, verdict, matched, key, hit } = answer
  if (refusal) return { tone: 'off', title: 'Unknown', says: `${refusal} The key is unknown here, not clean.` }
  const isKey = [key, `${key}/32`, `${key}/128`].includes(matched ?? key)
  const covers = matched && !isKey ? `${matched}, which covers it,` : 'It'
  if (from === 'override') {
    return verdict === 'allow'
      ? {
          tone: 'success',
          title: 'Allowed by you',
          says: `${covers} is allowed by an override of your organisation. The published lists do not count.`,
        }
      : {
          tone: 'danger',
          title: 'Denied by you',
          says: `${covers} is denied by an override of your organisation, and counts as a member of the set.`,
        }
  }
  const dated = datedText(answer)
  if (!hit) return { tone: 'success', title: 'Not listed', says: `No member of the set covers it${dated}.` }
  const score = answer.score === undefined ? '' : ` The source weighs it ${answer.score}.`
  const member = matched && !isKey ? `${matched}, which covers it, is on a published list` : 'It is on a published list'
  return { tone: 'warn', title: 'Listed', says: `${member}${dated}.${score}` }
}

function datedText({ age, stale }: ReferenceAnswer): string {
  if (age === undefined || age.startsWith('0h0m')) return ''
  const data = `, in data that is ${ageText(age)} old`
  return stale ? `${data}, more than allowed` : data
}

/** All answers on one key. What is unknown is said, because it is not clean. */
export function summed(answers: ReferenceAnswer[]): { tone: Tone; text: string } {
  const unknown = answers.filter(({ refusal }) => refusal).length
  const listed = answers.filter(({ refusal, hit }) => !refusal && hit).length
  const rest = unknown > 0 ? `, unknown in ${unknown}` : ''
  if (answers.length === 1 && unknown === 0)
    return listed ? { tone: 'warn', text: 'Listed' } : { tone: 'success', text: 'Not listed' }
  if (listed > 0) return { tone: 'warn', text: `Listed in ${listed} of ${answers.length}${rest}` }
  if (unknown === answers.length) return { tone: 'off', text: 'Unknown' }
  return { tone: 'success', text: `Not listed in ${answers.length - unknown}${rest}` }
}
