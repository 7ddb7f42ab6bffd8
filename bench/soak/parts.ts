// The parts of the hostile load. They run at once, from two organisations with valid keys and from clients without one.
import type { Socket } from 'node:net'
import { systemRandom } from '../../src/engines/random/random.ts'
import { PATHS } from '../../src/identity/provider.ts'
import { newKeyText } from '../../src/services/account/key-text.ts'
import { CALLBACK_PATH } from '../../src/services/account/public.ts'
import { OWN_CLIENT } from '../../src/services/iam/public.ts'
import type { Target } from './hosts.ts'
import type { Phase } from './phase.ts'

type Part = (phase: Phase, count: (what: string) => void) => void

const BODY_BYTES = 8_000_000
const PROJECT = '/v1/projects/target'

/** A volley is sent at this pace: what arrives in the same instant is handled before anything that arrives later. */
const VOLLEY_TICK_MS = 25
const VOLLEY_PER_TICK = 15

/** Repeatedly sends what `next` returns. */
function volleys({ every }: Phase, everyMs: number, next: () => (() => void)[]): void {
  let due: (() => void)[] = []
  every(everyMs, () => {
    due = next()
  })
  every(VOLLEY_TICK_MS, () => {
    for (const send of due.splice(0, VOLLEY_PER_TICK)) send()
  })
}

/** Volleys of three hundred renames of one project, every three seconds. */
const patches: Part = (phase, count) => {
  const free = new Map<Socket, string>()
  let opened = 0
  phase.hold(300, 'api', socket => {
    const { key } = hostileAt(phase.target, opened++)
    free.set(socket, key)
    onAnswer(socket, status => {
      count(`rename ${status}`)
      free.set(socket, key)
    })
    socket.once('close', () => free.delete(socket))
  })
  volleys(phase, 3_000, () =>
    [...free].map(([socket, key]) => () => {
      if (free.delete(socket)) socket.write(withBody('PATCH', PROJECT, key, '{"name":"Again"}'))
    }),
  )
}

/** Well-formed keys that do not exist: a hundred a second over four hundred connections. */
const unknownKeys: Part = ({ hold, every }, count) => {
  const open: Socket[] = []
  hold(400, 'api', socket => {
    open.push(socket)
    onAnswer(socket, status => count(`unknown key ${status}`))
    socket.once('close', () => open.splice(open.indexOf(socket), 1))
  })
  let at = 0
  every(50, () => {
    for (let left = Math.min(5, open.length); left > 0; left--) {
      const socket = open[at++ % open.length]
      socket?.write(head('GET', '/v1/projects', [bearer(newKeyText(systemRandom, 'secret'))]))
    }
  })
}

/** Volleys of two hundred members with passwords, every ten seconds; the clients leave as soon as they have sent them. */
const abandonedMembers: Part = (phase, count) => {
  let ready: Socket[] = []
  let made = 0
  const openAll = () => {
    for (let left = 200; left > 0; left--) phase.open('api', socket => void ready.push(socket))
  }
  openAll()
  volleys(phase, 10_000, () => {
    const sockets = ready
    ready = []
    openAll()
    return sockets.map((socket, at) => () => {
      count('abandoned member')
      const body = { email: `m${made++}@hostile.test`, role: 'member', password: 'a long enough password' }
      const { key } = hostileAt(phase.target, at)
      socket.write(withBody('POST', '/v1/iam/members', key, JSON.stringify(body)), () => socket.destroy())
    })
  })
}

/** Ten connections with a thousand pipelined requests each that never read an answer; one a second begins. */
const unreadPipelines: Part = ({ every, open }, count) => {
  const requests = head('GET', '/v1/openapi.json').repeat(1_000)
  let held = 0
  every(1_000, () => {
    if (held >= 10) return
    held++
    open('api', socket => {
      count('unread pipeline')
      socket.pause()
      socket.once('close', () => held--)
      socket.write(requests)
    })
  })
}

/** Fifty bodies of 8 MB that lack their last byte; at most four a second begin. All are of one organisation, since its
 *  share of the memory would refuse the complete bodies (below) too. */
