// GET /v1/event/install: what to paste into a page, and whether it works.
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import type { Caller } from '../../kit/caller.ts'
import { string, timestamp, withoutNulls } from '../../kit/fields.ts'
import { permitsService } from '../../kit/host/limits.ts'
import { publishableKeyFor } from '../account/public.ts'
import { scopeOf } from './lenses/asked.ts'
import { operation } from './state.ts'
import { TAG_PATH } from './tag/tag.ts'

/** Keeps calls until the tag is loaded. The same for everybody, so that a content security policy can allow it by its hash. */
const STUB = 'window.stoa=window.stoa||function(){var q=stoa.q=stoa.q||[];q.length<500&&q.push([+new Date,arguments])}'
const STUB_HASH = `'sha256-${createHash('sha256').update(STUB).digest('base64')}'`

const TagKey = Type.Object(
  {
    id: string('Its id', 'key_4vJ9mWcX2bQeT7yLrK0sZp1n'),
    name: string('Its name', 'Web shop'),
    key: string('Its text, which may be public', 'pk-…'),
  },
  { description: 'The publishable key in `html`; absent if the caller may see none' },
)

export const getInstall = operation({
  route: 'GET /v1/event/install',
  summary: 'The two lines that add the tag to a page, and whether the first event has arrived',
  description:
    'The key is the newest active publishable key of the organisation or, for a caller that acts in a project, of that project, among those that `GET /v1/account/keys` lists for this person. A key that may not write events itself is shown none, because the text of a publishable key lets its holder write them. Without a key, `create` says how to make one.',
  access: 'bearer',
  project: 'chosen',
  output: Type.Object(
    {
      html: Type.Optional(
        string(
          'The two lines, for the `head` of each page; absent without a key',
          '<script>…</script>\n<script async src="…" data-key="pk-…"></script>',
        ),
      ),
      key: Type.Optional(TagKey),
      create: Type.Optional(
        string(
          'How to make a key; absent if there is one',
          'Create a publishable key: POST /v1/account/keys {"name":"Web","type":"publishable"}',
        ),
      ),
      tag: string(
        'The address of the script, with the hash of its content',
        'https://api.example.com/v1/event/tag.js?v=pX1yq0Zk3v8sT5uW',
      ),
      policy: string(
        'What a content security policy must allow: the first line by its hash, the script, and the address of events',
        "script-src 'sha256-…' https://api.example.com; connect-src https://api.example.com",
      ),
      received: Type.Boolean({ description: 'Whether an event has arrived', examples: [true] }),
      firstEvent: Type.Optional(timestamp('When the first event happened')),
    },
    { title: 'Install', description: 'How to add the tag to a page' },
  ),
  faults: ['warehouse_unreachable'],
  run: async ({ db, caller, clock, state, warehouse }) => {
    const { baseUrl } = state
    const found = mayWriteEvents(caller) ? await publishableKeyFor(db, caller, clock.now()) : null
    const firstEvent = await warehouse.lenses.first(state.analytics.for(caller.org), scopeOf(caller))
    const tag = baseUrl + TAG_PATH
    const { origin } = new URL(baseUrl)
    return {
      ...withoutNulls({
        html: found && htmlOf(tag, found.text),
        key: found && { id: found.id, name: found.name, key: found.text },
        create: found ? null : waysToKey(caller),
        firstEvent,
      }),
      tag,
      policy: `script-src ${STUB_HASH} ${origin}; connect-src ${origin}`,
      received: firstEvent !== null,
    }
  },
})

const htmlOf = (tag: string, key: string) =>
  `<script>${STUB}</script>\n<script async src="${tag}" data-key="${key}"></script>`

/** The text of a publishable key is no secret, but a key that is limited to reading must not find what writes. */
const mayWriteEvents = ({ credential: { limits } }: Caller) => limits === null || permitsService(limits, 'event', false)

function waysToKey(caller: Caller): string {
  if (!mayWriteEvents(caller)) return 'This key may not write events, so it is shown no key that may. Use another one.'
  const limit = caller.project === null ? {} : { limit: [`project:${caller.project}`] }
  const body = JSON.stringify({ name: 'Web', type: 'publishable', ...limit })
  return `Create a publishable key with POST /v1/account/keys ${body}; a key without limits may do so.`
}
