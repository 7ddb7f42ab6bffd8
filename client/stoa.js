// GENERATED from the operation declarations by `npm run generate`; do not edit.
//
// The typed client of a Stoa host, for Node, browsers and workers. It needs only `fetch` and Web Crypto.
//
//   const stoa = createStoa({ baseUrl: 'https://localhost:8443', key: 'sk-…' })
//   const project = await stoa.createProject({ slug: 'web-shop', name: 'Web shop' })
//   for await (const { slug } of stoa.listProjectsAll()) …
//
//   const events = createEvents({ baseUrl: 'https://localhost:8443', key: 'pk-…' })
//   events.capture({ event: 'Order Completed', distinctId: 'user-1' })
/** A misspelt one would be noticed only by the answers. The last two are of `createEvents`. */
const OPTIONS = [
    ...[
        'baseUrl',
        'key',
        'session',
        'headers',
        'timeoutMs',
        'retries',
        'retryWaitMaxMs',
        'fetch',
        'dangerouslyAllowBrowser',
    ],
    ...['intervalMs', 'onError'],
];
function settingsFrom(options) {
    if (typeof options !== 'object' || options === null) {
        throw new TypeError("Pass one object with named options: `{ baseUrl: 'https://…', key: '…' }`.");
    }
    const unknown = Object.keys(options).find(name => !OPTIONS.includes(name));
    if (unknown !== undefined) {
        throw new TypeError(`There is no option \`${unknown.slice(0, 60)}\`. There are: ${OPTIONS.join(', ')}.`);
    }
    const { key, session = false, dangerouslyAllowBrowser = false } = options;
    const baseUrl = checkedBaseUrl(options.baseUrl);
    // `fetch` would refuse it too, with an error that contains the key.
    if (key !== undefined && !VISIBLE_ASCII.test(key))
        throw new TypeError('`key` must be visible ASCII characters only.');
    if (session && key !== undefined)
        throw new TypeError('Use `key` or `session`, not both.');
    if (key?.startsWith('sk-') && isPage() && !dangerouslyAllowBrowser) {
        throw new TypeError('Every visitor of this page can read the secret key. Use `session: true`, a publishable key for events, or a ' +
            'server; ' +
            'if the key may be public, set `dangerouslyAllowBrowser: true`.');
    }
    return {
        baseUrl,
        key,
        session,
        timeoutMs: options.timeoutMs,
        retries: options.retries ?? 2,
        retryWaitMaxMs: options.retryWaitMaxMs ?? 30_000,
        headers: options.headers ?? {},
        // Looked up for every request, so that a later replacement of the global is used.
        fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    };
}
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
/** The origin. Messages do not repeat the user and password, which may be in the URL. */
function checkedBaseUrl(text) {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (!url || !/^https?:$/.test(url.protocol))
        throw new TypeError('`baseUrl` must start with https:// or http://');
    if (url.username || url.password) {
        throw new TypeError('`baseUrl` must not contain a user or password. Pass a secret as `key`.');
    }
    // The paths of the operations start with /v1, at the root of the host.
    if (url.pathname !== '/' || /[?#]/.test(text)) {
        throw new TypeError(`\`baseUrl\` must have no path, query or fragment; write \`baseUrl: '${url.origin}'\`.`);
    }
    return url.origin;
}
const isPage = () => 'document' in globalThis;
// The errors that calls reject with, apart from the reason of an aborted signal:
//
//   StoaError
//     StoaApiError                the host answered with a fault
//       InvalidInputError           400, 405, 408, 413, 415, 417, 431
//       AuthenticationError         401
//       PermissionError             403
//       NotFoundError               404
//       ConflictError               409
//       RateLimitError              429
//       ServerError                 500, 501, 502, 503
//     StoaConnectionError         there was no answer from the host
//     WebhookVerificationError    a webhook could not be verified
export class StoaError extends Error {
    name = 'StoaError';
}
/** The host answered with a fault. The message says what to do. */
export class StoaApiError extends StoaError {
    name = 'StoaApiError';
    /** Identifies the kind of fault. A newer host may answer with codes that this client does not know. */
    code;
    /** The status of the answer; 200 if the fault arrived within an event stream. */
    status;
    /** The category of the code, such as `conflict_error`. */
    type;
    /** The first invalid field. */
    param;
    /** Every invalid field, and what is wrong with it. */
    fields;
    /** Identifies the request in the logs of the host. */
    requestId;
    /** The seconds after which the host may accept the call. */
    retryAfter;
    /** The headers of the answer. */
    headers;
    constructor(fault, response) {
        super(fault.message);
        this.code = fault.code;
        this.status = response.status;
        this.type = fault.type;
        this.param = fault.param ?? null;
        this.fields = fault.fields ?? [];
        this.requestId = fault.request_id ?? requestIdOf(response);
        this.retryAfter = retryAfterIn(response.headers);
        this.headers = response.headers;
    }
}
/** The request is invalid; `fields` says what is wrong with which field. */
export class InvalidInputError extends StoaApiError {
    name = 'InvalidInputError';
}
/** The credential is missing, wrong, expired or revoked. */
export class AuthenticationError extends StoaApiError {
    name = 'AuthenticationError';
}
/** The credential may not do this. */
export class PermissionError extends StoaApiError {
    name = 'PermissionError';
}
export class NotFoundError extends StoaApiError {
    name = 'NotFoundError';
}
/** The request conflicts with existing data, such as a name that is taken. */
export class ConflictError extends StoaApiError {
    name = 'ConflictError';
}
/** Too many calls; `retryAfter` says when to try again. */
export class RateLimitError extends StoaApiError {
    name = 'RateLimitError';
}
/** The host, or something it depends on, failed. */
export class ServerError extends StoaApiError {
    name = 'ServerError';
}
/** There was no answer from the host: a network failure, a timeout, or an answer that is not the JSON of a Stoa host. */
export class StoaConnectionError extends StoaError {
    name = 'StoaConnectionError';
    /** The status of the answer; null if there was none. */
    status;
    /** The headers of the answer; null if there was none. */
    headers;
    constructor(message, { cause, response }) {
        super(message, cause === undefined ? undefined : { cause });
        this.status = response?.status ?? null;
        this.headers = response?.headers ?? null;
    }
}
/** Null if the value is not a fault of the host: a proxy in between may answer in another format. */
function faultIn(value) {
    const { error } = (value ?? {});
    const isFault = [error?.code, error?.message, error?.type].every(text => typeof text === 'string');
    return isFault ? error : null;
}
function apiError(fault, response) {
    const families = {
        invalid_request_error: InvalidInputError,
        authentication_error: AuthenticationError,
        permission_error: PermissionError,
        not_found_error: NotFoundError,
        conflict_error: ConflictError,
        rate_limit_error: RateLimitError,
        api_error: ServerError,
        // In the messages format.
        overloaded_error: ServerError,
    };
    // A type such as `constructor` is not a category, although every object has a property of that name.
    const family = Object.hasOwn(families, fault.type) ? families[fault.type] : undefined;
    return new (family ?? StoaApiError)(fault, response);
}
const requestIdOf = (response) => response.headers.get('x-request-id');
/** In seconds. The header is a number of seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterIn(headers) {
    const value = headers.get('retry-after');
    if (value === null)
        return null;
    const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
    return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}
function connect(options) {
    const settings = settingsFrom(options);
    if (settings.key?.startsWith('pk-'))
        throw new TypeError(ONLY_EVENTS);
    const loadToken = call('getCsrf', 'GET', '/v1/account/csrf');
    const csrfToken = settings.session ? csrfTokens(loadToken) : null;
    /** Throws a TypeError for errors of the caller, such as an invalid header. If headers have the same name, the last one
     *  is sent: first `defaults`, then those of the client, then `more`. */
    function request(operation, input, more, defaults = {}) {
        requireObject(operation, input);
        const headers = new Headers(defaults);
        const credential = settings.key === undefined ? {} : { authorization: `Bearer ${settings.key}` };
        const given = [settings.headers, credential, ...more].flatMap(one => Object.entries(one ?? {}));
        for (const [name, value] of given)
            headers.set(name, value);
        return requestFor(settings.baseUrl, operation, input, headers);
    }
    const perform = (made, read, options) => performed(made, read, options, settings, csrfToken);
    function call(...operation) {
        return (input = {}, options = {}) => callOf(async () => perform(request(operation, input, [options.headers]), readJson, options));
    }
    /** All attempts of a call have the same key, so that the host creates one resource however often it is called. For
     *  other operations it ignores the key, even if the caller sends one. */
    function create(...operation) {
        return (input = {}, options = {}) => callOf(async () => perform(keyed(operation, input, options), readJson, options));
    }
    function keyed(operation, input, { headers, idempotencyKey }) {
        const chosen = idempotencyKey === undefined ? undefined : { 'idempotency-key': idempotencyKey };
        const made = request(operation, input, [headers, chosen], { 'idempotency-key': crypto.randomUUID() });
        return { ...made, isRepeatable: true };
    }
    /** Like `create`, for model calls: the host runs one call per key here too. */
    function model(...operation) {
        return (input = {}, options = {}) => callOf(async () => perform({ ...keyed(operation, input, options), isCostly: true }, readJson, options));
    }
    /** For operations that answer with something other than JSON, such as a redirect, which is not followed. */
    function send(...operation) {
        return (input = {}, options = {}) => {
            const made = () => ({ ...request(operation, input, [options.headers]), mayRedirect: true });
            return callOf(async () => perform(made(), readWhole, options));
        };
    }
    /** All items of a listing; each page is requested when its first item is needed. */
    function all(...operation) {
        const page = call(...operation);
        return (input = {}, options = {}) => {
            return leavable(options.signal, signal => {
                const load = (after) => {
                    requireObject(operation, input);
                    return page({ ...input, after }, { ...options, signal }).withResponse();
                };
                return itemsOf(`${operation[1]} ${operation[2]}`, load, input?.after, signal);
            });
        };
    }
    return { call, create, model, send, all, ...streamsOf(request, perform) };
}
/** The methods that answer event streams. */
function streamsOf(request, perform) {
    /** The host sends strings unchanged; then `parse` is `String`. */
    function events(id, method, path, parse = JSON.parse) {
        const read = (...answer) => eventsIn(parse, ...answer);
        return (input = {}, options = {}) => streamed([id, method, path], input, options, read);
    }
    /** The data of the events, for operations that answer with a value or its parts. */
    function parts(...operation) {
        const read = (...answer) => partsIn(operation[2], ...answer);
        return (input = {}, options = {}) => streamed(operation, input, options, read);
    }
    /** The request is sent when the first event is needed, and cancelled when the loop is left. */
    function streamed(operation, input, options, read) {
        return leavable(options.signal, async function* (signal) {
            const made = request(operation, input, [{ accept: 'text/event-stream' }, options.headers]);
            const { response, deadline } = await perform(made, async () => { }, { ...options, signal });
            try {
                if (!hasType(response, 'text/event-stream'))
                    throw foreignAnswer(made.route, response, '');
                yield* read(response, deadline, signal);
            }
            finally {
                deadline.cancel();
            }
        });
    }
    return { events, parts };
}
/** Its `return` also ends a pending `next`, for which that of a generator would wait. The signal of `iterate` aborts
 *  then, and when `outer` does. */
