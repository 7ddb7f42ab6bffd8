// What to do before there are errors.
import { CodeBlock } from '../../parts/code.tsx'
import { Icon } from '../../parts/icon.tsx'
import { PublishableNote, usePublishable } from '../../parts/publishable.tsx'

export function FirstError() {
  const { key } = usePublishable()
  return (
    <div className="empty">
      <span className="glyph">
        <Icon name="error" />
      </span>
      <h2>No error yet</h2>
      <p>Send one with a call below. It appears here within seconds, with its stack.</p>
      <CodeBlock samples={samplesOf(location.origin, key)} />
      <PublishableNote />
    </div>
  )
}

function samplesOf(address: string, key: string) {
  const error = {
    event: '$exception',
    distinctId: 'user-1',
    properties: { error: { name: 'TypeError', message: 'cart is null' } },
  }
  return [
    {
      name: 'curl',
      code: `curl ${address}/v1/event \\
  -H "Authorization: Bearer ${key}" \\
  --json '${JSON.stringify(error)}'`,
    },
    {
      name: 'TypeScript',
      code: `import { createEvents } from 'stoa-client'

const events = createEvents({ baseUrl: '${address}', key: '${key}' })

try {
  await checkout()
} catch (error) {
  const { name, message, stack } = error as Error
  events.capture({ event: '$exception', distinctId: 'user-1', properties: { error: { name, message, stack } } })
}`,
    },
    {
      name: 'posthog-js',
      code: `import posthog from 'posthog-js'

posthog.init('${key}', { api_host: '${address}/v1/event/posthog' })
posthog.captureException(new TypeError('cart is null'))`,
    },
  ]
}
