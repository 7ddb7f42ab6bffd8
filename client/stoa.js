// GENERATED from the operation declarations by `npm run generate`; do not edit.
//
// The typed client of a Stoa host, for Node, browsers and workers. It needs only `fetch` and Web Crypto.
//
//   const stoa = createStoa({ baseUrl: 'https://localhost:8443', key: 'sk-…' })
//   const project = await stoa.createProject({ slug: 'web-shop', name: 'Web shop' })
//   for await (const { slug } of stoa.listProjectsAll()) …
function settingsFrom(options) {
    const { key, session = false, dangerouslyAllowBrowser = false } = options;
    const baseUrl = checkedBaseUrl(options.baseUrl);
    // `fetch` would refuse it too, with an error that contains the key.
    if (key !== undefined && !VISIBLE_ASCII.test(key))
        throw new TypeError('`key` must be visible ASCII characters only.');
    if (session && key !== undefined)
        throw new TypeError('Give `key` or `session`, not both.');
    if (key?.startsWith('sk-') && isPage() && !dangerouslyAllowBrowser) {
        throw new TypeError('Everybody who opens this page can read the secret key. Use `session: true`, or call from a server; ' +
            'if the key may be known, set `dangerouslyAllowBrowser: true`.');
    }
    return {
        baseUrl,
        key,
        session,
        timeoutMs: options.timeoutMs ?? 60_000,
        retries: options.retries ?? 2,
        retryWaitMaxMs: options.retryWaitMaxMs ?? 30_000,
        headers: options.headers ?? {},
        // Looked up for every request, so that what replaces the global later is used.
        fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    };
}
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
/** Without slashes at the end. The messages do not repeat the URL, which may contain a password. */
function checkedBaseUrl(text) {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (!url || !/^https?:$/.test(url.protocol))
        throw new TypeError('`baseUrl` must begin with https:// or http://');
    if (url.username || url.password) {
        throw new TypeError('`baseUrl` must have no user and password. Give a secret as `key`.');
    }
    // The path of an operation is appended, so that it would become a part of them.
    if (/[?#]/.test(text))
        throw new TypeError('`baseUrl` must have no query and no fragment: no `?` and no `#`.');
    return url.href.replace(/\/+$/, '');
}
const isPage = () => 'document' in globalThis;
// What calls reject with, besides the reason of an aborted signal:
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
//     StoaConnectionError         there was no answer of the host
//     WebhookVerificationError    a webhook is not from the host
export class StoaError extends Error {
    name = 'StoaError';
}
/** The host answered with a fault. The message says what to do. */
export class StoaApiError extends StoaError {
    name = 'StoaApiError';
    /** Identifies the kind of fault. A host newer than this client may answer others too. */
    code;
    /** The status of the answer; 200 if the fault came within an event stream. */
    status;
    /** The family of the code, such as `conflict_error`. */
    type;
    /** The first invalid field. */
    param;
    /** Every invalid field, and what is wrong with it. */
    fields;
    /** Identifies the request in the logs of the host. */
    requestId;
    /** In how many seconds the host may accept the call. */
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
/** There is no credential, or it is wrong, expired or revoked. */
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
/** It contradicts what exists, such as a name that is taken. */
export class ConflictError extends StoaApiError {
    name = 'ConflictError';
}
/** Too many calls; `retryAfter` says when to try again. */
export class RateLimitError extends StoaApiError {
    name = 'RateLimitError';
}
/** The host, or what it depends on, failed. */
export class ServerError extends StoaApiError {
    name = 'ServerError';
}
/** There was no answer of the host: a network failure, a time-out, or an answer that is not the JSON of a Stoa host. */
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
    };
    // A type such as `constructor` is no family, although every object has a property of that name.
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
    const csrfToken = settings.session ? csrfTokens(() => call('GET', '/v1/account/csrf', {})) : null;
    /** Throws a TypeError for what the caller must correct, such as an invalid header. Of headers with the same name, the
     *  last is sent: first `defaults`, then those of the client, then `more`. */
    function request(method, path, input, more, defaults = {}) {
        const headers = new Headers(defaults);
        const credential = settings.key === undefined ? {} : { authorization: `Bearer ${settings.key}` };
        const given = [settings.headers, credential, ...more].flatMap(one => Object.entries(one ?? {}));
        for (const [name, value] of given)
            headers.set(name, value);
        return requestFor(settings.baseUrl, method, path, input, headers);
    }
    const perform = (made, read, options) => performed(made, read, options, settings, csrfToken);
    function call(method, path, input, options = {}) {
        return callOf(async () => perform(request(method, path, input, [options.headers]), readJson, options));
    }
    /** All attempts of a call carry the same key, so that the host creates one thing however often it is asked. For other
     *  operations it ignores the key, also if the caller sends one. */
    function create(method, path, input, options = {}) {
        return callOf(async () => {
            const { headers, idempotencyKey } = options;
            const chosen = idempotencyKey === undefined ? undefined : { 'idempotency-key': idempotencyKey };
            const made = request(method, path, input, [headers, chosen], { 'idempotency-key': crypto.randomUUID() });
            return perform({ ...made, isRepeatable: true }, readJson, options);
        });
    }
    /** For operations that answer something else than JSON, such as a redirect, which is not followed. */
    function send(method, path, input, options = {}) {
        const made = () => ({ ...request(method, path, input, [options.headers]), mayRedirect: true });
        return callOf(async () => perform(made(), readWhole, options));
    }
    /** Every item of a listing; each page is requested when its first item is needed. */
    function all(method, path, input, options = {}) {
        const load = (after) => call(method, path, { ...input, after }, options).withResponse();
        return itemsOf(`${method} ${path}`, load, input.after, options.signal);
    }
    /** The events of a stream. The request is sent when the first is needed, and cancelled when the loop is left. The host
     *  sends strings unchanged; then `parse` is `String`. */
    async function* events(method, path, input, options = {}, parse = JSON.parse) {
        const made = request(method, path, input, [{ accept: 'text/event-stream' }, options.headers]);
        const { response, deadline } = await perform(made, async () => { }, options);
        try {
            if (!hasType(response, 'text/event-stream'))
                throw foreignAnswer(made.route, response);
            yield* eventsIn(response, parse, deadline, options.signal);
        }
        finally {
            deadline.cancel();
        }
    }
    return { call, create, send, all, events };
}
/** Throws a StoaConnectionError for an answer that is no page, and for a cursor that was there before, with which the
 *  listing would not end. */
async function* itemsOf(route, load, first, signal) {
    let after = first;
    const cursors = new Set([after]);
    do {
        const { data: page, response } = await load(after);
        if (!isPageOf(page))
            throw foreignAnswer(route, response);
        for (const item of page.data) {
            signal?.throwIfAborted();
            yield item;
        }
        after = page.next;
        if (after && cursors.has(after)) {
            throw new StoaConnectionError(`${route}: the answer has a cursor that was there before.`, { response });
        }
        cursors.add(after);
    } while (after);
}
function isPageOf(value) {
    const { data, next } = (value ?? {});
    return Array.isArray(data) && typeof next === 'string';
}
async function readJson(response) {
    return (response.status === 204 ? undefined : JSON.parse(await response.text()));
}
/** A copy whose body is there already: reading the original later would be without a deadline. */
async function readWhole(response) {
    if (response.type === 'opaqueredirect')
        return response; // It has no body, and a status that no copy can have.
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
        value.catch(() => { }); // The caller has chosen the other promise, which rejects with the same error.
        return answered;
    };
    return Object.assign(value, { withResponse });
}
/** Path parameters are filled from the input; the rest is the query of a GET or DELETE, else the body. */
function requestFor(baseUrl, method, path, input, headers) {
    const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
        const value = rest.get(name);
        rest.delete(name);
        return segment(name, value);
    });
    const url = new URL(baseUrl + filled);
    const inQuery = method === 'GET' || method === 'DELETE';
    if (inQuery)
        for (const [name, value] of rest)
            url.searchParams.set(name, String(value));
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
    };
}
/** URL parsing removes empty and dot segments, which would call another operation. */
function segment(name, value) {
    const text = String(value ?? '');
    if (['', '.', '..'].includes(text))
        throw new TypeError(`\`${name}\` must not be "${text}"`);
    return encodeURIComponent(text);
}
/** Statuses of conditions that pass. 409 is none: what exists would contradict a repeated call just the same. */
const PASSING = [408, 429, 502, 503, 504];
/** Rejects only with the reason of the caller's signal. */
async function attempt({ route, method, url, headers, body, mayRedirect }, read, { fetch, session }, timeoutMs, outer) {
    const deadline = startDeadline(timeoutMs, outer);
    const { signal } = deadline;
    // After a redirect, `fetch` would send a POST as a GET, which is another operation, and custom headers to any origin.
    const redirect = 'manual';
    // Not every runtime knows `credentials`, so that it is set only where it is needed.
    const init = { method, headers, body, redirect, signal, ...(session && { credentials: 'include' }) };
    let response;
    try {
        response = await fetch(url, init);
        if (response.ok || (mayRedirect && isRedirect(response)))
            return { data: await read(response), response, deadline };
        const failure = failureOf(route, response, await response.text());
        deadline.end();
        return failure;
    }
    catch (thrown) {
        const cause = signal.aborted ? signal.reason : thrown;
        deadline.cancel();
        outer?.throwIfAborted();
        if (response && thrown instanceof SyntaxError && !hasType(response, 'application/json')) {
            return { error: foreignAnswer(route, response, thrown), again: 'never', retryAfter: null };
        }
        const what = response ? 'the answer was cut off' : 'there was no answer';
        const message = `${route}: ${what}: ${new URL(url).origin}, ${wordsOf(cause)}`;
        const error = new StoaConnectionError(message, { cause, response });
        return { error, again: isUnsent(cause) ? 'always' : 'repeatable', retryAfter: null };
    }
}
/** For an answer that is not 2xx. */
function failureOf(route, response, body) {
    const again = PASSING.includes(response.status) ? 'repeatable' : 'never';
    return { error: errorOf(route, response, body), again, retryAfter: retryAfterIn(response.headers) };
}
function errorOf(route, response, body) {
    try {
        const fault = faultIn(JSON.parse(body));
        return fault ? apiError(fault, response) : foreignAnswer(route, response);
    }
    catch (cause) {
        return foreignAnswer(route, response, cause);
    }
}
function foreignAnswer(route, response, cause) {
    const status = `${response.status} ${response.statusText}`.trimEnd();
    const message = `${route}: the answer (${status}) is not one of a Stoa host; check \`baseUrl\` and the proxies in between.`;
    return new StoaConnectionError(message, { cause, response });
}
/** Browsers do not tell the status and the headers of a redirect. */
const isRedirect = ({ status, type }) => (status >= 300 && status < 400) || type === 'opaqueredirect';
const hasType = ({ headers }, type) => headers.get('content-type')?.startsWith(type) === true;
/** The codes with which Node's `fetch` fails before it has a connection. Browsers do not tell. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];
const isUnsent = (error) => UNSENT.includes(codeOf(error) ?? '');
/** `fetch failed` says nothing; the code of its cause does. */
function wordsOf(error) {
    return codeOf(error) ?? (error instanceof Error ? error.message : String(error));
}
function codeOf(error) {
    const { cause } = (error ?? {});
    return cause?.code;
}
// Attempts, and whether and when a failed one is repeated.
/** The bound of the first wait, which doubles with every attempt. The waits are random below it ("full jitter"), so that
 *  clients that failed together do not come back together. */