function leavable(outer, iterate) {
    const controller = new AbortController();
    const follow = () => controller.abort(outer?.reason);
    let isLeft = false;
    async function* items() {
        if (outer?.aborted)
            follow();
        outer?.addEventListener('abort', follow, { once: true });
        try {
            yield* iterate(controller.signal);
        }
        catch (error) {
            if (!isLeft)
                throw error;
        }
        finally {
            outer?.removeEventListener('abort', follow);
        }
    }
    const stream = items();
    const end = stream.return.bind(stream);
    stream.return = value => {
        isLeft = true;
        controller.abort();
        return end(value);
    };
    return stream;
}
const ONLY_EVENTS = '`key` is a publishable key, which can only send events: `createEvents({ baseUrl, key })`. For calls, use a secret key.';
/** The method that sends these fields, too. */
function withFields(method, fields) {
    return (input = {}, options) => method(typeof input === 'object' ? { ...input, ...fields } : input, options);
}
function either(whole, parts) {
    const method = (input, options) => input?.stream === true ? parts(input, options) : whole(input, options);
    return method;
}
/** Throws a StoaConnectionError for an answer that is not a page, and for a repeated cursor, with which the listing
 *  would not end. */
async function* itemsOf(route, load, first, signal) {
    let after = first;
    const cursors = new Set([after]);
    do {
        const { data: page, response } = await load(after);
        if (!isPageOf(page))
            throw foreignAnswer(route, response, JSON.stringify(page) ?? '');
        for (const item of page.data) {
            signal?.throwIfAborted();
            yield item;
        }
        after = page.next;
        if (after && cursors.has(after)) {
            throw new StoaConnectionError(`${route}: the answer has a cursor that an earlier page had.`, { response });
        }
        cursors.add(after);
    } while (after);
}
function isPageOf(value) {
    const { data, next } = (value ?? {});
    return Array.isArray(data) && typeof next === 'string';
}
/** A copy whose body is already loaded: reading the original later would have no deadline. */
async function readWhole(response) {
    if (response.type === 'opaqueredirect')
        return response; // It has no body, and a status that a copy cannot have.
    const body = await response.arrayBuffer();
    return new Response(body.byteLength > 0 ? body : null, response);
}
function callOf(perform) {
    const answered = perform().then(({ data, response, deadline }) => {
        deadline.end();
        return { data, response, requestId: requestIdOf(response) };
    });
    const value = answered.then(({ data }) => data);
    const withResponse = () => {
        value.catch(() => { }); // The caller uses the other promise, which rejects with the same error.
        return answered;
    };
    return Object.assign(value, { withResponse });
}
/** Path parameters are filled from the input; the rest becomes the query of a GET or DELETE, otherwise the body. */
function requestFor(baseUrl, [, method, path], input, headers) {
    const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
    const filled = path.replace(PATH_FIELD, (_, name) => {
        const value = rest.get(name);
        rest.delete(name);
        return segment(name, value);
    });
    const url = new URL(baseUrl + filled);
    const inQuery = method === 'GET' || method === 'DELETE';
    if (inQuery)
        for (const [name, value] of rest)
            for (const one of [value].flat())
                url.searchParams.append(name, String(one));
    else
        headers.set('content-type', 'application/json');
    return {
        route: `${method} ${path}`,
        method,
        url: url.href,
        headers: Object.fromEntries(headers),
        body: inQuery ? null : JSON.stringify(Object.fromEntries(rest)),
        isRepeatable: ['GET', 'PUT', 'DELETE'].includes(method),
        mayRedirect: false,
        isCostly: false,
        keepalive: false,
    };
}
const PATH_FIELD = /\{(\w+)\}/g;
/** Throws a TypeError that shows how to write it, without the value, which may be confidential. */
function requireObject([id, , path], input) {
    if (typeof input === 'object' && input !== null && !Array.isArray(input))
        return;
    const names = Array.from(path.matchAll(PATH_FIELD), ([, name]) => `${name}: '…'`);
    const shown = `stoa.${id}({ ${names.join(', ') || '…'} })`;
    throw new TypeError(`\`${id}\` takes one object with named fields; write \`${shown}\`.`);
}
/** URL parsing removes empty and dot segments, which would call another operation. */
function segment(name, value) {
    const text = String(value ?? '');
    if (text === '')
        throw new TypeError(`\`${name}\` is missing.`);
    if (['.', '..'].includes(text))
        throw new TypeError(`\`${name}\` must not be "${text}"`);
    return encodeURIComponent(text);
}
/** Thrown by a reader for a body that is not JSON. */
class NotJson extends Error {
    body;
    constructor(body, cause) {
        super('no JSON', { cause });
        this.body = body;
    }
}
async function readJson(response) {
    if (response.status === 204)
        return undefined;
    const body = await response.text();
    try {
        return JSON.parse(body);
    }
    catch (cause) {
        throw new NotJson(body, cause);
    }
}
/** Statuses of temporary conditions. 409 is not one: a repeated call would conflict in the same way. */
const PASSING = [408, 429, 502, 503, 504];
/** Rejects only with the reason of the caller's signal. */
async function attempt(made, read, { fetch, session }, timeoutMs, outer) {
    const { route, method, url, headers, body, mayRedirect, keepalive } = made;
    const deadline = startDeadline(timeoutMs, outer);
    const { signal } = deadline;
    // Following a redirect, `fetch` would turn a POST into a GET, which is another operation, and send custom headers to any
    // origin.
    const redirect = 'manual';
    // Not every runtime supports `credentials` and `keepalive`, so they are set only where needed.
    const more = { ...(session && { credentials: 'include' }), ...(keepalive && { keepalive }) };
    let response;
    try {
        response = await fetch(url, { method, headers, body, redirect, signal, ...more });
        if (response.ok || (mayRedirect && isRedirect(response)))
            return { data: await read(response), response, deadline };
        const failure = failureOf(made, response, await response.text());
        deadline.end();
        return failure;
    }
    catch (thrown) {
        const isLate = signal.aborted;
        deadline.cancel();
        outer?.throwIfAborted();
        if (response && thrown instanceof NotJson && !hasType(response, 'application/json')) {
            return { error: foreignAnswer(route, response, thrown.body, thrown.cause), again: 'never', retryAfter: null };
        }
        const cause = isLate ? signal.reason : thrown instanceof NotJson ? thrown.cause : thrown;
        return lostAnswer(made, cause, isLate, response);
    }
}
function lostAnswer({ route, url, isCostly }, cause, isLate, response) {
    const what = response ? 'the answer was incomplete' : 'there was no answer';
    const code = codeOf(cause);
    // `fetch failed` is meaningless; the code of its cause is not.
    const words = code || (cause instanceof Error ? cause.message : String(cause));
    const advice = isLate || response ? '' : adviceOn(code, isPage());
    const message = `${route}: ${what}: ${new URL(url).origin}, ${words}${advice && `. ${advice}`}`;
    const error = new StoaConnectionError(message, { cause, response });
    // Another attempt would take as long, and the model's work so far is charged.
    const isVain = isLasting(code) || (isLate && isCostly);
    return { error, again: isVain ? 'never' : UNSENT.includes(code) ? 'always' : 'repeatable', retryAfter: null };
}
/** For an answer that is not 2xx. */
function failureOf({ route, isCostly }, response, body) {
    const error = errorOf(route, response, body);
    const { status } = response;
    // The host has already retried with the model's providers as often as is useful.
    const isVain = isCostly && (status === 504 || (status === 502 && error instanceof StoaApiError));
    const again = PASSING.includes(status) && !isVain ? 'repeatable' : 'never';
    return { error, again, retryAfter: retryAfterIn(response.headers) };
}
function errorOf(route, response, body) {
    try {
        const fault = faultIn(JSON.parse(body));
        return fault ? apiError(fault, response) : foreignAnswer(route, response, body);
    }
    catch (cause) {
        return foreignAnswer(route, response, body, cause);
    }
}
/** Browsers do not reveal the status and headers of a redirect. */
const isRedirect = ({ status, type }) => (status >= 300 && status < 400) || type === 'opaqueredirect';
const hasType = ({ headers }, type) => headers.get('content-type')?.startsWith(type) === true;
/** The error codes of Node's `fetch` before it has a connection. Browsers do not report them. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];
/** Empty in browsers, which do not report it. */
function codeOf(error) {
    const { cause } = (error ?? {});
    return cause?.code ?? '';
}
// Runs attempts, and decides whether and when a failed one is retried.
/** The bound of the first wait, which doubles with every attempt. Waits are random below it ("full jitter"), so that
 *  clients that failed together do not retry together. */