const stalledBodies: Part = ({ every, open, target }, count) => {
  const body = Buffer.alloc(BODY_BYTES - 1, ' ')
  let held = 0
  every(250, () => {
    if (held >= 50) return
    held++
    open('api', socket => {
      count('stalled body')
      socket.once('close', () => held--)
      onAnswer(socket, status => {
        count(`stalled body ${status}`)
        socket.destroy()
      })
      socket.write(bodyHead('PUT', '/v1/risk/reference/domain', hostileAt(target, 0).key, BODY_BYTES))
      socket.write(body)
    })
  })
}

/** A cookie header that is expensive for patterns that backtrack, ten a second, with the session cookie's operations. */
const spaciousCookies: Part = ({ hold, every }, count) => {
  const request = head('GET', '/v1/account/login', [`cookie: a${' '.repeat(15_000)}b`])
  const open = new Set<Socket>()
  hold(4, 'api', socket => {
    open.add(socket)
    onAnswer(socket, status => count(`cookie ${status}`))
    socket.once('close', () => open.delete(socket))
  })
  every(400, () => {
    for (const socket of open) socket.write(request)
  })
}

/** 8 MB of JSON in which every entry is wrong, one every two seconds, of the other organisation. */
const wrongEntries: Part = ({ every, open, target }, count) => {
  const text = `{"entries":[${'1,'.repeat(BODY_BYTES / 2 - 10)}1]}`
  every(2_000, () =>
    open('api', socket => {
      onAnswer(socket, status => {
        count(`wrong entries ${status}`)
        socket.destroy()
      })
      socket.write(withBody('PUT', '/v1/risk/reference/domain', hostileAt(target, 1).key, text))
    }),
  )
}

/** Two thousand connections that send nothing, four hundred a second until there are as many. */
const idleSockets: Part = ({ every, openSilent }, count) => {
  let held = 0
  every(50, () => {
    for (let left = 20; left > 0 && held < 2_000; left--) {
      held++
      count('idle socket')
      openSilent().once('close', () => held--)
    }
  })
}

/** Sign-ins that nobody completes, twenty a second: more than the addresses may start. */
const authorizations: Part = ({ hold, every, target }, count) => {
  const query = new URLSearchParams({
    client_id: OWN_CLIENT,
    redirect_uri: target.baseUrl + CALLBACK_PATH,
    response_type: 'code',
    scope: 'openid',
    state: 'state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  const open = new Set<Socket>()
  hold(8, 'identity', socket => {
    open.add(socket)
    onAnswer(socket, status => count(`authorize ${status}`))
    socket.once('close', () => open.delete(socket))
  })
  every(400, () => {
    for (const socket of open) socket.write(head('GET', `${PATHS.authorize}?${query}`))
  })
}

/** Two hundred connections that send one byte of a head every second. */
const slowHeads: Part = ({ hold, every }, count) => {
  const text = head('GET', '/v1/projects', [`x-slow: ${'a'.repeat(600)}`])
  const sent = new Map<Socket, number>()
  hold(200, 'api', socket => {
    count('slow head')
    sent.set(socket, 0)
    socket.resume()
    socket.once('close', () => sent.delete(socket))
  })
  every(1_000, () => {
    for (const [socket, at] of sent) {
      socket.write(text[at] ?? 'a')
      sent.set(socket, at + 1)
    }
  })
}

export const PARTS: Readonly<Record<string, Part>> = {
  authorizations,
  spaciousCookies,
  unreadPipelines,
  stalledBodies,
  wrongEntries,
  idleSockets,
  abandonedMembers,
  patches,
  unknownKeys,
  slowHeads,
}

const hostileAt = ({ hostile }: Target, at: number) => hostile[at % hostile.length] as Target['ordinary']
const bearer = (key: string) => `authorization: Bearer ${key}`
const head = (method: string, path: string, lines: string[] = []) =>
  `${[`${method} ${path} HTTP/1.1`, 'host: localhost', ...lines].join('\r\n')}\r\n\r\n`
const bodyHead = (method: string, path: string, key: string, bytes: number) =>
  head(method, path, [bearer(key), 'content-type: application/json', `content-length: ${bytes}`])
const withBody = (method: string, path: string, key: string, body: string) =>
  bodyHead(method, path, key, Buffer.byteLength(body)) + body

/** Reports the status of each answer. One that is split between two reads is missed, which the load can bear. */
function onAnswer(socket: Socket, report: (status: number) => void): void {
  socket.on('data', (chunk: Buffer) => {
    for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)) report(Number(status))
  })
}