const BACKOFF_MS = 500;
const BACKOFF_MS_MAX = 8_000;
/** Tries until an attempt succeeds or no other one is allowed. Reading may go on: the caller ends the deadline. */
async function performed(made, read, options, settings, csrfToken) {
    const { signal, timeoutMs = settings.timeoutMs, retries = settings.retries } = options;
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
/** How long to wait before the next attempt; null if there must be none. `tries` counts the earlier repetitions. */
function waitMsAfter({ again, retryAfter }, isRepeatable, tries, maxMs) {
    if (again === 'never' || (again === 'repeatable' && !isRepeatable))
        return null;
    const askedMs = 1000 * (retryAfter ?? 0);
    if (askedMs > Math.min(maxMs, TIMER_MS_MAX))
        return null;
    return Math.max(askedMs, Math.random() * Math.min(BACKOFF_MS * 2 ** tries, BACKOFF_MS_MAX, maxMs));
}
// Time: the deadline of an attempt, and the wait before the next one. Timers and listeners end with their call.
/** `setTimeout` takes longer times for 1 ms. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** Its signal aborts when the caller's does, or when the time is over. `end` must be called. */
function startDeadline(timeoutMs, outer) {
    const controller = new AbortController();
    let timer;
    const follow = () => controller.abort(outer?.reason);
    const pause = () => clearTimeout(timer);
    /** Starts again with another time. */
    const restart = (ms) => {
        pause();
        const expire = () => controller.abort(new DOMException(`No answer within ${ms} ms`, 'TimeoutError'));
        timer = setTimeout(expire, Math.min(ms, TIMER_MS_MAX));
    };
    const end = () => {
        pause();
        outer?.removeEventListener('abort', follow);
    };
    /** Ends, and cancels the request if it is not over. */
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
// Event streams (`text/event-stream`), read as the HTML standard says, section 9.2.
/** The host sends a comment every 15 seconds, so a stream that is silent for longer is lost. */
const SILENCE_MS = 60_000;
const CUT_OFF = 'The event stream was cut off.';
/** The events of an answer. A fault that the host sends as an event is thrown. */
async function* eventsIn(response, parse, deadline, outer) {
    const parser = eventParser();
    for await (const chunk of chunksOf(response, deadline, outer)) {
        for (const { event, data, id } of parser.eventsIn(chunk)) {
            outer?.throwIfAborted();
            yield { event, data: dataOf(event, data, parse, response), id };
        }
    }
    // Some versions of `fetch` do not tell a lost connection from the end.
    if (!parser.isBetweenEvents())
        throw new StoaConnectionError(CUT_OFF, { response });
}
function dataOf(event, text, parse, response) {
    const fault = event === 'error' ? faultText(text) : null;
    if (fault)
        throw apiError(fault, response);
    try {
        return parse(text);
    }
    catch (cause) {
        throw new StoaConnectionError(`The data of the event \`${event}\` is no JSON.`, { cause, response });
    }
}
function faultText(text) {
    try {
        return faultIn(JSON.parse(text));
    }
    catch {
        return null; // An event of another kind.
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
// Verifies webhooks with Web Crypto: by the Standard Webhooks specification, or by the header `X-Webhook-Signature`.
/** Why a webhook is not to be trusted. */
export class WebhookVerificationError extends StoaError {
    name = 'WebhookVerificationError';
}
/** Returns the parsed payload if the webhook was signed with the secret, recently; else throws a
 *  WebhookVerificationError. Remember its `webhook-id` or `x-webhook-delivery` to recognise one that is delivered
 *  twice. */
export async function verifyWebhook(webhook) {
    const { headers, secret, toleranceS = 300 } = webhook;
    if (!Number.isFinite(toleranceS) || toleranceS < 0)
        throw new TypeError('`toleranceS` must be a number, 0 or more.');
    if (typeof secret !== 'string' || secret === '')
        throw new TypeError('`secret` must be a string, and not empty.');
    const body = bytesOf(webhook.payload);
    const read = isOnlyX(headers) ? xSignature : standardSignature;
    const { key, timestampS, prefix, given } = read(headers, secret);
    const ageS = Date.now() / 1000 - timestampS;
    if (ageS > toleranceS)
        throw new WebhookVerificationError(`The webhook is older than ${toleranceS} seconds.`);
    if (ageS < -toleranceS)
        throw new WebhookVerificationError(`The webhook is from the future: the clocks disagree.`);
    const expected = await hmac(key, [utf8(prefix), body]);
    if (!given.some(one => isEqual(one, expected))) {
        throw new WebhookVerificationError('No signature fits: the secret is another one, or the payload was changed.');
    }
    try {
        return JSON.parse(new TextDecoder().decode(body));
    }
    catch (cause) {
        throw new WebhookVerificationError('The payload is no JSON.', { cause });
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
        return null; // The caller says what is wrong.
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
/** Takes the same time wherever the first difference is, so that nobody can find a signature byte by byte. */
function isEqual(given, expected) {
    if (given?.length !== expected.length)
        return false;
    return expected.reduce((differences, byte, at) => differences | (byte ^ given[at]), 0) === 0;
}
export function createStoa(options) {
    const host = connect(options);
    return {
        listServices: (input = {}, options) => host.call('GET', '/v1', input, options),
        getHealth: (input = {}, options) => host.call('GET', '/v1/health', input, options),
        getOpenapi: (input = {}, options) => host.send('GET', '/v1/openapi.json', input, options),
        listApps: (input = {}, options) => host.call('GET', '/v1/iam/apps', input, options),
        listAppsAll: (input = {}, options) => host.all('GET', '/v1/iam/apps', input, options),
        createApp: (input, options) => host.create('POST', '/v1/iam/apps', input, options),
        getApp: (input, options) => host.call('GET', '/v1/iam/apps/{id}', input, options),
        updateApp: (input, options) => host.call('PATCH', '/v1/iam/apps/{id}', input, options),
        deleteApp: (input, options) => host.call('DELETE', '/v1/iam/apps/{id}', input, options),
        rotateAppSecret: (input, options) => host.call('POST', '/v1/iam/apps/{id}/secret', input, options),
        listAudit: (input = {}, options) => host.call('GET', '/v1/iam/audit', input, options),
        listAuditAll: (input = {}, options) => host.all('GET', '/v1/iam/audit', input, options),
        listInvites: (input = {}, options) => host.call('GET', '/v1/iam/invites', input, options),
        listInvitesAll: (input = {}, options) => host.all('GET', '/v1/iam/invites', input, options),
        createInvite: (input, options) => host.create('POST', '/v1/iam/invites', input, options),
        deleteInvite: (input, options) => host.call('DELETE', '/v1/iam/invites/{id}', input, options),
        getMe: (input = {}, options) => host.call('GET', '/v1/iam/me', input, options),
        updateMe: (input, options) => host.call('PATCH', '/v1/iam/me', input, options),
        deleteMe: (input = {}, options) => host.call('DELETE', '/v1/iam/me', input, options),
        changeEmail: (input, options) => host.call('POST', '/v1/iam/me/email', input, options),
        listMyInvitations: (input = {}, options) => host.call('GET', '/v1/iam/me/invitations', input, options),
        listMyInvitationsAll: (input = {}, options) => host.all('GET', '/v1/iam/me/invitations', input, options),
        acceptInvitation: (input, options) => host.call('POST', '/v1/iam/me/invitations/{id}/accept', input, options),
        declineInvitation: (input, options) => host.call('POST', '/v1/iam/me/invitations/{id}/decline', input, options),
        changePassword: (input, options) => host.call('POST', '/v1/iam/me/password', input, options),
        listMembers: (input = {}, options) => host.call('GET', '/v1/iam/members', input, options),
        listMembersAll: (input = {}, options) => host.all('GET', '/v1/iam/members', input, options),
        addMember: (input, options) => host.create('POST', '/v1/iam/members', input, options),
        updateMember: (input, options) => host.call('PATCH', '/v1/iam/members/{user}', input, options),
        removeMember: (input, options) => host.call('DELETE', '/v1/iam/members/{user}', input, options),
        makeMemberUser: (input, options) => host.create('POST', '/v1/iam/members/{user}/to-user', input, options),
        listOrgs: (input = {}, options) => host.call('GET', '/v1/iam/orgs', input, options),
        listOrgsAll: (input = {}, options) => host.all('GET', '/v1/iam/orgs', input, options),
        createOrg: (input, options) => host.create('POST', '/v1/iam/orgs', input, options),
        getOrg: (input, options) => host.call('GET', '/v1/iam/orgs/{slug}', input, options),
        updateOrg: (input, options) => host.call('PATCH', '/v1/iam/orgs/{slug}', input, options),
        deleteOrg: (input, options) => host.call('DELETE', '/v1/iam/orgs/{slug}', input, options),
        listSessions: (input = {}, options) => host.call('GET', '/v1/iam/sessions', input, options),
        listSessionsAll: (input = {}, options) => host.all('GET', '/v1/iam/sessions', input, options),
        endSession: (input, options) => host.call('DELETE', '/v1/iam/sessions/{id}', input, options),
        getIamSettings: (input = {}, options) => host.call('GET', '/v1/iam/settings', input, options),
        updateIamSettings: (input = {}, options) => host.call('PATCH', '/v1/iam/settings', input, options),
        rotateSigningKeys: (input = {}, options) => host.create('POST', '/v1/iam/signing-keys', input, options),
        listUsers: (input = {}, options) => host.call('GET', '/v1/iam/users', input, options),
        listUsersAll: (input = {}, options) => host.all('GET', '/v1/iam/users', input, options),
        createUser: (input, options) => host.create('POST', '/v1/iam/users', input, options),
        exportUsers: (input = {}, options) => host.send('GET', '/v1/iam/users/export', input, options),
        importUsers: (input, options) => host.create('POST', '/v1/iam/users/import', input, options),
        getUserImport: (input, options) => host.call('GET', '/v1/iam/users/imports/{id}', input, options),
        getUser: (input, options) => host.call('GET', '/v1/iam/users/{user}', input, options),
        updateUser: (input, options) => host.call('PATCH', '/v1/iam/users/{user}', input, options),
        deleteUser: (input, options) => host.call('DELETE', '/v1/iam/users/{user}', input, options),
        listWorkspaces: (input = {}, options) => host.call('GET', '/v1/iam/workspaces', input, options),
        listWorkspacesAll: (input = {}, options) => host.all('GET', '/v1/iam/workspaces', input, options),
        createWorkspace: (input, options) => host.create('POST', '/v1/iam/workspaces', input, options),
        deleteWorkspace: (input, options) => host.call('DELETE', '/v1/iam/workspaces/{id}', input, options),
        createWorkspaceToken: (input, options) => host.create('POST', '/v1/iam/workspaces/{id}/tokens', input, options),
        finishLogin: (input, options) => host.send('GET', '/v1/account/callback', input, options),
        getCsrf: (input = {}, options) => host.call('GET', '/v1/account/csrf', input, options),
        listKeys: (input = {}, options) => host.call('GET', '/v1/account/keys', input, options),
        listKeysAll: (input = {}, options) => host.all('GET', '/v1/account/keys', input, options),
        createKey: (input, options) => host.create('POST', '/v1/account/keys', input, options),
        updateKey: (input, options) => host.call('PATCH', '/v1/account/keys/{id}', input, options),
        deleteKey: (input, options) => host.call('DELETE', '/v1/account/keys/{id}', input, options),
        rotateKey: (input, options) => host.create('POST', '/v1/account/keys/{id}/rotate', input, options),
        startLogin: (input = {}, options) => host.send('GET', '/v1/account/login', input, options),
        logout: (input = {}, options) => host.send('POST', '/v1/account/logout', input, options),
        listProjects: (input = {}, options) => host.call('GET', '/v1/projects', input, options),
        listProjectsAll: (input = {}, options) => host.all('GET', '/v1/projects', input, options),
        createProject: (input, options) => host.create('POST', '/v1/projects', input, options),
        getProject: (input, options) => host.call('GET', '/v1/projects/{slug}', input, options),
        updateProject: (input, options) => host.call('PATCH', '/v1/projects/{slug}', input, options),
        deleteProject: (input, options) => host.call('DELETE', '/v1/projects/{slug}', input, options),
        listDomains: (input, options) => host.call('GET', '/v1/projects/{slug}/domains', input, options),
        listDomainsAll: (input, options) => host.all('GET', '/v1/projects/{slug}/domains', input, options),
        attachDomain: (input, options) => host.create('POST', '/v1/projects/{slug}/domains', input, options),
        detachDomain: (input, options) => host.call('DELETE', '/v1/projects/{slug}/domains/{host}', input, options),
        verifyDomain: (input, options) => host.call('POST', '/v1/projects/{slug}/domains/{host}/verify', input, options),
        listProviders: (input = {}, options) => host.call('GET', '/v1/ai/providers', input, options),
        listProvidersAll: (input = {}, options) => host.all('GET', '/v1/ai/providers', input, options),
        addProvider: (input, options) => host.create('POST', '/v1/ai/providers', input, options),
        updateProvider: (input, options) => host.call('PATCH', '/v1/ai/providers/{name}', input, options),
        deleteProvider: (input, options) => host.call('DELETE', '/v1/ai/providers/{name}', input, options),
        listModelRequests: (input = {}, options) => host.call('GET', '/v1/ai/requests', input, options),
        listModelRequestsAll: (input = {}, options) => host.all('GET', '/v1/ai/requests', input, options),
        getModelRequest: (input, options) => host.call('GET', '/v1/ai/requests/{id}', input, options),
        getAiSettings: (input = {}, options) => host.call('GET', '/v1/ai/settings', input, options),
        updateAiSettings: (input = {}, options) => host.call('PATCH', '/v1/ai/settings', input, options),
        listModels: (input = {}, options) => host.call('GET', '/v1/models', input, options),
        getEventSettings: (input = {}, options) => host.call('GET', '/v1/event/settings', input, options),
        updateEventSettings: (input = {}, options) => host.call('PATCH', '/v1/event/settings', input, options),
        listConsumers: (input = {}, options) => host.call('GET', '/v1/o11y/consumers', input, options),
        listDeadLetters: (input = {}, options) => host.call('GET', '/v1/o11y/dead-letters', input, options),
        listDeadLettersAll: (input = {}, options) => host.all('GET', '/v1/o11y/dead-letters', input, options),
        retryDeadLetter: (input, options) => host.call('POST', '/v1/o11y/dead-letters/{id}/retry', input, options),
        listQueues: (input = {}, options) => host.call('GET', '/v1/o11y/queues', input, options),
        listTables: (input = {}, options) => host.call('GET', '/v1/o11y/tables', input, options),
        getBalance: (input = {}, options) => host.call('GET', '/v1/billing/balance', input, options),
        listCredits: (input = {}, options) => host.call('GET', '/v1/billing/credits', input, options),
        listCreditsAll: (input = {}, options) => host.all('GET', '/v1/billing/credits', input, options),
        addCredit: (input, options) => host.create('POST', '/v1/billing/credits', input, options),
        listJournal: (input = {}, options) => host.call('GET', '/v1/billing/journal', { ...input, format: 'json' }, options),
        listJournalCsv: (input = {}, options) => host.send('GET', '/v1/billing/journal', { ...input, format: 'csv' }, options),
        getBillingSettings: (input = {}, options) => host.call('GET', '/v1/billing/settings', input, options),
        updateBillingSettings: (input = {}, options) => host.call('PATCH', '/v1/billing/settings', input, options),
        listUsage: (input = {}, options) => host.call('GET', '/v1/billing/usage', input, options),
        getUsageSummary: (input = {}, options) => host.call('GET', '/v1/billing/usage/summary', { ...input, format: 'json' }, options),
        getUsageSummaryCsv: (input = {}, options) => host.send('GET', '/v1/billing/usage/summary', { ...input, format: 'csv' }, options),
        listWebhooks: (input = {}, options) => host.call('GET', '/v1/webhooks', input, options),
        listWebhooksAll: (input = {}, options) => host.all('GET', '/v1/webhooks', input, options),
        createWebhook: (input, options) => host.create('POST', '/v1/webhooks', input, options),
        listWebhookSubjects: (input = {}, options) => host.call('GET', '/v1/webhooks/subjects', input, options),
        getWebhook: (input, options) => host.call('GET', '/v1/webhooks/{id}', input, options),
        updateWebhook: (input, options) => host.call('PATCH', '/v1/webhooks/{id}', input, options),
        deleteWebhook: (input, options) => host.call('DELETE', '/v1/webhooks/{id}', input, options),
        listWebhookDeliveries: (input, options) => host.call('GET', '/v1/webhooks/{id}/deliveries', input, options),
        listWebhookDeliveriesAll: (input, options) => host.all('GET', '/v1/webhooks/{id}/deliveries', input, options),
        getWebhookDelivery: (input, options) => host.call('GET', '/v1/webhooks/{id}/deliveries/{delivery}', input, options),
        resendWebhookDelivery: (input, options) => host.create('POST', '/v1/webhooks/{id}/deliveries/{delivery}/resend', input, options),
        resendFailedWebhookDeliveries: (input, options) => host.create('POST', '/v1/webhooks/{id}/resend', input, options),
        rotateWebhookSecret: (input, options) => host.create('POST', '/v1/webhooks/{id}/secret', input, options),
        testWebhook: (input, options) => host.call('POST', '/v1/webhooks/{id}/test', input, options),
        listReference: (input = {}, options) => host.call('GET', '/v1/risk/reference', input, options),
        refreshReference: (input, options) => host.call('POST', '/v1/risk/reference/refresh', input, options),
        resolveReference: (input, options) => host.call('POST', '/v1/risk/reference/resolve', input, options),
        getReference: (input, options) => host.call('GET', '/v1/risk/reference/{set}', input, options),
        setReference: (input, options) => host.call('PUT', '/v1/risk/reference/{set}', input, options),
        clearReference: (input, options) => host.call('DELETE', '/v1/risk/reference/{set}', input, options),
        listErrors: (input = {}, options) => host.call('GET', '/v1/errors', input, options),
    };
}