const BACKOFF_MS = 500;
const BACKOFF_MS_MAX = 8_000;
const TIMEOUT_MS = 60_000;
/** A model may take minutes to answer. */
const MODEL_TIMEOUT_MS = 600_000;
/** Retries until an attempt succeeds or no further one is allowed. Reading may continue: the caller ends the deadline. */
async function performed(made, read, options, settings, csrfToken) {
    const { signal, retries = settings.retries } = options;
    const timeoutMs = options.timeoutMs ?? settings.timeoutMs ?? (made.isCostly ? MODEL_TIMEOUT_MS : TIMEOUT_MS);
    let tries = 0;
    let refusedToken = null;
    while (true) {
        signal?.throwIfAborted();
        const needsToken = csrfToken !== null && made.method !== 'GET';
        const token = needsToken ? await orAborted(csrfToken(refusedToken), signal) : null;
        if (token !== null)
            made.headers['x-csrf-token'] = token;
        const outcome = await attempt(made, read, settings, timeoutMs, signal);
        if ('data' in outcome)
            return outcome;
        if (token !== null && refusedToken === null && isTokenRefused(outcome.error)) {
            refusedToken = token;
            continue;
        }
        const waitMs = tries < retries ? waitMsAfter(outcome, made.isRepeatable, tries, settings.retryWaitMaxMs) : null;
        if (waitMs === null)
            throw outcome.error;
        tries++;
        await sleep(waitMs, signal);
    }
}
const isTokenRefused = (error) => error instanceof StoaApiError && error.code === 'csrf_token_required';
/** The wait before the next attempt; null if there must be none. `tries` counts the earlier retries. */
function waitMsAfter({ again, retryAfter }, isRepeatable, tries, maxMs) {
    if (again === 'never' || (again === 'repeatable' && !isRepeatable))
        return null;
    const askedMs = 1000 * (retryAfter ?? 0);
    if (askedMs > Math.min(maxMs, TIMER_MS_MAX))
        return null;
    return Math.max(askedMs, backoffMs(tries, maxMs));
}
const backoffMs = (tries, maxMs) => Math.random() * Math.min(BACKOFF_MS * 2 ** tries, BACKOFF_MS_MAX, maxMs);
// The deadline of an attempt, and the wait before the next one. Timers and listeners end with their call.
/** `setTimeout` treats longer times as 1 ms. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** Its signal aborts when the caller's does, or when the time is over. `end` must be called. */
function startDeadline(timeoutMs, outer) {
    const controller = new AbortController();
    let timer;
    const follow = () => controller.abort(outer?.reason);
    const pause = () => clearTimeout(timer);
    /** Restarts with another time. */
    const restart = (ms) => {
        pause();
        const expire = () => controller.abort(new DOMException(`No answer within ${ms} ms`, 'TimeoutError'));
        timer = setTimeout(expire, Math.min(ms, TIMER_MS_MAX));
    };
    const end = () => {
        pause();
        outer?.removeEventListener('abort', follow);
    };
    /** Ends the deadline, and cancels the request if it is still running. */
    const cancel = () => {
        end();
        controller.abort();
    };
    outer?.throwIfAborted();
    outer?.addEventListener('abort', follow, { once: true });
    restart(timeoutMs);
    return { signal: controller.signal, pause, restart, end, cancel };
}
async function sleep(ms, signal) {
    let timer;
    const elapsed = new Promise(resolve => {
        timer = setTimeout(resolve, ms);
    });
    await orAborted(elapsed, signal).finally(() => clearTimeout(timer));
}
/** Settles like `awaited`, but rejects as soon as the signal aborts. */
async function orAborted(awaited, signal) {
    let abort = () => { };
    const aborted = new Promise((_resolve, reject) => {
        abort = () => reject(signal?.reason);
    });
    if (signal?.aborted)
        abort();
    signal?.addEventListener('abort', abort, { once: true });
    return Promise.race([awaited, aborted]).finally(() => signal?.removeEventListener('abort', abort));
}
// The CSRF token of a browser session, which the host requires for writes.
/** The token is renewed before it expires, so that a slow request still arrives in time. */
const RENEWAL_S = 60;
function csrfTokens(get) {
    let latest = null;
    const load = () => {
        const loading = get().then(({ csrfToken, expiresIn }) => {
            return { token: csrfToken, expires: Date.now() + 1000 * Math.max(expiresIn - RENEWAL_S, expiresIn / 2) };
        });
        loading.catch(() => {
            if (latest === loading)
                latest = null; // The next call tries again; this one gets the error.
        });
        latest = loading;
        return loading;
    };
    return async (refused) => {
        const known = latest ?? load();
        const { token, expires } = await known;
        if (token !== refused && Date.now() < expires)
            return token;
        const renewed = latest && latest !== known ? latest : load(); // Another call may have renewed it meanwhile.
        return (await renewed).token;
    };
}
// Reads event streams (`text/event-stream`) according to the HTML standard, section 9.2.
/** The host sends a comment every 15 seconds, so a stream that is silent for longer is lost. */
const SILENCE_MS = 60_000;
const CUT_OFF = 'The event stream was incomplete.';
/** The events of an answer. A fault sent by the host as an event is thrown. */
async function* eventsIn(parse, response, deadline, outer) {
    const parser = eventParser();
    for await (const chunk of chunksOf(response, deadline, outer)) {
        for (const { event, data, id } of parser.eventsIn(chunk)) {
            outer?.throwIfAborted();
            const fault = event === 'error' ? faultIn(jsonOrText(data)) : null;
            if (fault)
                throw apiError(fault, response);
            yield { event, data: parsed(event, data, parse, response), id };
        }
    }
    // Some versions of `fetch` do not distinguish a lost connection from the end.
    if (!parser.isBetweenEvents())
        throw new StoaConnectionError(CUT_OFF, { response });
}
/** The parts of a value, such as a model's answer. Errors of its provider are thrown, too. */
async function* partsIn(path, ...answer) {
    const [response] = answer;
    let isWhole = !MODEL_PATHS.includes(path);
    for await (const { event, data: text } of eventsIn(String, ...answer)) {
        if (text === '[DONE]') {
            isWhole = true; // The end, in the chat-completions format.
            continue;
        }
        const data = event === 'error' ? jsonOrText(text) : parsed(event, text, JSON.parse, response);
        const fault = providerFaultIn(event, data);
        if (fault)
            throw apiError(fault, response);
        isWhole ||= isLast(data);
        yield data;
    }
    if (!isWhole)
        throw new StoaConnectionError(CUT_OFF, { response });
}
/** Their streams have a last part. */
const MODEL_PATHS = ['/v1/chat/completions', '/v1/responses', '/v1/messages'];
/** The last parts of responses and messages. */
const LAST = ['response.completed', 'response.incomplete', 'response.failed', 'message_stop'];
/** Some providers of chat completions send no `[DONE]`. */
function isLast(data) {
    const { type, choices } = (data ?? {});
    return LAST.includes(type) || (Array.isArray(choices) && choices.some(one => one?.finish_reason));
}
function parsed(event, text, parse, response) {
    try {
        return parse(text);
    }
    catch (cause) {
        throw new StoaConnectionError(`The data of the event \`${event}\` is no JSON.`, { cause, response });
    }
}
/** The fields with the content of a part, in all formats. */
const CONTENT = ['choices', 'delta', 'response', 'item', 'part', 'content_block'];
/** Providers report errors as `{"error":{"message",…}}`, as `{"error":"…"}`, as `{"type":"error","message",…}`, or as a
 *  text, with or without a code. */
