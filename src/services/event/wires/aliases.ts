// The paths that SDKs append to their host, below `/v1/event/<vendor>/`. Most lead to the same ingest as `/v1/event`; the
// others get a fixed answer that says truthfully that there are no flags, surveys or recordings.
import { jsonBody } from '../../../kit/answer.ts'
import type { AliasHint, MessageType, WireName } from './wire.ts'

export type Vendor = 'posthog' | 'segment' | 'rudderstack' | 'jitsu' | 'amplitude' | 'mixpanel'
export type AliasMethod = 'GET' | 'POST'
export type AliasAnswer = { contentType: 'application/json' | 'text/javascript'; body: string }

export type Alias = {
  vendor: Vendor
  /** Below the vendor, without slashes at the ends. `{…}` is any one segment. */
  path: string
  methods: readonly AliasMethod[]
} & ({ does: 'ingest'; hint: AliasHint } | { does: 'answer'; answer: AliasAnswer })

const WIRE_OF: Record<Vendor, WireName> = {
  posthog: 'posthog',
  segment: 'segment',
  rudderstack: 'segment',
  jitsu: 'segment',
  amplitude: 'amplitude',
  mixpanel: 'mixpanel',
}

/** The batch sizes of the SDKs with default settings, according to their sources, with some margin. */
const EVENTS_MAX_OF: Record<Vendor, number> = {
  posthog: 250, // Node: 100. Browsers: what 3 s of events are, at most 100 and 10 more each second.
  segment: 100, // Node: 15. Browsers: 10.
  rudderstack: 100, // Node: 20.
  jitsu: 100,
  amplitude: 200, // Node: 200. Browsers: 30.
  mixpanel: 50, // Both: 50.
}

/** Segment's short names are those of its browser SDK. */
const TYPES: readonly [type: MessageType, short: string][] = [
  ['track', 't'],
  ['page', 'p'],
  ['screen', 's'],
  ['identify', 'i'],
  ['group', 'g'],
  ['alias', 'a'],
]

const POST = ['POST'] as const
const GET = ['GET'] as const
const BOTH = ['GET', 'POST'] as const

const ingest = (
  vendor: Vendor,
  path: string,
  type: MessageType | null = null,
  methods: readonly AliasMethod[] = POST,
): Alias => ({
  vendor,
  path,
  methods,
  does: 'ingest',
  hint: { wire: WIRE_OF[vendor], type, eventsMax: EVENTS_MAX_OF[vendor] },
})

const answer = (vendor: Vendor, path: string, methods: readonly AliasMethod[], value: object): Alias => ({
  vendor,
  path,
  methods,
  does: 'answer',
  answer: { contentType: 'application/json', body: jsonBody(value) },
})

/** What posthog-js asks for when it starts. With gzip among the compressions it sends text/plain, which needs no
 *  preflight request. */
const POSTHOG_CONFIG = {
  supportedCompression: ['gzip', 'gzip-js'],
  hasFeatureFlags: false,
  isAuthenticated: false,
  sessionRecording: false,
  surveys: false,
  productTours: false,
  conversations: false,
  logs: { captureConsoleLogs: false },
  heatmaps: false,
  captureDeadClicks: false,
  capturePerformance: false,
  autocaptureExceptions: false,
  autocapture_opt_out: false,
  defaultIdentifiedOnly: true,
  siteApps: [],
  toolbarParams: {},
}

const NO_FLAGS = { flags: {}, featureFlags: {}, featureFlagPayloads: {}, errorsWhileComputingFlags: false }

