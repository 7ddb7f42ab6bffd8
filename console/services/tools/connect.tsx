import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { manages, me } from '../../api.ts'
import { useParam } from '../../frame/search.ts'
import { CodeBlock, type Sample } from '../../parts/code.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Segments } from '../../parts/segments.tsx'
import { DOOR } from './door.ts'

const LISTS = [
  ['', 'All tools'],
  ['read', 'Only reading'],
  ['find', 'Three that find the others'],
] as const
const QUERIES: Record<string, string> = { read: '?readOnly=1', find: '?tools=find' }
const SAYS: Record<string, string> = {
  '': 'The agent sees every tool of this host.',
  read: 'The agent sees only tools that change nothing, and can call no other.',
  find: 'The agent sees three tools that find, describe and call all others. They need less context of the model.',
}

/** How an agent reaches the tools: the address, the key, and what to paste. */
export function Connect({ onClose }: { onClose: () => void }) {
  const { data } = useQuery(me)
  const [list, setList] = useParam('list')
  const org = data?.org ?? ''
  const url = location.origin + DOOR + (QUERIES[list] ?? '')
  return (
    <Drawer title="Connect an agent" sub="With the Model Context Protocol, over HTTP" onClose={onClose}>
      <section>
        <h3>Address</h3>
        <div className="stack connect">
          <Segments
            label="Tools at the address"
            options={LISTS}
            chosen={list as ''}
            onChoose={one => setList(one, true)}
          />
          <CodeBlock title="Address" samples={[{ name: 'Address', code: url }]} />
          <p className="muted">{SAYS[list]}</p>
        </div>
      </section>
      <section>
        <h3>Sign-in</h3>
        <div className="stack connect">
          <p>
            Give each agent an API key of its own, with limits: which services it may read or write, what it may spend,
            and until when. It acts with your role, and the audit trail names the key.
          </p>
          <Link className="btn" to="/o/$org/$" params={{ org, _splat: 'keys' }} search={{ open: 'new' } as never}>
            <Icon name="key" />
            Create API key
          </Link>
          {data && manages(data) && (
            <p className="muted">
              An agent can also act for a person who signs in:{' '}
              <Link to="/o/$org/$" params={{ org, _splat: 'signin/apps' }}>
                register an app
              </Link>{' '}
              of type “page or device” with its redirect address.
            </p>
          )}
        </div>
      </section>
      <section>
        <h3>Configuration</h3>
        <div className="stack connect">
          <CodeBlock samples={samplesFor(url)} />
          <p className="muted">
            The variable <span className="code">STOA_KEY</span> has the key. VS Code reads{' '}
            <span className="code">.vscode/mcp.json</span> and asks for the key, Cursor reads{' '}
            <span className="code">.cursor/mcp.json</span>. OpenAI must reach the address from the internet.
          </p>
        </div>
      </section>
    </Drawer>
  )
}

const json = (value: object) => JSON.stringify(value, null, 2)
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

function samplesFor(url: string): Sample[] {
  const VS_CODE_INPUT = { type: 'promptString', id: 'stoa-key', description: 'API key of Stoa', password: true }
  const vsCode = {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code replaces it
    servers: { stoa: { type: 'http', url, headers: bearer('${input:stoa-key}') } },
    inputs: [VS_CODE_INPUT],
  }
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Cursor replaces it
  const cursor = { mcpServers: { stoa: { url, headers: bearer('${env:STOA_KEY}') } } }
  const generic = { mcpServers: { stoa: { type: 'http', url, headers: bearer('$STOA_KEY') } } }
  const openai = `import OpenAI from 'openai'

const answer = await new OpenAI().responses.create({
  model: 'gpt-5',
  input: 'Which projects are there?',
  tools: [{
    type: 'mcp',
    server_label: 'stoa',
    server_url: '${url}',
    headers: { Authorization: \`Bearer \${process.env.STOA_KEY}\` },
    require_approval: 'always',
  }],
})`
  return [
    {
      name: 'Claude Code',
      code: `claude mcp add --transport http stoa '${url}' \\\n  --header "Authorization: Bearer $STOA_KEY"`,
    },
    { name: 'VS Code', code: json(vsCode), isJson: true },
    { name: 'Cursor', code: json(cursor), isJson: true },
    { name: 'OpenAI', code: openai },
    { name: 'JSON', code: json(generic), isJson: true },
  ]
}