function providerFaultIn(event, data) {
    const part = Object(data ?? {});
    const isError = event === 'error' || part.type === 'error';
    const { type: _, ...flat } = part;
    const error = part.error ?? (!isError ? null : typeof data === 'object' ? flat : data);
    if (error === null)
        return null;
    const { message, type, code, ...more } = Object(error);
    const says = typeof error === 'string' ? error : message;
    const isText = typeof says === 'string' && says !== '';
    if (!isError && !(isText && typeof error === 'object') && CONTENT.some(name => (part[name] ?? null) !== null))
        return null;
    const kind = typeof type === 'string' ? type : 'api_error';
    const told = isText ? says : `The model's provider reported an error: ${JSON.stringify(error)}`;
    return { ...more, code: String(code ?? kind), message: told, type: kind };
}
function jsonOrText(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return text;
    }
}
async function* chunksOf(response, deadline, outer) {
    const reader = response.body?.getReader();
    const decoder = new TextDecoder(); // Removes a byte order mark.
    while (reader) {
        deadline.restart(SILENCE_MS);
        const { done, value } = await reader.read().catch(thrown => {
            outer?.throwIfAborted();
            const cause = deadline.signal.aborted ? deadline.signal.reason : thrown;
            throw new StoaConnectionError(CUT_OFF, { cause, response });
        });
        deadline.pause(); // The caller may take as long as it likes for an event.
        if (done)
            return;
        yield decoder.decode(value, { stream: true });
    }
}
/** `eventsIn` takes the next part of a stream and returns the events that it completes. */
function eventParser() {
    const splitter = lineSplitter();
    let [event, id] = ['', ''];
    let data = [];
    const take = (line) => {
        if (line === '') {
            const complete = data.length > 0 ? { event: event || 'message', data: data.join('\n'), id } : null;
            event = '';
            data = [];
            return complete;
        }
        const [, name, value = ''] = line.match(/^([^:]*)(?:: ?(.*))?$/s);
        if (name === 'event')
            event = value;
        if (name === 'data')
            data.push(value);
        if (name === 'id' && !value.includes('\0'))
            id = value;
        return null;
    };
    return {
        eventsIn: (chunk) => splitter.linesIn(chunk).flatMap(line => take(line) ?? []),
        isBetweenEvents: () => data.length === 0 && event === '' && splitter.isBetweenLines(),
    };
}
/** `linesIn` takes the next part of a text and returns the lines that it completes: by CR, LF or CRLF. */
function lineSplitter() {
    let rest = '';
    let endedInCr = false;
    const linesIn = (chunk) => {
        if (chunk === '')
            return [];
        // The line was complete with the CR already; the LF of a CRLF may arrive later.
        const text = endedInCr && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
        endedInCr = chunk.endsWith('\r');
        const lines = text.split(/\r\n|\r|\n/);
        lines[0] = rest + lines[0];
        rest = lines.pop();
        return lines;
    };
    return { linesIn, isBetweenLines: () => rest === '' };
}
// Advice for a call that did not reach a Stoa host.
const SHOWN_MAX = 80;
/** For an answer that did not come from the host; `body` is what arrived. */
function foreignAnswer(route, response, body, cause) {
    const { url, status, statusText, headers } = response;
    const kind = headers.get('content-type')?.split(';', 1)[0] ?? 'no content type';
    const start = body
        .slice(0, 10 * SHOWN_MAX)
        .replaceAll(/\s+/g, ' ')
        .trim();
    const shown = start === '' ? '' : ` It starts with: ${start.slice(0, SHOWN_MAX)}${start.length > SHOWN_MAX ? '…' : ''}`;
    const message = `${route}: the answer (${`${status} ${statusText}`.trim()}, ${kind}) did not come from a Stoa host. Either \`baseUrl\` is not ` +
        `the address of one${URL.canParse(url) ? ` (${new URL(url).origin})` : ''}, or a proxy in between answered.${shown}`;
    return new StoaConnectionError(message, { cause, response });
}
/** Node's error codes for a certificate whose authority is unknown. */
const UNKNOWN_AUTHORITY = [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
];
const NO_TLS = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];
const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';
const EXPIRED = 'CERT_HAS_EXPIRED';
/** Whether another attempt would fail in the same way. */
const isLasting = (code) => [...UNKNOWN_AUTHORITY, ...NO_TLS, OTHER_NAME, EXPIRED].includes(code);
/** `code` is Node's error code, empty in browsers. Returns an empty text if there is no advice. */
function adviceOn(code, isPage) {
    if (UNKNOWN_AUTHORITY.includes(code)) {
        return ('The authority of its certificate is unknown. Start Node with the file of the authority: ' +
            'NODE_EXTRA_CA_CERTS=data/tls/ca.pem for a Stoa on this machine. Setting it later, in `process.env`, has no effect.');
    }
    if (NO_TLS.includes(code))
        return 'The server there does not use TLS: check the port in `baseUrl`.';
    if (code === OTHER_NAME)
        return 'Its certificate is for another name: use that name in `baseUrl`, such as `localhost`.';
    if (code === EXPIRED)
        return 'Its certificate has expired.';
    if (code === 'ECONNREFUSED') {
        return 'No server is listening there: start Stoa with `npm start`, or correct the host and the port in `baseUrl`.';
    }
    if (code === 'ENOTFOUND')
        return 'The host name does not exist: correct it in `baseUrl`.';
    if (code !== '' || !isPage)
        return '';
    return ('Browsers do not report the cause: perhaps no server is listening there, its certificate is not trusted, or pages of this origin ' +
        'may not call it (CORS).');
}
const FLUSH_MS = 30_000;
const CLOSE_MS = 10_000;
/** The limit of what browsers send for closed pages, for all requests together. */
const KEEPALIVE_BYTES_MAX = 64 * 1024;
export function createEvents(options) {
    const settings = settingsFrom(options);
    if (!settings.key)
        throw new TypeError('`key` is missing: events need a publishable key, `pk-…`, or a secret one.');
    const report = reporter(options.onError);
    const queue = openQueue();
    const sender = openSender(settings, queue, report);
    const ending = untilEnd(() => void finish(CLOSE_MS), sendLast);
    const sending = openSending(queue, sender, options.intervalMs ?? 1000, ending.ignore);
    /** In requests that outlive the page. */
    const outliving = new Set();
    let outlivingBytes = 0;
    let isClosed = false;
    function capture(event) {
        if (typeof event !== 'object' || event === null)
            throw new TypeError(ONE_OBJECT);
        const refusal = sender.refusal();
        const reason = refusal ? 'key_refused' : isClosed ? 'closed' : queue.add(event);
        if (reason === null) {
            ending.listen();
            sending.added();
        }
        else
            report(refusal ?? new StoaError(WORDS[reason]), [{ event, reason }]);
    }
    async function flush({ timeoutMs = FLUSH_MS } = {}) {
        const asked = queue.all();
        if (asked.length === 0)
            return;
        const over = new AbortController();
        // This timer keeps the process alive.
        const late = sleep(Math.min(timeoutMs, TIMER_MS_MAX), over.signal).catch(() => { });
        await Promise.race([sending.all(), late]);
        over.abort();
        const left = queue.countOf(asked);
        if (left > 0)
            throw new StoaConnectionError(`${left === 1 ? '1 event was' : `${left} events were`} not sent within ${timeoutMs} ms.`, {});
    }
    const finish = (timeoutMs) => flush({ timeoutMs }).catch(sender.giveUp);
    async function close({ timeoutMs = CLOSE_MS } = {}) {
        isClosed = true;
        await finish(timeoutMs);
    }
    /** The page may disappear immediately. Events being sent are sent again: the browser cancels the other request. A page
     *  that is left is also hidden, so this is called twice. */
    function sendLast() {
        for (const batch of queue.batches(Number.POSITIVE_INFINITY, KEEPALIVE_BYTES_MAX - outlivingBytes, outliving)) {
            const bytes = requestBytes(batch);
            outlivingBytes += bytes;
            for (const one of batch)
                outliving.add(one);
            const over = () => {
                outlivingBytes -= bytes;
                for (const one of batch)
                    outliving.delete(one);
            };
            sender.send(batch, true).then(over, over); // Rejects if given up, which is reported.
        }
    }
    return { capture, flush, close };
}
const ONE_OBJECT = "`capture` takes one object; write `events.capture({ event: '…', properties: { … } })`.";
const WORDS = {
    not_json: 'An event was dropped because it is not JSON: it contains itself or a BigInt.',
    too_large: 'An event was dropped because it is larger than 64 KiB.',
    queue_full: 'An event was dropped because too many are waiting to be sent.',
    closed: 'An event was dropped because `close` was called before.',
};
/** Errors of the caller's function are thrown where they cannot stop the sending. */
function reporter(onError) {
    let last = '';
    const warn = ({ message }, { length }) => {
        // One line per kind, however many events there are.
        // biome-ignore lint/suspicious/noConsole: the caller set no `onError` to hear of lost events
        if (message !== last)
            console.warn(`stoa-client: ${message}${length > 0 ? ' Events were dropped.' : ''}`);
        last = message;
    };
    return (error, dropped) => {
        try {
            ;
            (onError ?? warn)(error, dropped);
        }
        catch (thrown) {
            queueMicrotask(() => {
                throw thrown;
            });
        }
    };
}
/** The host's limits for one request. */
const REQUEST_EVENTS_MAX = 50;
const REQUEST_BYTES_MAX = 64 * 1024;
/** The amount of events that may be queued while the host is unreachable, without harm to the process. */
const QUEUE_EVENTS_MAX = 10_000;
const QUEUE_BYTES_MAX = 16 * 1024 * 1024;
/** A request without events. All times have the same length. */
const bodyOf = (texts) => `{"sentAt":"${new Date().toISOString()}","batch":[${texts.join()}]}`;
function openQueue() {
    const waiting = new Set();
    const envelopeBytes = bodyOf([]).length;
    let bytes = 0;
    /** Why the event was not added; null if it was. */
    function add(event) {
        const queued = queuedOf(event);
        if (queued === null)
            return 'not_json';
        if (queued.bytes + envelopeBytes > REQUEST_BYTES_MAX)
            return 'too_large';
        if (waiting.size >= QUEUE_EVENTS_MAX || bytes + queued.bytes > QUEUE_BYTES_MAX)
            return 'queue_full';
        waiting.add(queued);
        bytes += queued.bytes;
        return null;
    }
    /** The events that are still waiting; others may have been settled meanwhile. */
    function remove(events) {
        const removed = Array.from(events).filter(one => waiting.delete(one));
        for (const one of removed)
            bytes -= one.bytes;
        return removed;
    }
    /** The oldest events, in requests as full as possible: up to this many requests, of this many bytes in total. */
    function batches(max, bytesMax = Number.POSITIVE_INFINITY, without) {
        const all = [];
        let [size, total] = [0, 0];
        for (const one of waiting) {
            if (without?.has(one))
                continue;
            const batch = all.at(-1);
            // A comma separates two events.
            const isNew = !batch || batch.length === REQUEST_EVENTS_MAX || size + one.bytes + 1 > REQUEST_BYTES_MAX;
            if (isNew && all.length === max)
                break;
            const more = one.bytes + (isNew ? envelopeBytes : 1);
            if (total + more > bytesMax)
                break;
            size = isNew ? more : size + more;
            total += more;
            if (isNew)
                all.push([one]);
            else
                batch.push(one);
        }
        return all;
    }
    const isFull = () => waiting.size >= REQUEST_EVENTS_MAX || envelopeBytes + bytes + waiting.size > REQUEST_BYTES_MAX;
    const countOf = (events) => events.filter(one => waiting.has(one)).length;
    return { add, remove, batches, isFull, countOf, all: () => [...waiting], size: () => waiting.size };
}
/** Of the text, at most: with a comma for each. */
const requestBytes = (batch) => batch.reduce((sum, one) => sum + one.bytes + 1, bodyOf([]).length);
const batchText = (batch) => bodyOf(batch.map(({ text }) => text));
/** Null if it is not JSON, because it contains itself or a BigInt. */
function queuedOf(event) {
    const { messageId = crypto.randomUUID(), timestamp = new Date().toISOString(), properties = {} } = event;
    const complete = { ...event, messageId, timestamp, properties };
    try {
        const text = JSON.stringify(complete);
        return { event: complete, text, bytes: new TextEncoder().encode(text).length };
    }
    catch {
        return null; // The caller of `add` reports it.
    }
}
// Decides when requests with events are sent: after an interval, when one is full, or on request of the caller; after a
// failure, again.
/** `onEmpty` is called when nothing is left to send. */
function openSending(queue, sender, intervalMs, onEmpty) {
    let timer;
    let running = null;
    let wake = () => { };
    /** How many events to send now. The others wait for more. */
    let due = 0;
    /** For an event that was added. */
    function added() {
        if (queue.isFull())
            void start();
        else
            timer ??= unheld(all, intervalMs);
    }
    /** Sends the queued events. Ends a wait after a failure, unless the host requested it. */
    function all() {
        due = queue.size();
        wake();
        return start();
    }
    function start() {
        clearTimeout(timer);
        timer = undefined;
        running ??= run().finally(() => {
            running = null;
            if (queue.size() === 0)
                onEmpty();
            else
                timer ??= unheld(all, intervalMs);
        });
        return running;
    }
    /** One request after the other, so that events arrive in their order. */
    async function run() {
        while (queue.size() > 0 && (due > 0 || queue.isFull())) {
            const [batch = []] = queue.batches(1);
            const failure = await sender.send(batch, false).catch(() => null); // Given up: the queue is empty.
            if (failure === null)
                due = Math.max(0, due - batch.length);
            else
                await pause(failure.waitMs, failure.isAsked);
        }
        due = 0;
    }
    const pause = (waitMs, isAsked) => new Promise(resolve => {
        unheld(resolve, waitMs);
        wake = isAsked ? () => { } : resolve;
    });
    return { added, all };
}
/** A timer that does not keep the process alive. */
function unheld(elapsed, ms) {
    const timer = setTimeout(elapsed, Math.min(ms, TIMER_MS_MAX));
    timer.unref?.();
    return timer;
}
const TIMEOUT_MS_OF_EVENTS = 10_000;
const RETRY_MS_MAX = 8_000;
/** The longest wait that a host can request. A longer one would stop the events of this process for good. */
const ASKED_MS_MAX = 60_000;
function openSender(settings, queue, report) {
    let leaving = new AbortController();
    let refusal = null;
    let failures = 0;
    function drop(events, reason, error) {
        const dropped = queue.remove(events).map(({ event }) => ({ event, reason }));
        if (dropped.length > 0)
            report(error, dropped);
    }
    /** Resolves to the wait before the next request; `isAsked` if the host requested it. */
    async function send(batch, keepalive) {
        const headers = new Headers({ ...settings.headers, authorization: `Bearer ${settings.key}` });
        const made = { ...requestFor(settings.baseUrl, INGEST, {}, headers), body: batchText(batch), keepalive };
        const timeoutMs = settings.timeoutMs ?? TIMEOUT_MS_OF_EVENTS;
        const outcome = await attempt(made, readJson, settings, timeoutMs, leaving.signal);
        if ('error' in outcome)
            return failed(batch, outcome);
        const { data: receipt, response, deadline } = outcome;
        deadline.end();
        failures = 0;
        if (typeof receipt?.accepted === 'number')
            settle(batch, receipt);
        else
            drop(batch, 'no_receipt', foreignAnswer(made.route, response, JSON.stringify(receipt) ?? ''));
        return null;
    }
    function settle(batch, { errors = [] }) {
        for (const reason of new Set(errors.map(one => one.reason))) {
            const events = errors.flatMap(one => (one.reason === reason ? (batch[one.index] ?? []) : []));
            drop(events, reason, new StoaError(`The host did not store ${events.length} of the events: ${reason}.`));
        }
        queue.remove(batch);
    }
    function failed(batch, { error, again, retryAfter }) {
        const status = error instanceof StoaApiError || error instanceof StoaConnectionError ? error.status : null;
        if (error instanceof StoaApiError && [401, 403].includes(error.status) && error.code !== OF_THE_EVENTS) {
            refusal = error;
            drop(queue.all(), error.code, error);
        }
        else if (again !== 'never' || status === null || status >= 500) {
            if (failures === 0)
                report(error, []);
            const waitMs = Math.max(Math.min(1000 * (retryAfter ?? 0), ASKED_MS_MAX), backoffMs(failures++, RETRY_MS_MAX));
            return { waitMs, isAsked: retryAfter !== null };
        }
        else
            drop(batch, error instanceof StoaApiError ? error.code : 'no_receipt', error);
        return null;
    }
    /** Drops the remaining events and cancels running requests. */
    function giveUp(error) {
        drop(queue.all(), 'not_confirmed', error);
        leaving.abort();
        leaving = new AbortController();
    }
    /** `refusal`: why the host refuses the key, so that it is not used any more. */
    return { send, giveUp, refusal: () => refusal };
}
const INGEST = ['ingestEvents', 'POST', '/v1/event'];
/** The key may send events, but not these. */
const OF_THE_EVENTS = 'insufficient_capability';
/** The senders with events, for one listener of the process: Node warns of more than ten. */
const unsent = new Set();
const sendAll = () => {
    for (const send of [...unsent])
        send();
};
/** Listens from `listen` to `ignore`, so that a sender without events can be collected. */
function untilEnd(beforeExit, onLeave) {
    const runtime = globalThis;
    const { process, document } = runtime;
    const onChange = () => {
        if (document?.visibilityState === 'hidden')
            onLeave();
    };
    let isListening = false;
    function listen() {
        if (isListening)
            return;
        isListening = true;
        if (isPage()) {
            document?.addEventListener('visibilitychange', onChange);
            runtime.addEventListener('pagehide', onLeave);
        }
        else if (unsent.add(beforeExit).size === 1)
            process?.on?.('beforeExit', sendAll);
    }
    function ignore() {
        isListening = false;
        if (isPage()) {
            document?.removeEventListener('visibilitychange', onChange);
            runtime.removeEventListener('pagehide', onLeave);
        }
        else if (unsent.delete(beforeExit) && unsent.size === 0)
            process?.off?.('beforeExit', sendAll);
    }
    return { listen, ignore };
}
// Verifies webhooks with Web Crypto, according to the Standard Webhooks specification or by the header
// `X-Webhook-Signature`.
/** Why a webhook must not be trusted. */
export class WebhookVerificationError extends StoaError {
    name = 'WebhookVerificationError';
}
/** Returns the parsed payload if the webhook was recently signed with the secret; otherwise throws a
 *  WebhookVerificationError. Remember its `webhook-id` or `x-webhook-delivery` to recognise duplicates. */