/** `/s/`, to which posthog-js sends recordings, is not here: it sends none when the configuration says so. */
const POSTHOG: readonly Alias[] = [
  ...['', 'e', 'i/v0/e', 'batch', 'capture', 'track', 'engage'].map(path => ingest('posthog', path)),
  answer('posthog', 'flags', BOTH, NO_FLAGS),
  answer('posthog', 'decide', BOTH, { ...POSTHOG_CONFIG, ...NO_FLAGS, config: { enable_collect_everything: true } }),
  answer('posthog', 'array/{token}/config', GET, POSTHOG_CONFIG),
  {
    vendor: 'posthog',
    path: 'array/{token}/config.js',
    methods: GET,
    does: 'answer',
    // It runs in the page of a customer, so nothing of the request may be in it. posthog-js then asks for the JSON above.
    answer: { contentType: 'text/javascript', body: '' },
  },
  answer('posthog', 'flags/definitions', GET, { flags: [], group_type_mapping: {}, cohorts: {} }),
  answer('posthog', 'api/feature_flag/local_evaluation', GET, { flags: [], group_type_mapping: {}, cohorts: {} }),
  answer('posthog', 'api/surveys', GET, { surveys: [] }),
  answer('posthog', 'api/early_access_features', GET, { earlyAccessFeatures: [] }),
  answer('posthog', 'api/web_experiments', GET, { experiments: [] }),
  answer('posthog', 'api/product_tours', GET, { product_tours: [] }),
]

const SEGMENT: readonly Alias[] = [
  ...['', 'b', 'batch', 'import', 'v1/b', 'v1/batch', 'v1/import'].map(path => ingest('segment', path)),
  ...TYPES.flatMap(([type, short]) =>
    [short, type, `v1/${short}`, `v1/${type}`].map(path => ingest('segment', path, type)),
  ),
  // The SDK's own telemetry.
  answer('segment', 'm', POST, { success: true }),
  answer('segment', 'v1/m', POST, { success: true }),
]

const RUDDERSTACK: readonly Alias[] = [
  ...['', 'v1/batch', 'v1/import', 'beacon/v1/batch'].map(path => ingest('rudderstack', path)),
  ...TYPES.map(([type]) => ingest('rudderstack', `v1/${type}`, type)),
]

const JITSU: readonly Alias[] = [
  ...['', 'api/s/event', 'api/s/s2s/event'].map(path => ingest('jitsu', path)),
  ...TYPES.flatMap(([type]) => [`api/s/${type}`, `api/s/s2s/${type}`].map(path => ingest('jitsu', path, type))),
]

/** Its SDKs append nothing; the others are the paths of its own servers, for those who replace the host only. */
const AMPLITUDE: readonly Alias[] = ['', '2/httpapi', 'batch'].map(path => ingest('amplitude', path))

/** mixpanel for Node sends single events with GET. */
const MIXPANEL: readonly Alias[] = [
  ...['', 'track', 'engage', 'groups', 'import'].map(path => ingest('mixpanel', path, null, BOTH)),
  answer('mixpanel', 'flags', GET, { flags: {} }),
  answer('mixpanel', 'settings', GET, {}),
]

export const ALIASES: readonly Alias[] = [...POSTHOG, ...SEGMENT, ...RUDDERSTACK, ...JITSU, ...AMPLITUDE, ...MIXPANEL]

/** Patterns have the same number of segments as the paths that they match. */
const BY_START = Map.groupBy(ALIASES, alias => startOf(alias.vendor, alias.path.split('/')))

function startOf(vendor: string, segments: readonly string[]): string {
  return `${vendor}/${segments.length}/${segments[0]}`
}

/** What is at a path below a vendor, such as `/batch/` below `posthog`. The slashes at the ends are optional. */
export function find(vendor: string, rest: string, method: string): Alias | null {
  const path = rest.slice(rest.startsWith('/') ? 1 : 0, rest.length > 1 && rest.endsWith('/') ? -1 : undefined)
  const segments = path.split('/')
  const candidates = BY_START.get(startOf(vendor, segments)) ?? []
  const matches = (pattern: string) =>
    pattern.split('/').every((part, at) => (part.startsWith('{') ? segments[at] !== '' : part === segments[at]))
  return candidates.find(one => (one.methods as readonly string[]).includes(method) && matches(one.path)) ?? null
}