export async function verifyWebhook(webhook) {
    const { headers, secret, toleranceS = 300 } = webhook;
    if (!Number.isFinite(toleranceS) || toleranceS < 0)
        throw new TypeError('`toleranceS` must be a number, 0 or more.');
    if (typeof secret !== 'string' || secret === '')
        throw new TypeError('`secret` must be a string, and not empty.');
    if (typeof headers !== 'object' || headers === null)
        throw new TypeError('`headers` must be those of the request.');
    const body = bytesOf(webhook.payload);
    const read = isOnlyX(headers) ? xSignature : standardSignature;
    const { key, timestampS, prefix, given } = read(headers, secret);
    const ageS = Date.now() / 1000 - timestampS;
    if (ageS > toleranceS)
        throw new WebhookVerificationError(`The webhook is older than ${toleranceS} seconds.`);
    if (ageS < -toleranceS)
        throw new WebhookVerificationError(`The webhook's time is in the future: the clocks differ.`);
    const expected = await hmac(key, [utf8(prefix), body]);
    if (!given.some(one => isEqual(one, expected))) {
        throw new WebhookVerificationError('No signature matches: the secret is wrong, or the payload was changed.');
    }
    try {
        return JSON.parse(new TextDecoder().decode(body));
    }
    catch (cause) {
        throw new WebhookVerificationError('The payload is not JSON.', { cause });
    }
}
/** `v1,<base64> v1,<base64>`, under the bytes that the secret encodes. */
function standardSignature(headers, secret) {
    const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name => headerIn(headers, name));
    const timestampS = secondsOf(timestamp, 'webhook-timestamp');
    const given = signatures.split(' ').filter(one => one.startsWith('v1,'));
    if (given.length === 0)
        throw new WebhookVerificationError('The header `webhook-signature` has no signature `v1,…`.');
    const decoded = given.map(one => base64Bytes(one.slice(3)));
    return { key: secretBytes(secret), timestampS, prefix: `${id}.${timestamp}.`, given: decoded };
}
/** `t=<seconds>,v1=<hex>,v1=<hex>`, under the whole text of the secret. */
function xSignature(headers, secret) {
    const parts = headerIn(headers, 'x-webhook-signature').split(',');
    const valuesOf = (name) => parts.filter(one => one.startsWith(name)).map(one => one.slice(name.length));
    const times = valuesOf('t=');
    const timestamp = times.length === 1 ? times[0] : '';
    const timestampS = secondsOf(timestamp, 'x-webhook-signature');
    const given = valuesOf('v1=');
    if (given.length === 0)
        throw new WebhookVerificationError('The header `x-webhook-signature` has no signature `v1=…`.');
    return { key: utf8(secret), timestampS, prefix: `${timestamp}.`, given: given.map(hexBytes) };
}
const isOnlyX = (headers) => (valueIn(headers, 'webhook-signature') ?? null) === null && (valueIn(headers, 'x-webhook-signature') ?? null) !== null;
const valueIn = (headers, name) => typeof headers.get === 'function' ? headers.get(name) : headers[name];
function headerIn(headers, name) {
    const value = valueIn(headers, name);
    if (typeof value !== 'string' || value === '') {
        throw new WebhookVerificationError(`The header \`${name}\` is missing, or was sent more than once.`);
    }
    return value;
}
function secondsOf(timestamp, header) {
    if (/^\d{1,15}$/.test(timestamp))
        return Number(timestamp);
    throw new WebhookVerificationError(`The header \`${header}\` has no time in seconds.`);
}
function bytesOf(payload) {
    if (typeof payload === 'string')
        return utf8(payload);
    if (ArrayBuffer.isView(payload))
        return new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength);
    if (payload instanceof ArrayBuffer)
        return new Uint8Array(payload);
    throw new TypeError('`payload` must be the body as it arrived: a string, a Uint8Array or an ArrayBuffer.');
}
const utf8 = (text) => new TextEncoder().encode(text);
function secretBytes(secret) {
    const bytes = base64Bytes(secret.replace(/^whsec_/, ''));
    if (bytes && bytes.length > 0)
        return bytes;
    throw new WebhookVerificationError('The secret is not `whsec_` and base64.');
}
/** Null if the text is not base64. */
function base64Bytes(text) {
    try {
        return Uint8Array.from(atob(text), character => character.charCodeAt(0));
    }
    catch {
        return null; // The caller reports the error.
    }
}
/** Null if the text is not hexadecimal. */
function hexBytes(text) {
    if (!/^(?:[0-9a-f]{2})*$/.test(text))
        return null;
    return Uint8Array.from(text.match(/../g) ?? [], pair => Number.parseInt(pair, 16));
}
async function hmac(secret, parts) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']);
    const message = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
        message.set(part, at);
        at += part.length;
    }
    return new Uint8Array(await crypto.subtle.sign(algorithm, key, message));
}
/** Takes the same time wherever the first difference is, so that a signature cannot be guessed byte by byte. */
function isEqual(given, expected) {
    if (given?.length !== expected.length)
        return false;
    return expected.reduce((differences, byte, at) => differences | (byte ^ given[at]), 0) === 0;
}
export function createStoa(options) {
    const host = connect(options);
    return {
        listServices: host.call('listServices', 'GET', '/v1'),
        getHealth: host.call('getHealth', 'GET', '/v1/health'),
        getOpenapi: host.send('getOpenapi', 'GET', '/v1/openapi.json'),
        listApps: host.call('listApps', 'GET', '/v1/iam/apps'),
        listAppsAll: host.all('listAppsAll', 'GET', '/v1/iam/apps'),
        createApp: host.create('createApp', 'POST', '/v1/iam/apps'),
        getApp: host.call('getApp', 'GET', '/v1/iam/apps/{id}'),
        updateApp: host.call('updateApp', 'PATCH', '/v1/iam/apps/{id}'),
        deleteApp: host.call('deleteApp', 'DELETE', '/v1/iam/apps/{id}'),
        rotateAppSecret: host.call('rotateAppSecret', 'POST', '/v1/iam/apps/{id}/secret'),
        listAudit: host.call('listAudit', 'GET', '/v1/iam/audit'),
        listAuditAll: host.all('listAuditAll', 'GET', '/v1/iam/audit'),
        listInvites: host.call('listInvites', 'GET', '/v1/iam/invites'),
        listInvitesAll: host.all('listInvitesAll', 'GET', '/v1/iam/invites'),
        createInvite: host.create('createInvite', 'POST', '/v1/iam/invites'),
        deleteInvite: host.call('deleteInvite', 'DELETE', '/v1/iam/invites/{id}'),
        getMe: host.call('getMe', 'GET', '/v1/iam/me'),
        updateMe: host.call('updateMe', 'PATCH', '/v1/iam/me'),
        deleteMe: host.call('deleteMe', 'DELETE', '/v1/iam/me'),
        changeEmail: host.call('changeEmail', 'POST', '/v1/iam/me/email'),
        listMyInvitations: host.call('listMyInvitations', 'GET', '/v1/iam/me/invitations'),
        listMyInvitationsAll: host.all('listMyInvitationsAll', 'GET', '/v1/iam/me/invitations'),
        acceptInvitation: host.call('acceptInvitation', 'POST', '/v1/iam/me/invitations/{id}/accept'),
        declineInvitation: host.call('declineInvitation', 'POST', '/v1/iam/me/invitations/{id}/decline'),
        changePassword: host.call('changePassword', 'POST', '/v1/iam/me/password'),
        listMembers: host.call('listMembers', 'GET', '/v1/iam/members'),
        listMembersAll: host.all('listMembersAll', 'GET', '/v1/iam/members'),
        addMember: host.create('addMember', 'POST', '/v1/iam/members'),
        updateMember: host.call('updateMember', 'PATCH', '/v1/iam/members/{user}'),
        removeMember: host.call('removeMember', 'DELETE', '/v1/iam/members/{user}'),
        makeMemberUser: host.create('makeMemberUser', 'POST', '/v1/iam/members/{user}/to-user'),
        listOrgs: host.call('listOrgs', 'GET', '/v1/iam/orgs'),
        listOrgsAll: host.all('listOrgsAll', 'GET', '/v1/iam/orgs'),
        createOrg: host.create('createOrg', 'POST', '/v1/iam/orgs'),
        getOrg: host.call('getOrg', 'GET', '/v1/iam/orgs/{slug}'),
        updateOrg: host.call('updateOrg', 'PATCH', '/v1/iam/orgs/{slug}'),
        deleteOrg: host.call('deleteOrg', 'DELETE', '/v1/iam/orgs/{slug}'),
        listSessions: host.call('listSessions', 'GET', '/v1/iam/sessions'),
        listSessionsAll: host.all('listSessionsAll', 'GET', '/v1/iam/sessions'),
        endSession: host.call('endSession', 'DELETE', '/v1/iam/sessions/{id}'),
        getIamSettings: host.call('getIamSettings', 'GET', '/v1/iam/settings'),
        updateIamSettings: host.call('updateIamSettings', 'PATCH', '/v1/iam/settings'),
        rotateSigningKeys: host.create('rotateSigningKeys', 'POST', '/v1/iam/signing-keys'),
        listUsers: host.call('listUsers', 'GET', '/v1/iam/users'),
        listUsersAll: host.all('listUsersAll', 'GET', '/v1/iam/users'),
        createUser: host.create('createUser', 'POST', '/v1/iam/users'),
        exportUsers: host.send('exportUsers', 'GET', '/v1/iam/users/export'),
        importUsers: host.create('importUsers', 'POST', '/v1/iam/users/import'),
        getUserImport: host.call('getUserImport', 'GET', '/v1/iam/users/imports/{id}'),
        getUser: host.call('getUser', 'GET', '/v1/iam/users/{user}'),
        updateUser: host.call('updateUser', 'PATCH', '/v1/iam/users/{user}'),
        deleteUser: host.call('deleteUser', 'DELETE', '/v1/iam/users/{user}'),
        listWorkspaces: host.call('listWorkspaces', 'GET', '/v1/iam/workspaces'),
        listWorkspacesAll: host.all('listWorkspacesAll', 'GET', '/v1/iam/workspaces'),
        createWorkspace: host.create('createWorkspace', 'POST', '/v1/iam/workspaces'),
        deleteWorkspace: host.call('deleteWorkspace', 'DELETE', '/v1/iam/workspaces/{id}'),
        createWorkspaceToken: host.create('createWorkspaceToken', 'POST', '/v1/iam/workspaces/{id}/tokens'),
        finishLogin: host.send('finishLogin', 'GET', '/v1/account/callback'),
        getCsrf: host.call('getCsrf', 'GET', '/v1/account/csrf'),
        listKeys: host.call('listKeys', 'GET', '/v1/account/keys'),
        listKeysAll: host.all('listKeysAll', 'GET', '/v1/account/keys'),
        createKey: host.create('createKey', 'POST', '/v1/account/keys'),
        updateKey: host.call('updateKey', 'PATCH', '/v1/account/keys/{id}'),
        deleteKey: host.call('deleteKey', 'DELETE', '/v1/account/keys/{id}'),
        rotateKey: host.create('rotateKey', 'POST', '/v1/account/keys/{id}/rotate'),
        startLogin: host.send('startLogin', 'GET', '/v1/account/login'),
        logout: host.send('logout', 'POST', '/v1/account/logout'),
        listProjects: host.call('listProjects', 'GET', '/v1/projects'),
        listProjectsAll: host.all('listProjectsAll', 'GET', '/v1/projects'),
        createProject: host.create('createProject', 'POST', '/v1/projects'),
        getProject: host.call('getProject', 'GET', '/v1/projects/{slug}'),
        updateProject: host.call('updateProject', 'PATCH', '/v1/projects/{slug}'),
        deleteProject: host.call('deleteProject', 'DELETE', '/v1/projects/{slug}'),
        listDomains: host.call('listDomains', 'GET', '/v1/projects/{slug}/domains'),
        listDomainsAll: host.all('listDomainsAll', 'GET', '/v1/projects/{slug}/domains'),
        attachDomain: host.create('attachDomain', 'POST', '/v1/projects/{slug}/domains'),
        detachDomain: host.call('detachDomain', 'DELETE', '/v1/projects/{slug}/domains/{host}'),
        verifyDomain: host.call('verifyDomain', 'POST', '/v1/projects/{slug}/domains/{host}/verify'),
        listProviders: host.call('listProviders', 'GET', '/v1/ai/providers'),
        addProvider: host.create('addProvider', 'POST', '/v1/ai/providers'),
        updateProvider: host.call('updateProvider', 'PATCH', '/v1/ai/providers/{name}'),
        deleteProvider: host.call('deleteProvider', 'DELETE', '/v1/ai/providers/{name}'),
        listModelRequests: host.call('listModelRequests', 'GET', '/v1/ai/requests'),
        listModelRequestsAll: host.all('listModelRequestsAll', 'GET', '/v1/ai/requests'),
        getModelRequest: host.call('getModelRequest', 'GET', '/v1/ai/requests/{id}'),
        getAiSettings: host.call('getAiSettings', 'GET', '/v1/ai/settings'),
        updateAiSettings: host.call('updateAiSettings', 'PATCH', '/v1/ai/settings'),
        createChatCompletion: either(host.model('createChatCompletion', 'POST', '/v1/chat/completions'), host.parts('createChatCompletion', 'POST', '/v1/chat/completions')),
        createEmbedding: host.model('createEmbedding', 'POST', '/v1/embeddings'),
        createMessage: either(host.model('createMessage', 'POST', '/v1/messages'), host.parts('createMessage', 'POST', '/v1/messages')),
        listModels: host.call('listModels', 'GET', '/v1/models'),
        createResponse: either(host.model('createResponse', 'POST', '/v1/responses'), host.parts('createResponse', 'POST', '/v1/responses')),
        listEvents: host.call('listEvents', 'GET', '/v1/event'),
        listEventsAll: host.all('listEventsAll', 'GET', '/v1/event'),
        listErrorGroups: host.call('listErrorGroups', 'GET', '/v1/event/errors'),
        listRawEvents: host.call('listRawEvents', 'GET', '/v1/event/events'),
        exportEvents: host.send('exportEvents', 'GET', '/v1/event/export'),
        listEventNames: host.call('listEventNames', 'GET', '/v1/event/insights/events'),
        getInstall: host.call('getInstall', 'GET', '/v1/event/install'),
        getEventOverview: host.call('getEventOverview', 'GET', '/v1/event/overview'),
        getEventSettings: host.call('getEventSettings', 'GET', '/v1/event/settings'),
        updateEventSettings: host.call('updateEventSettings', 'PATCH', '/v1/event/settings'),
        getTag: host.send('getTag', 'GET', '/v1/event/tag.js'),
        getEventTimeseries: host.call('getEventTimeseries', 'GET', '/v1/event/timeseries'),
        getEventTop: host.call('getEventTop', 'GET', '/v1/event/top'),
        listConsumers: host.call('listConsumers', 'GET', '/v1/o11y/consumers'),
        listDeadLetters: host.call('listDeadLetters', 'GET', '/v1/o11y/dead-letters'),
        listDeadLettersAll: host.all('listDeadLettersAll', 'GET', '/v1/o11y/dead-letters'),
        retryDeadLetter: host.call('retryDeadLetter', 'POST', '/v1/o11y/dead-letters/{id}/retry'),
        listEngines: host.call('listEngines', 'GET', '/v1/o11y/engines'),
        listKeptMail: host.call('listKeptMail', 'GET', '/v1/o11y/mail'),
        getKeptMail: host.call('getKeptMail', 'GET', '/v1/o11y/mail/{id}'),
        listQueues: host.call('listQueues', 'GET', '/v1/o11y/queues'),
        getRequests: host.call('getRequests', 'GET', '/v1/o11y/requests'),
        listTables: host.call('listTables', 'GET', '/v1/o11y/tables'),
        getBalance: host.call('getBalance', 'GET', '/v1/billing/balance'),
        listCredits: host.call('listCredits', 'GET', '/v1/billing/credits'),
        listCreditsAll: host.all('listCreditsAll', 'GET', '/v1/billing/credits'),
        addCredit: host.create('addCredit', 'POST', '/v1/billing/credits'),
        listJournal: withFields(host.call('listJournal', 'GET', '/v1/billing/journal'), { format: 'json' }),
        listJournalCsv: withFields(host.send('listJournalCsv', 'GET', '/v1/billing/journal'), { format: 'csv' }),
        getBillingSettings: host.call('getBillingSettings', 'GET', '/v1/billing/settings'),
        updateBillingSettings: host.call('updateBillingSettings', 'PATCH', '/v1/billing/settings'),
        listUsage: host.call('listUsage', 'GET', '/v1/billing/usage'),
        getUsageSummary: withFields(host.call('getUsageSummary', 'GET', '/v1/billing/usage/summary'), { format: 'json' }),
        getUsageSummaryCsv: withFields(host.send('getUsageSummaryCsv', 'GET', '/v1/billing/usage/summary'), { format: 'csv' }),
        listWebhooks: host.call('listWebhooks', 'GET', '/v1/webhooks'),
        listWebhooksAll: host.all('listWebhooksAll', 'GET', '/v1/webhooks'),
        createWebhook: host.create('createWebhook', 'POST', '/v1/webhooks'),
        listWebhookSubjects: host.call('listWebhookSubjects', 'GET', '/v1/webhooks/subjects'),
        getWebhook: host.call('getWebhook', 'GET', '/v1/webhooks/{id}'),
        updateWebhook: host.call('updateWebhook', 'PATCH', '/v1/webhooks/{id}'),
        deleteWebhook: host.call('deleteWebhook', 'DELETE', '/v1/webhooks/{id}'),
        listWebhookDeliveries: host.call('listWebhookDeliveries', 'GET', '/v1/webhooks/{id}/deliveries'),
        listWebhookDeliveriesAll: host.all('listWebhookDeliveriesAll', 'GET', '/v1/webhooks/{id}/deliveries'),
        getWebhookDelivery: host.call('getWebhookDelivery', 'GET', '/v1/webhooks/{id}/deliveries/{delivery}'),
        resendWebhookDelivery: host.create('resendWebhookDelivery', 'POST', '/v1/webhooks/{id}/deliveries/{delivery}/resend'),
        resendFailedWebhookDeliveries: host.create('resendFailedWebhookDeliveries', 'POST', '/v1/webhooks/{id}/resend'),
        rotateWebhookSecret: host.create('rotateWebhookSecret', 'POST', '/v1/webhooks/{id}/secret'),
        testWebhook: host.call('testWebhook', 'POST', '/v1/webhooks/{id}/test'),
        listReference: host.call('listReference', 'GET', '/v1/risk/reference'),
        refreshReference: host.call('refreshReference', 'POST', '/v1/risk/reference/refresh'),
        resolveReference: host.call('resolveReference', 'POST', '/v1/risk/reference/resolve'),
        getReference: host.call('getReference', 'GET', '/v1/risk/reference/{set}'),
        setReference: host.call('setReference', 'PUT', '/v1/risk/reference/{set}'),
        clearReference: host.call('clearReference', 'DELETE', '/v1/risk/reference/{set}'),
        listErrors: host.call('listErrors', 'GET', '/v1/errors'),
        listErrorsOfGroup: host.call('listErrorsOfGroup', 'GET', '/v1/errors/{fingerprint}'),
    };
}
