export type StoaOptions = {
    /** The URL of the host, such as `https://localhost:8443`, without a path. */
    baseUrl: string;
    /** A secret key of the organisation, `sk-…`, or an access token. Without one, only public operations can be called. */
    key?: string | undefined;
    /** Acts as the person signed in to the browser, instead of with a key. */
    session?: boolean | undefined;
    /** Allows a secret key in a browser page, where every visitor can read it. */
    dangerouslyAllowBrowser?: boolean | undefined;
    /** How long one attempt may take until the whole answer has arrived, in milliseconds; defaults to 60,000, and to
     *  600,000 for model calls. */
    timeoutMs?: number | undefined;
    /** How often a failed call is retried; defaults to 2. */
    retries?: number | undefined;
    /** The longest wait before an attempt, in milliseconds; defaults to 30,000, at most 24 days. If the host asks for a
     *  longer one, the call fails immediately. */
    retryWaitMaxMs?: number | undefined;
    /** Sent with every request, such as `X-Project-Id`. */
    headers?: Record<string, string> | undefined;
    /** Used instead of the global `fetch`. */
    fetch?: Fetch | undefined;
};
export type CallOptions = {
    /** Aborts the call, which then rejects with the signal's reason. */
    signal?: AbortSignal | undefined;
    /** As in `StoaOptions`, for this call. */
    timeoutMs?: number | undefined;
    /** As in `StoaOptions`, for this call. */
    retries?: number | undefined;
    /** Headers of this call, in addition to those of the client. */
    headers?: Record<string, string> | undefined;
};
/** For operations that create something. */
export type CreateOptions = CallOptions & {
    /** The host runs the operation once per key. By default every call has a new key, shared by its attempts. */
    idempotencyKey?: string | undefined;
};
type Fetch = (url: string, init: FetchInit) => Promise<Response>;
type FetchInit = {
    method: string;
    headers: Record<string, string>;
    body: string | null;
    signal: AbortSignal;
    redirect: 'manual';
    credentials?: 'include';
    keepalive?: true;
};
export declare class StoaError extends Error {
    name: string;
}
/** The host answered with a fault. The message says what to do. */
export declare class StoaApiError extends StoaError {
    name: string;
    /** Identifies the kind of fault. A newer host may answer with codes that this client does not know. */
    readonly code: FaultCode;
    /** The status of the answer; 200 if the fault arrived within an event stream. */
    readonly status: number;
    /** The category of the code, such as `conflict_error`. */
    readonly type: string;
    /** The first invalid field. */
    readonly param: string | null;
    /** Every invalid field, and what is wrong with it. */
    readonly fields: {
        path: string;
        says: string;
    }[];
    /** Identifies the request in the logs of the host. */
    readonly requestId: string | null;
    /** The seconds after which the host may accept the call. */
    readonly retryAfter: number | null;
    /** The headers of the answer. */
    readonly headers: Headers;
    constructor(fault: FaultAnswer, response: Response);
}
/** The request is invalid; `fields` says what is wrong with which field. */
export declare class InvalidInputError extends StoaApiError {
    name: string;
}
/** The credential is missing, wrong, expired or revoked. */
export declare class AuthenticationError extends StoaApiError {
    name: string;
}
/** The credential may not do this. */
export declare class PermissionError extends StoaApiError {
    name: string;
}
export declare class NotFoundError extends StoaApiError {
    name: string;
}
/** The request conflicts with existing data, such as a name that is taken. */
export declare class ConflictError extends StoaApiError {
    name: string;
}
/** Too many calls; `retryAfter` says when to try again. */
export declare class RateLimitError extends StoaApiError {
    name: string;
}
/** The host, or something it depends on, failed. */
export declare class ServerError extends StoaApiError {
    name: string;
}
/** There was no answer from the host: a network failure, a timeout, or an answer that is not the JSON of a Stoa host. */
export declare class StoaConnectionError extends StoaError {
    name: string;
    /** The status of the answer; null if there was none. */
    readonly status: number | null;
    /** The headers of the answer; null if there was none. */
    readonly headers: Headers | null;
    constructor(message: string, { cause, response }: {
        cause?: unknown;
        response?: Response | undefined;
    });
}
type FaultAnswer = {
    code: FaultCode;
    message: string;
    type: string;
    param?: string | null;
    fields?: {
        path: string;
        says: string;
    }[];
    request_id?: string;
};
/** Resolves to the operation's answer. */
export type Call<Data> = Promise<Data> & {
    /** Resolves to the value, and the response that contained it. */
    withResponse(): Promise<WithResponse<Data>>;
};
/** `response` has the status and headers of the answer; its body was already read. */
export type WithResponse<Data> = {
    data: Data;
    response: Response;
    requestId: string | null;
};
/** One page of a listing. */
export type Page<Item> = {
    data: Item[];
    /** Send it as `after` to get the next page; empty on the last page. */
    next: string;
};
export type StoaEvent<Data> = {
    /** The name of the event; `message` if it has none. */
    event: string;
    data: Data;
    /** The id of the last event that had one; empty if none had. */
    id: string;
};
/** In the chat-completions format. */
export type CreateChatCompletionInput = {
    /** The model, which `listModels` lists. */
    model: string;
    messages: ChatMessage[];
    tools?: ChatTool[];
    max_completion_tokens?: number;
    temperature?: number;
    stream?: boolean;
    [field: string]: unknown;
};
export type ChatMessage = {
    role: 'developer' | 'system' | 'user' | 'assistant' | 'tool';
    /** A text, or parts such as texts and images. */
    content?: string | {
        type: string;
        text?: string;
        [field: string]: unknown;
    }[] | null;
    tool_calls?: ChatToolCall[];
    /** For the role `tool`: the call that produced this result. */
    tool_call_id?: string;
    [field: string]: unknown;
};
export type ChatTool = {
    type: 'function';
    /** `parameters` is a JSON schema. */
    function: {
        name: string;
        description?: string;
        parameters?: object;
        [field: string]: unknown;
    };
    [field: string]: unknown;
};
/** `arguments` is JSON, written by the model: it may be invalid. */
export type ChatToolCall = {
    id: string;
    type: 'function';
    function: {
        name: string;
        arguments: string;
    };
};
export type ChatUsage = {
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
    [field: string]: unknown;
};
export type ChatCompletion = {
    id: string;
    model: string;
    choices: {
        index: number;
        message: {
            role: 'assistant';
            content?: string | null;
            tool_calls?: ChatToolCall[];
            [field: string]: unknown;
        };
        /** Why it ended: `stop`, `length`, `tool_calls`, `content_filter`. */
        finish_reason: string | null;
        [field: string]: unknown;
    }[];
    usage?: ChatUsage;
    [field: string]: unknown;
};
/** A part of a chat completion. The last one may have no choices. */
export type ChatCompletionChunk = {
    id: string;
    model: string;
    choices: {
        index: number;
        delta: {
            role?: string;
            content?: string | null;
            /** Parts of calls; those with the same `index` belong together. */
            tool_calls?: {
                index: number;
                id?: string;
                type?: 'function';
                function?: {
                    name?: string;
                    arguments?: string;
                };
            }[];
            [field: string]: unknown;
        };
        finish_reason?: string | null;
        [field: string]: unknown;
    }[];
    usage?: ChatUsage | null;
    [field: string]: unknown;
};
export type CreateEmbeddingInput = {
    /** The model; `local-embed-en` is on every host. */
    model: string;
    input: string | string[] | number[] | number[][];
    dimensions?: number;
    encoding_format?: 'float' | 'base64';
    [field: string]: unknown;
};
export type Embeddings = {
    model: string;
    /** In the order of the input. A text if `encoding_format` is `base64`. */
    data: {
        index: number;
        embedding: number[];
        [field: string]: unknown;
    }[];
    usage: {
        prompt_tokens: number;
        total_tokens: number;
        [field: string]: unknown;
    };
    [field: string]: unknown;
};
/** In the responses format. */
export type CreateResponseInput = {
    /** The model, which `listModels` lists. */
    model: string;
    /** A text, or items such as messages and results of tools. */
    input: string | {
        [field: string]: unknown;
    }[];
    instructions?: string;
    max_output_tokens?: number;
    stream?: boolean;
    [field: string]: unknown;
};
export type ModelResponse = {
    id: string;
    model: string;
    /** `completed`, `failed`, `incomplete`, … */
    status: string;
    /** Messages, calls of tools, and more, by `type`. The texts of a message are in its `content`. */
    output: {
        type: string;
        content?: {
            type: string;
            text?: string;
            [field: string]: unknown;
        }[];
        [field: string]: unknown;
    }[];
    usage?: {
        input_tokens: number;
        output_tokens: number;
        total_tokens: number;
        [field: string]: unknown;
    } | null;
    error?: {
        code: string;
        message: string;
    } | null;
    [field: string]: unknown;
};
/** An event of a response. `response.failed` is one, too: its `response.error` says why. */
export type ModelResponseEvent = {
    /** Such as `response.output_text.delta`, which has a `delta`, and `response.completed`, which has the `response`. */
    type: string;
    delta?: string;
    response?: ModelResponse;
    [field: string]: unknown;
};
/** In the messages format. */
export type CreateMessageInput = {
    /** The model, which `listModels` lists. */
    model: string;
    max_tokens: number;
    messages: {
        role: 'user' | 'assistant';
        content: string | MessageContent[];
        [field: string]: unknown;
    }[];
    system?: string | MessageContent[];
    stream?: boolean;
    [field: string]: unknown;
};
/** By `type`: `text`, `image`, `tool_use`, `tool_result`, … */
export type MessageContent = {
    type: string;
    text?: string;
    [field: string]: unknown;
};
export type ModelMessage = {
    id: string;
    model: string;
    role: 'assistant';
    content: MessageContent[];
    /** `end_turn`, `max_tokens`, `tool_use`, … */
    stop_reason: string | null;
    usage: {
        input_tokens: number;
        output_tokens: number;
        [field: string]: unknown;
    };
    [field: string]: unknown;
};
/** An event of a message. */
export type ModelMessageEvent = {
    /** Such as `content_block_delta`, whose `delta` is a part of the text or of the input of a tool. */
    type: string;
    index?: number;
    delta?: {
        type?: string;
        text?: string;
        partial_json?: string;
        [field: string]: unknown;
    };
    message?: ModelMessage;
    content_block?: MessageContent;
    [field: string]: unknown;
};
export type EventsOptions = Pick<StoaOptions, 'baseUrl' | 'headers' | 'fetch' | 'dangerouslyAllowBrowser'> & {
    /** A publishable key, `pk-…`, which may be public. On a server, a secret key or an access token works too. */
    key: string;
    /** How long an event waits to be sent with others, in milliseconds; defaults to 1,000. */
    intervalMs?: number | undefined;
    /** How long one attempt to send may take, in milliseconds; defaults to 10,000. */
    timeoutMs?: number | undefined;
    /** Called when events are dropped. Also called, without events, when sending starts to fail; the events are then
     *  retried. Defaults to a warning on the console. */
    onError?: ((error: StoaError, dropped: DroppedEvent[]) => void) | undefined;
};
export type Events = {
    /** Queues an event. It is sent in the background. */
    capture(event: CapturedEvent): void;
    /** Sends the queued events. Resolves when each of them is stored or dropped. Rejects if that takes longer than
     *  `timeoutMs` (default 30,000); they then stay queued. A wait that the host requested with Retry-After, of at most a
     *  minute, is kept. */
    flush(options?: {
        timeoutMs?: number | undefined;
    }): Promise<void>;
    /** Sends the queued events and accepts no more. Events not stored within `timeoutMs` (default 10,000) are dropped. */
    close(options?: {
        timeoutMs?: number | undefined;
    }): Promise<void>;
};
export declare function createEvents(options: EventsOptions): Events;
export type CapturedEvent = {
    /** The name, at most 200 characters. */
    event: string;
    /** The person or thing that caused it. */
    distinctId?: string | undefined;
    anonymousId?: string | undefined;
    sessionId?: string | undefined;
    properties?: Record<string, unknown> | undefined;
    /** When it happened; defaults to now. Numbers are seconds or milliseconds since 1970. */
    timestamp?: Date | string | number | undefined;
    /** The amount paid. */
    revenue?: number | undefined;
    currency?: string | undefined;
    /** With a secret key: the subject to publish under, instead of `event.<name>`. */
    subject?: string | undefined;
    /** Identifies the event: of events with the same id within 7 days, the host stores one. Defaults to a new id. */
    messageId?: string | undefined;
};
/** An event that will not be stored, and the reason: `not_json`, `too_large`, `queue_full`, `closed`, `not_confirmed`
 *  (the time limit was reached; it may be stored), or the host's reason, such as `id_too_long`. */
export type DroppedEvent = {
    event: CapturedEvent;
    reason: string;
};
/** Why a webhook must not be trusted. */
export declare class WebhookVerificationError extends StoaError {
    name: string;
}
export type WebhookRequest = {
    /** The raw body. Parsing and serialising it again would change it. */
    payload: string | Uint8Array | ArrayBuffer;
    /** The headers of the request, as `Headers` or as Node's object with names in lower case. */
    headers: {
        get(name: string): string | null;
    } | Record<string, string | string[] | undefined>;
    /** The secret of the webhook, `whsec_…`. */
    secret: string;
    /** How many seconds the webhook's time may differ from now; defaults to 300. */
    toleranceS?: number | undefined;
};
/** Returns the parsed payload if the webhook was recently signed with the secret; otherwise throws a
 *  WebhookVerificationError. Remember its `webhook-id` or `x-webhook-delivery` to recognise duplicates. */
export declare function verifyWebhook<Payload = unknown>(webhook: WebhookRequest): Promise<Payload>;
/** Every fault that a host answers. */
export type FaultCode = 'invalid_input' | 'malformed_request' | 'sign_in_failed' | 'unroutable_events' | 'too_many_events' | 'model_refused' | 'credential_required' | 'credential_refused' | 'key_expired' | 'key_replaced' | 'key_revoked' | 'ingest_key_required' | 'key_budget' | 'insufficient_balance' | 'forbidden' | 'ingest_key_unknown' | 'insufficient_capability' | 'model_unpriced' | 'key_limit' | 'csrf_token_required' | 'https_required' | 'not_found' | 'method_not_allowed' | 'request_timeout' | 'conflict' | 'body_too_large' | 'unsupported_media_type' | 'expectation_failed' | 'key_rate' | 'ingest_rate' | 'too_many_tries' | 'model_limit' | 'upstream_busy' | 'headers_too_large' | 'internal' | 'not_held' | 'not_built' | 'upstream_unreachable' | 'upstream_refused' | 'mail_unreachable' | 'overloaded' | 'starting' | 'database_unreachable' | 'warehouse_unreachable' | 'bus_unreachable' | 'upstream_timeout';
/** One service of the host */
export type Service = {
    /** The name, which limits of keys refer to */
    name: string;
    /** The path prefix of its operations */
    path: string;
    /** What it does */
    what: string;
    /** How many of its operations this host serves; 0 if it is not available yet or runs elsewhere */
    operations: number;
};
export type ListServicesInput = Record<string, never>;
export type ListServicesOutput = {
    /** The version of this API */
    version: 'v1';
    /** Every service, including those without operations */
    services: Service[];
};
export type GetHealthInput = Record<string, never>;
export type GetHealthOutput = {
    /** The host can serve requests */
    status: 'up';
    /** The state of each engine the host depends on */
    engines: {
        /** The database */
        db: 'up';
    };
};
export type GetOpenapiInput = Record<string, never>;
/** An OpenID Connect client of the organisation, which people sign in to */
export type App = {
    /** The client id, `<org>-<app>` */
    id: string;
    /** Its short name */
    app: string;
    /** The brand at whose origin people sign in */
    brand: string;
    /** The issuer of its tokens, which clients are configured with; absent while this host does not serve the brand */
    issuer?: string;
    /** The name that people see when they sign in */
    name: string;
    /** Whether it has a secret */
    type: 'confidential' | 'public';
    /** The URLs that people may return to after signing in */
    redirectUris: string[];
    /** The URLs that people may return to after signing out */
    logoutUris: string[];
    /** Whether its tokens carry the person's role */
    trusted: boolean;
    /** Who signs in: `team` for the organisation's members, or `users` for its customers. Customers get their own account (`/v1/iam/users`), and can use this API only for that account */
    people: 'team' | 'users';
    /** Who may register with an app for customers. `closed`: nobody, only existing accounts sign in; `invited`: people for whom an admin created an account, who then choose a password; `open`: everybody */
    signUp: 'closed' | 'invited' | 'open';
    /** Only addresses at exactly these domains may register; if empty, all may */
    signUpDomains: string[];
    /** Whether to reject registrations from disposable mail providers, according to the risk set `domain` */
    refuseDisposable: boolean;
    /** The API that the app's access tokens are for: an https URL or a URN that no other organisation uses. Stoa's API rejects tokens for another audience; if omitted, the tokens are for Stoa's API */
    audience?: string;
    /** Additional claims in tokens and UserInfo: `role` and, for customers, fields of their metadata, such as `metadata.plan` */
    claims: string[];
    /** Whether the tokens of an untrusted app have the rights of a member. Only apps that were registered before such tokens became read-only have it; an owner can set it to false, which cannot be undone */
    mayWrite: boolean;
    /** The logo, as a data URL in base64 of a PNG, JPEG, WebP or SVG image of at most 32 KiB; null for that of the organisation; only for apps with `people: "users"` */
    logo?: string;
    /** `#` and six hex digits, such as `#1d4f91`: the colour of buttons and links; null for that of the organisation; only for apps with `people: "users"`. Where the contrast with the page is too low, it is made darker or lighter */
    color?: string;
    /** When it was created */
    created: string;
    /** When it was last changed */
    updated: string;
};
export type ListAppsInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type CreateAppInput = {
    /** The app's short name: lower-case letters and digits, so that `<org>-<app>` is unique */
    app: string;
    /** The brand at whose origin people sign in to the app; `default` if omitted */
    brand?: string;
    /** The name of the app, shown when people sign in: one line, not blank, at most 120 characters */
    name?: string;
    /** `confidential` for servers, which can keep a secret; `public` for apps in browsers and on devices */
    type: 'confidential' | 'public';
    /** The URLs that people may return to after signing in: compared exactly, no wildcards */
    redirectUris: string[];
    /** The URLs that people may return to after signing out: compared exactly, no wildcards */
    logoutUris?: string[];
    /** Whether the app's tokens carry the person's role. Tokens of other apps read as a member and write events. Only owners can set it */
    trusted?: boolean;
    /** Who signs in: `team` for the organisation's members, or `users` for its customers. Customers get their own account (`/v1/iam/users`), and can use this API only for that account */
    people: 'team' | 'users';
    /** Who may register with an app for customers. `closed`: nobody, only existing accounts sign in; `invited`: people for whom an admin created an account, who then choose a password; `open`: everybody */
    signUp?: 'closed' | 'invited' | 'open';
    /** Only addresses at exactly these domains may register; if empty, all may */
    signUpDomains?: string[];
    /** Whether to reject registrations from disposable mail providers, according to the risk set `domain` */
    refuseDisposable?: boolean;
    /** The API that the app's access tokens are for: an https URL or a URN that no other organisation uses. Stoa's API rejects tokens for another audience; if omitted, the tokens are for Stoa's API */
    audience?: string;
    /** Additional claims in tokens and UserInfo: `role` and, for customers, fields of their metadata, such as `metadata.plan` */
    claims?: string[];
    /** The logo, as a data URL in base64 of a PNG, JPEG, WebP or SVG image of at most 32 KiB; null for that of the organisation; only for apps with `people: "users"` */
    logo?: string | null;
    /** `#` and six hex digits, such as `#1d4f91`: the colour of buttons and links; null for that of the organisation; only for apps with `people: "users"`. Where the contrast with the page is too low, it is made darker or lighter */
    color?: string | null;
};
export type CreateAppOutput = {
    /** The client id, `<org>-<app>` */
    id: string;
    /** Its short name */
    app: string;
    /** The brand at whose origin people sign in */
    brand: string;
    /** The issuer of its tokens, which clients are configured with; absent while this host does not serve the brand */
    issuer?: string;
    /** The name that people see when they sign in */
    name: string;
    /** Whether it has a secret */
    type: 'confidential' | 'public';
    /** The URLs that people may return to after signing in */
    redirectUris: string[];
    /** The URLs that people may return to after signing out */
    logoutUris: string[];
    /** Whether its tokens carry the person's role */
    trusted: boolean;
    /** Who signs in: `team` for the organisation's members, or `users` for its customers. Customers get their own account (`/v1/iam/users`), and can use this API only for that account */
    people: 'team' | 'users';
    /** Who may register with an app for customers. `closed`: nobody, only existing accounts sign in; `invited`: people for whom an admin created an account, who then choose a password; `open`: everybody */
    signUp: 'closed' | 'invited' | 'open';
    /** Only addresses at exactly these domains may register; if empty, all may */
    signUpDomains: string[];
    /** Whether to reject registrations from disposable mail providers, according to the risk set `domain` */
    refuseDisposable: boolean;
    /** The API that the app's access tokens are for: an https URL or a URN that no other organisation uses. Stoa's API rejects tokens for another audience; if omitted, the tokens are for Stoa's API */
    audience?: string;
    /** Additional claims in tokens and UserInfo: `role` and, for customers, fields of their metadata, such as `metadata.plan` */
    claims: string[];
    /** Whether the tokens of an untrusted app have the rights of a member. Only apps that were registered before such tokens became read-only have it; an owner can set it to false, which cannot be undone */
    mayWrite: boolean;
    /** The logo, as a data URL in base64 of a PNG, JPEG, WebP or SVG image of at most 32 KiB; null for that of the organisation; only for apps with `people: "users"` */
    logo?: string;
    /** `#` and six hex digits, such as `#1d4f91`: the colour of buttons and links; null for that of the organisation; only for apps with `people: "users"`. Where the contrast with the page is too low, it is made darker or lighter */
    color?: string;
    /** When it was created */
    created: string;
    /** When it was last changed */
    updated: string;
    /** The client secret, which is returned only here */
    secret?: string;
};
export type GetAppInput = {
    /** The client id, `<org>-<app>` */
    id: string;
    /** The brand at whose origin people sign in to the app; `default` if omitted */
    brand?: string;
};
export type UpdateAppInput = {
    /** The client id, `<org>-<app>` */
    id: string;
    /** The brand at whose origin people sign in to the app; `default` if omitted */
    brand?: string;
    /** The name of the app, shown when people sign in: one line, not blank, at most 120 characters */
    name?: string;
    /** The URLs that people may return to after signing in: compared exactly, no wildcards */
    redirectUris?: string[];
    /** The URLs that people may return to after signing out: compared exactly, no wildcards */
    logoutUris?: string[];
    /** Whether the app's tokens carry the person's role. Tokens of other apps read as a member and write events. Only owners can set it */
    trusted?: boolean;
    /** Who may register with an app for customers. `closed`: nobody, only existing accounts sign in; `invited`: people for whom an admin created an account, who then choose a password; `open`: everybody */
    signUp?: 'closed' | 'invited' | 'open';
    /** Only addresses at exactly these domains may register; if empty, all may */
    signUpDomains?: string[];
    /** Whether to reject registrations from disposable mail providers, according to the risk set `domain` */
    refuseDisposable?: boolean;
    /** The API that the app's access tokens are for: an https URL or a URN that no other organisation uses. Stoa's API rejects tokens for another audience; if omitted, the tokens are for Stoa's API */
    audience?: string | null;
    /** Additional claims in tokens and UserInfo: `role` and, for customers, fields of their metadata, such as `metadata.plan` */
    claims?: string[];
    /** Whether the tokens of an untrusted app have the rights of a member. Only apps that were registered before such tokens became read-only have it; an owner can set it to false, which cannot be undone */
    mayWrite?: boolean;
    /** The logo, as a data URL in base64 of a PNG, JPEG, WebP or SVG image of at most 32 KiB; null for that of the organisation; only for apps with `people: "users"` */
    logo?: string | null;
    /** `#` and six hex digits, such as `#1d4f91`: the colour of buttons and links; null for that of the organisation; only for apps with `people: "users"`. Where the contrast with the page is too low, it is made darker or lighter */
    color?: string | null;
};
export type DeleteAppInput = {
    /** The client id, `<org>-<app>` */
    id: string;
    /** The brand at whose origin people sign in to the app; `default` if omitted */
    brand?: string;
};
export type RotateAppSecretInput = {
    /** The client id, `<org>-<app>` */
    id: string;
    /** The brand at whose origin people sign in to the app; `default` if omitted */
    brand?: string;
};
export type RotateAppSecretOutput = {
    /** The client id, `<org>-<app>` */
    id: string;
    /** The client secret, which is returned only here */
    secret: string;
};
/** How a field was changed */
export type AuditChange = {
    /** The old value; absent if there was none */
    from?: unknown;
    /** The new value; absent if there is none */
    to?: unknown;
};
/** An action that changed something in the organisation */
export type AuditEntry = {
    /** The id of the entry; later ones are greater */
    id: string;
    /** When the action happened */
    at: string;
    /** The id of the person who acted; absent if the credential belongs to no person */
    user?: string;
    /** The e-mail address of that person at the time */
    email?: string;
    /** The id of the key or session that was used; `stoa` for actions of Stoa itself */
    credential: string;
    /** The name of the action */
    what: string;
    /** The id or name of what was changed */
    on: string;
    /** The old and new values, by field name */
    changes?: Record<string, AuditChange>;
    /** The IP address of the client; empty for actions of Stoa itself */
    ip: string;
    /** The `X-Request-Id` of the request; empty without one */
    requestId: string;
};
export type ListAuditInput = {
    /** The id of a person, `usr_…`: only their actions */
    user?: string;
    /** Only this action, such as `key.revoke` */
    what?: string;
    /** Only entries at or after this time */
    since?: string;
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
/** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
export type Role = 'owner' | 'admin' | 'member';
/** An invitation that the organisation has sent and that is still open */
export type Invite = {
    /** An invite's id, `inv_…` */
    id: string;
    /** An e-mail address */
    email: string;
    /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
    role: Role;
    /** The e-mail address of the person who sent the invite */
    invitedBy: string;
    /** When the invite was sent */
    created: string;
    /** When the link expires */
    expires: string;
};
export type ListInvitesInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type CreateInviteInput = {
    /** An e-mail address */
    email: string;
    /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
    role: Role;
};
export type DeleteInviteInput = {
    /** An invite's id, `inv_…` */
    id: string;
};
/** The credential that a request was made with */
export type Credential = {
    /** A secret key, the session of a browser, or an access token */
    kind: 'secret' | 'session' | 'token';
    /** Its id, as in the audit trail */
    id: string;
    /** Whether the credential has a limit, a budget or a rate */
    limited: boolean;
};
/** An organisation that a person belongs to */
export type Membership = {
    /** The slug of the organisation */
    org: string;
    /** Its name */
    name: string;
    /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
    role: Role;
};
/** The caller */
export type Me = {
    /** A person's id: `usr_…` of a member of the team, `cus_…` of a customer */
    user: string;
    /** An e-mail address */
    email: string;
    /** Whether the person has proved access to the mailbox */
    emailVerified: boolean;
    /** The name of the person; empty if none */
    name: string;
    /** The slug of the organisation that the credential belongs to */
    org: string;
    /** The role in the team, or `user` for a customer */
    role: 'owner' | 'admin' | 'member' | 'user';
    /** For a customer: what the organisation stores about them */
    metadata?: Record<string, unknown>;
    /** The project of this request; null without one */
    project: string | null;
    /** Whether the caller is a superadmin */
    superadmin: boolean;
    /** The credential that a request was made with */
    credential: Credential;
    /** All organisations that the person is a member of; for the token of an untrusted app, only that of the token; empty for a customer */
    orgs: Membership[];
};
export type GetMeInput = Record<string, never>;
export type UpdateMeInput = {
    /** The person's name: one line, not blank, at most 120 characters */
    name: string;
};
export type UpdateMeOutput = {
    /** The new name */
    name: string;
};
export type DeleteMeInput = Record<string, never>;
export type ChangeEmailInput = {
    /** An e-mail address */
    email: string;
    /** The person's current password. Only a customer without a password may omit it */
    current?: string;
};
export type ChangeEmailOutput = {
    /** The new address, in lower case */
    email: string;
};
/** An open invitation to the caller, from any organisation */
export type Invitation = {
    /** An invite's id, `inv_…` */
    id: string;
    /** The slug of the organisation */
    org: string;
    /** Its name */
    name: string;
    /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
    role: Role;
    /** The e-mail address of the person who sent the invite */
    invitedBy: string;
    /** When the invite was sent */
    created: string;
    /** When it expires */
    expires: string;
};
export type ListMyInvitationsInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type AcceptInvitationInput = {
    /** An invite's id, `inv_…` */
    id: string;
};
export type AcceptInvitationOutput = {
    /** The slug of the organisation */
    org: string;
    /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
    role: Role;
};
export type DeclineInvitationInput = {
    /** An invite's id, `inv_…` */
    id: string;
};
export type ChangePasswordInput = {
    /** The person's current password. Only a customer without a password may omit it */
    current?: string;
    /** At least 12 characters; length matters more than special characters */
    password: string;
};
/** A person who belongs to the organisation */
export type Member = {
    /** A person's id, `usr_…` */
    user: string;
    /** An e-mail address */
    email: string;
    /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
    role: Role;
    /** When they joined */
    created: string;
};
export type ListMembersInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type AddMemberInput = {
    /** An e-mail address */
    email: string;
    /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
    role: Role;
    /** At least 12 characters; length matters more than special characters */
    password?: string;
};
export type UpdateMemberInput = {
    /** A person's id, `usr_…` */
    user: string;
    /** `owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners */
    role: Role;
};
export type RemoveMemberInput = {
    /** A person's id, `usr_…` */
    user: string;
};
/** A customer: a person who signs in to the organisation's own apps */
export type User = {
    /** A customer's id, `cus_…` */
    user: string;
    /** An e-mail address */
    email: string;
    /** Whether access to the mailbox of the address was proved */
    emailVerified: boolean;
    /** The name; empty if none */
    name: string;
    /** What the organisation stores about the customer: at most 8 KiB as JSON. The customer can read it; only admins can write it */
    metadata: Record<string, unknown>;
    /** Whether the customer is blocked from signing in */
    blocked: boolean;
    /** When the account was created */
    created: string;
    /** When it was last changed */
    updated: string;
    /** When the customer last signed in */
    signedIn?: string;
};
export type MakeMemberUserInput = {
    /** A person's id, `usr_…` */
    user: string;
};
/** A tenant: members, keys and everything else belong to one organisation */
export type Organisation = {
    /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
    /** The organisation's name: one line, not blank, at most 120 characters */
    name: string;
    /** When it was created */
    created: string;
    /** When it was last changed */
    updated: string;
    /** When it was deleted; until all its data is gone, only superadmins see it */
    deleted?: string;
    /** How far the deletion of its data is; only from `GET /v1/iam/orgs/{slug}` */
    purge?: {
        /** How many tables have rows of organisations */
        tables: number;
        /** In how many of them no row of this one is left */
        empty: number;
    };
};
export type ListOrgsInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
    /** Only organisations whose slug begins with this */
    search?: string;
};
export type CreateOrgInput = {
    /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
    /** The organisation's name: one line, not blank, at most 120 characters */
    name: string;
    /** The first owner; without a password, a new account gets one with `Forgot your password?` on the sign-in page */
    owner: {
        /** An e-mail address */
        email: string;
        /** At least 12 characters; length matters more than special characters */
        password?: string;
    };
};
export type CreateOrgOutput = {
    /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
    /** The organisation's name: one line, not blank, at most 120 characters */
    name: string;
    /** When it was created */
    created: string;
    /** When it was last changed */
    updated: string;
    /** When it was deleted; until all its data is gone, only superadmins see it */
    deleted?: string;
    /** How far the deletion of its data is; only from `GET /v1/iam/orgs/{slug}` */
    purge?: {
        /** How many tables have rows of organisations */
        tables: number;
        /** In how many of them no row of this one is left */
        empty: number;
    };
    /** The first owner */
    owner: {
        /** A person's id, `usr_…` */
        user: string;
        /** An e-mail address */
        email: string;
    };
    /** An unlimited secret key of the owner, which is returned only here */
    key: string;
};
export type GetOrgInput = {
    /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
};
export type UpdateOrgInput = {
    /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
    /** The organisation's name: one line, not blank, at most 120 characters */
    name: string;
};
export type DeleteOrgInput = {
    /** The organisation's slug, which cannot be changed: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
    /** The slug again, to confirm: lower-case letters, digits and inner hyphens, at most 40 characters */
    confirm: string;
};
/** The sign-in of a person to an app, with all tokens that were issued for it */
export type Session = {
    /** A sign-in's id, `sin_…` */
    id: string;
    /** A person's id: `usr_…` of a member of the team, `cus_…` of a customer */
    user: string;
    /** An e-mail address */
    email: string;
    /** The client id of the app */
    app: string;
    /** When the person signed in */
    created: string;
    /** Whether this request was made with it */
    current: boolean;
};
export type ListSessionsInput = {
    /** A person's id: `usr_…` of a member of the team, `cus_…` of a customer */
    user?: string;
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type EndSessionInput = {
    /** A sign-in's id, `sin_…` */
    id: string;
};
/** The branding of the pages and mails for customers */
export type IamSettings = {
    /** The logo, as a data URL in base64 of a PNG, JPEG, WebP or SVG image of at most 32 KiB; null for none */
    logo?: string | null;
    /** `#` and six hex digits, such as `#1d4f91`: the colour of buttons and links; null for the default. Where the contrast with the page is too low, it is made darker or lighter */
    color?: string | null;
};
export type GetIamSettingsInput = Record<string, never>;
export type UpdateIamSettingsInput = {
    /** The logo, as a data URL in base64 of a PNG, JPEG, WebP or SVG image of at most 32 KiB; null for none */
    logo?: string | null;
    /** `#` and six hex digits, such as `#1d4f91`: the colour of buttons and links; null for the default. Where the contrast with the page is too low, it is made darker or lighter */
    color?: string | null;
};
export type RotateSigningKeysInput = {
    /** The brand at whose origin people sign in to the app; `default` if omitted */
    brand?: string;
};
export type RotateSigningKeysOutput = {
    /** When the new keys begin to sign */
    signsFrom: string;
    /** When the old keys are no longer published */
    retires: string;
};
export type ListUsersInput = {
    /** The text to search for */
    search?: string;
    /** Only blocked customers if true; only others if false */
    blocked?: boolean;
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type CreateUserInput = {
    /** An e-mail address */
    email: string;
    /** The customer's name: one line, not blank, at most 120 characters */
    name?: string;
    /** What the organisation stores about the customer: at most 8 KiB as JSON. The customer can read it; only admins can write it */
    metadata?: Record<string, unknown>;
    /** At least 12 characters; length matters more than special characters */
    password?: string;
    /** Whether access to the mailbox of the address was proved */
    emailVerified?: boolean;
};
export type ExportUsersInput = Record<string, never>;
/** A customer in the format of an import */
export type ImportedUser = {
    /** An e-mail address */
    email: string;
    /** Whether access to the mailbox of the address was proved */
    emailVerified?: boolean;
    /** The customer's name: one line, not blank, at most 120 characters */
    name?: string;
    /** What the organisation stores about the customer: at most 8 KiB as JSON. The customer can read it; only admins can write it */
    metadata?: Record<string, unknown>;
    /** Whether the customer is blocked from signing in */
    blocked?: boolean;
    /** When the account was created; default now */
    created?: string;
    /** The password hash, as exported by Auth0, Firebase, Supabase, Keycloak or another Stoa */
    password?: {
        /** A self-describing hash (`$2b$…`, `$argon2id$…`, `$scrypt$…`, or one from an export), or a hash in base64 */
        hash: string;
        /** For a hash in base64: its algorithm as Keycloak names it, or `firebase-scrypt` */
        algorithm?: 'bcrypt' | 'argon2' | 'pbkdf2' | 'pbkdf2-sha256' | 'pbkdf2-sha512' | 'firebase-scrypt';
        /** For a hash in base64: the salt, in base64 */
        salt?: string;
        /** For argon2 and pbkdf2: `hashIterations` in Keycloak */
        iterations?: number;
        /** For argon2: the memory in KiB */
        memory?: number;
        /** For argon2: default 1 */
        parallelism?: number;
        /** For argon2: default `id` */
        type?: 'id' | 'i' | 'd';
        /** For argon2: default `1.3` */
        version?: '1.0' | '1.3';
    };
    /** The id from an export. It is ignored: the account gets a new one */
    user?: string;
};
/** An import that has begun */
export type UserImportStarted = {
    /** An import's id, `imp_…` */
    id: string;
};
export type ImportUsersInput = {
    /** At most 1000 records; the report lists the invalid ones */
    users: ImportedUser[];
    /** Whether existing accounts are replaced */
    replace?: boolean;
    /** The password hash parameters of the Firebase project, for hashes with `firebase-scrypt`. They are not stored */
    firebase?: {
        /** `base64_signer_key` */
        signerKey: string;
        /** `base64_salt_separator` */
        saltSeparator: string;
        /** `rounds` */
        rounds: number;
        /** `mem_cost` */
        memCost: number;
    };
};
/** A record that was not imported */
export type UserImportProblem = {
    /** The number of the record in the request, from 1 */
    line: number;
    /** An e-mail address */
    email?: string;
    /** Why it was not imported. `exists`: the address already has an account; `invalid`: a field is invalid; `password`: the hash cannot be used; `bound`: the organisation has its maximum number of customers; `failed`: an internal error, so that the record can be sent again */
    problem: 'exists' | 'invalid' | 'password' | 'bound' | 'failed';
    /** The reason in words */
    says: string;
};
/** An import of customers. It is kept for 30 days */
export type UserImport = {
    /** An import's id, `imp_…` */
    id: string;
    /** The progress of the import */
    status: 'waiting' | 'running' | 'done';
    /** The id of the person who requested it */
    by: string;
    /** How many records there are */
    total: number;
    /** How many accounts were created so far */
    added: number;
    /** How many accounts were replaced so far */
    replaced: number;
    /** How many records were not imported so far */
    failed: number;
    /** The records that were not imported, in the order of the request */
    data: UserImportProblem[];
    /** When it was requested */
    created: string;
    /** When all records were processed */
    finished?: string;
};
export type GetUserImportInput = {
    /** An import's id, `imp_…` */
    id: string;
};
export type GetUserInput = {
    /** A customer's id, `cus_…` */
    user: string;
};
export type UpdateUserInput = {
    /** A customer's id, `cus_…` */
    user: string;
    /** The customer's name: one line, not blank, at most 120 characters */
    name?: string;
    /** An e-mail address */
    email?: string;
    /** Whether access to the mailbox of the address was proved */
    emailVerified?: boolean;
    /** What the organisation stores about the customer: at most 8 KiB as JSON. The customer can read it; only admins can write it */
    metadata?: Record<string, unknown>;
    /** Whether the customer is blocked from signing in */
    blocked?: boolean;
};
export type DeleteUserInput = {
    /** A customer's id, `cus_…` */
    user: string;
};
/** A team of the organisation that writes events with its own tokens */
export type Workspace = {
    /** A workspace's id, `wsp_…` */
    id: string;
    /** The workspace's name: one line, not blank, at most 120 characters */
    name: string;
    /** When it was created */
    created: string;
};
export type ListWorkspacesInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type CreateWorkspaceInput = {
    /** The workspace's name: one line, not blank, at most 120 characters */
    name: string;
};
export type DeleteWorkspaceInput = {
    /** A workspace's id, `wsp_…` */
    id: string;
};
export type CreateWorkspaceTokenInput = {
    /** A workspace's id, `wsp_…` */
    id: string;
    /** When the token expires, at most a year from now; 30 days from now if omitted */
    expires?: string;
};
export type CreateWorkspaceTokenOutput = {
    /** The token, a JWT, which is returned only here */
    token: string;
    /** When the token expires */
    expires: string;
};
export type FinishLoginInput = {
    /** The state of a sign-in that GET /v1/account/login started */
    state: string;
    /** The authorization code; absent if the sign-in failed */
    code?: string;
    /** The issuer of the code, which must be the identity provider of this host (RFC 9207) */
    iss?: string;
    /** Why the sign-in failed, as a code of OAuth */
    error?: string;
    /** The reason in words; it is not shown */
    error_description?: string;
};
export type GetCsrfInput = Record<string, never>;
export type GetCsrfOutput = {
    /** The token, which belongs to this session and ends with it */
    csrfToken: string;
    /** How many seconds the token is valid */
    expiresIn: number;
};
/** Whether a key works; only an `active` one does */
export type KeyStatus = 'active' | 'expired' | 'revoked';
/** What a key may spend; 0 means no cap */
export type KeyBudget = {
    /** Its cap per UTC calendar month, in cents */
    month: number;
    /** Its cap in total, in cents */
    total: number;
};
/** A key of the organisation; its text is not part of it, unless it is publishable */
export type Key = {
    /** The key's id */
    id: string;
    /** Its name */
    name: string;
    /** `secret` is for servers and acts as its owner; `publishable` may be public and writes events */
    type: 'secret' | 'publishable';
    /** Its first characters, to recognise it by */
    prefix: string;
    /** The full key, if it is publishable */
    key?: string;
    /** Whether a key works; only an `active` one does */
    status: KeyStatus;
    /** The e-mail address of its owner */
    creator: string;
    /** When it was created */
    created: string;
    /** When it stops working */
    expires?: string;
    /** The entries it is restricted to */
    limit?: string[];
    /** What a key may spend; 0 means no cap */
    budget?: KeyBudget;
    /** Requests it may make in any 60 seconds */
    rate?: number;
    /** What it has spent in total, in cents */
    spend: number;
    /** What it has spent in this UTC calendar month, in cents */
    spendMonth: number;
    /** When it was last used, to the minute */
    lastUsed?: string;
    /** Until when the text from before the last rotation stays valid; absent if it is not */
    overlapUntil?: string;
    /** The e-mail address of the person who revoked it */
    revokedBy?: string;
    /** When it was revoked */
    revokedAt?: string;
};
export type ListKeysInput = {
    /** Whether a key works; only an `active` one does */
    status?: KeyStatus;
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type CreateKeyInput = {
    /** The key's name: one line, not blank, at most 120 characters */
    name: string;
    /** `secret`, the default, is for servers and acts as its owner; `publishable` may be public and writes events */
    type?: 'secret' | 'publishable';
    /** Restricts the key to entries such as `read:risk` or `project:web-shop`; if empty, the key may do everything that its owner may do */
    limit?: string[] | null;
    /** What the key may spend; both caps are set together, and an omitted cap is 0 */
    budget?: {
        /** Cap on model calls per UTC calendar month, in cents; 0 means no cap */
        month?: number;
        /** Cap on all model calls, in cents; 0 means no cap */
        total?: number;
    } | null;
    /** Requests the key may make in any 60 seconds */
    rate?: number | null;
    /** When the key stops working */
    expires?: string | null;
};
export type CreateKeyOutput = {
    /** The key's id */
    id: string;
    /** Its name */
    name: string;
    /** `secret` is for servers and acts as its owner; `publishable` may be public and writes events */
    type: 'secret' | 'publishable';
    /** Its first characters, to recognise it by */
    prefix: string;
    /** The full key; store it now */
    key: string;
    /** Whether a key works; only an `active` one does */
    status: KeyStatus;
    /** The e-mail address of its owner */
    creator: string;
    /** When it was created */
    created: string;
    /** When it stops working */
    expires?: string;
    /** The entries it is restricted to */
    limit?: string[];
    /** What a key may spend; 0 means no cap */
    budget?: KeyBudget;
    /** Requests it may make in any 60 seconds */
    rate?: number;
    /** What it has spent in total, in cents */
    spend: number;
    /** What it has spent in this UTC calendar month, in cents */
    spendMonth: number;
    /** When it was last used, to the minute */
    lastUsed?: string;
    /** Until when the text from before the last rotation stays valid; absent if it is not */
    overlapUntil?: string;
    /** The e-mail address of the person who revoked it */
    revokedBy?: string;
    /** When it was revoked */
    revokedAt?: string;
    /** What the key may do, in words; for people to read */
    may: string[];
};
export type UpdateKeyInput = {
    /** A key's id, `key_…` */
    id: string;
    /** The key's name: one line, not blank, at most 120 characters */
    name?: string;
    /** Restricts the key to entries such as `read:risk` or `project:web-shop`; if empty, the key may do everything that its owner may do */
    limit?: string[] | null;
    /** What the key may spend; both caps are set together, and an omitted cap is 0 */
    budget?: {
        /** Cap on model calls per UTC calendar month, in cents; 0 means no cap */
        month?: number;
        /** Cap on all model calls, in cents; 0 means no cap */
        total?: number;
    } | null;
    /** Requests the key may make in any 60 seconds */
    rate?: number | null;
    /** When the key stops working */
    expires?: string | null;
};
export type DeleteKeyInput = {
    /** A key's id, `key_…` */
    id: string;
};
export type RotateKeyInput = {
    /** A key's id, `key_…` */
    id: string;
    /** How many seconds the former text stays valid, at most seven days; default 0 */
    overlap?: number;
};
export type RotateKeyOutput = {
    /** The key's id */
    id: string;
    /** Its name */
    name: string;
    /** `secret` is for servers and acts as its owner; `publishable` may be public and writes events */
    type: 'secret' | 'publishable';
    /** Its first characters, to recognise it by */
    prefix: string;
    /** The full key; store it now */
    key: string;
    /** Whether a key works; only an `active` one does */
    status: KeyStatus;
    /** The e-mail address of its owner */
    creator: string;
    /** When it was created */
    created: string;
    /** When it stops working */
    expires?: string;
    /** The entries it is restricted to */
    limit?: string[];
    /** What a key may spend; 0 means no cap */
    budget?: KeyBudget;
    /** Requests it may make in any 60 seconds */
    rate?: number;
    /** What it has spent in total, in cents */
    spend: number;
    /** What it has spent in this UTC calendar month, in cents */
    spendMonth: number;
    /** When it was last used, to the minute */
    lastUsed?: string;
    /** Until when the text from before the last rotation stays valid; absent if it is not */
    overlapUntil?: string;
    /** The e-mail address of the person who revoked it */
    revokedBy?: string;
    /** When it was revoked */
    revokedAt?: string;
};
export type StartLoginInput = {
    /** The path on this host the browser is sent to after sign-in; by default it is sent to the person's account page */
    to?: string;
    /** The slug of the organisation to sign in to: a member of several does not choose one then. It is ignored unless the person is a member of it */
    org?: string;
};
export type LogoutInput = Record<string, never>;
/** One product of the organisation */
export type Project = {
    /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
    /** The project's name: one line, not blank, at most 120 characters */
    name: string;
    /** When it was created */
    created: string;
    /** When it was last changed */
    updated: string;
};
export type ListProjectsInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type CreateProjectInput = {
    /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
    /** The project's name: one line, not blank, at most 120 characters */
    name: string;
};
export type GetProjectInput = {
    /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
};
export type UpdateProjectInput = {
    /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
    /** The project's name: one line, not blank, at most 120 characters */
    name: string;
};
export type DeleteProjectInput = {
    /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
};
/** A DNS record that the owner of a host creates */
export type DnsRecord = {
    /** The type of the record */
    type: 'TXT';
    /** The name of the record */
    name: string;
    /** What it must contain */
    value: string;
};
/** A host name of a project, whose pages may call this service once it is verified */
export type Domain = {
    /** The name in lower case and ASCII */
    host: string;
    /** `live` if it is verified */
    status: 'pending' | 'live';
    /** Whether its TXT record was found */
    verified: boolean;
    /** The DNS records that the host needs to become and to stay verified */
    records: DnsRecord[];
    /** When it was attached */
    created: string;
    /** How many daily checks in a row did not find the TXT record of a live host; after 3 it becomes pending. Absent if the last check found it */
    missedChecks?: number;
    /** What the check found; only in the answer of a check */
    detail?: string;
};
export type ListDomainsInput = {
    /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type AttachDomainInput = {
    /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
    /** A host name, such as shop.example.com, without scheme, port or wildcard */
    host: string;
};
export type DetachDomainInput = {
    /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
    /** A host name, such as shop.example.com, without scheme, port or wildcard */
    host: string;
};
export type VerifyDomainInput = {
    /** The project's slug: lower-case letters, digits and inner hyphens, at most 40 characters */
    slug: string;
    /** A host name, such as shop.example.com, without scheme, port or wildcard */
    host: string;
};
/** A model of a provider */
export type ProviderModel = {
    /** The name that clients use: 1 to 200 visible ASCII characters */
    id: string;
    /** Its name at the provider, if that is another: 1 to 200 visible ASCII characters */
    upstream?: string;
    /** The kind of model; default `chat` */
    kind?: 'chat' | 'embedding';
    /** The prices of the model */
    price?: {
        /** Input, in cents per million tokens */
        input: number;
        /** Output, in cents per million tokens */
        output: number;
        /** Input from the provider's cache (by default priced as input), in cents per million tokens */
        cachedInput?: number;
        /** Input that is written to the provider's cache (by default priced as input), in cents per million tokens */
        cacheWrite?: number;
        /** Input that is cached for an hour, in the messages format (if absent, such caching is rejected), in cents per million tokens */
        cacheWriteHour?: number;
        /** Reasoning (by default priced as output), in cents per million tokens */
        reasoning?: number;
        /** An image, in cents */
        image?: number;
    };
    /** The most tokens of an answer, assumed for prepaid calls that set no limit; default: the known limit of a model of this name, or 4096 */
    outputMax?: number;
    /** Milliseconds until its answer must begin; default 300000 */
    beginMs?: number;
    /** Milliseconds between two parts of its answer; default 300000 */
    gapMs?: number;
    /** Calls that an organisation may begin in a minute, in each process of this service */
    rate?: number;
    /** Concurrent calls of an organisation, in each process of this service */
    concurrency?: number;
};
/** A provider of models */
export type Provider = {
    /** The name of the provider here: lower-case letters, digits and inner hyphens, at most 40 characters */
    name: string;
    /** The format of its API; default: that of its kind */
    wire: 'openai' | 'anthropic';
    /** Which provider it is; by default `compatible`, which is any server with the OpenAI format, or `anthropic` if `wire` says so */
    kind: 'openai' | 'anthropic' | 'google' | 'mistral' | 'groq' | 'together' | 'openrouter' | 'azure' | 'bedrock' | 'ollama' | 'vllm' | 'llamacpp' | 'compatible';
    /** Its URL */
    baseUrl: string;
    /** Whether it has a key */
    hasApiKey: boolean;
    /** Its models */
    models: ProviderModel[];
    /** When it was added */
    created: string;
    /** When it was last changed */
    updated: string;
};
/** A provider of models that cannot be changed with an operation */
export type FixedProvider = {
    /** Its name */
    name: string;
    /** `environment`: its variables are set; `machine`: it was found on this machine */
    from: 'environment' | 'machine';
    /** The format of its API */
    wire: 'openai' | 'anthropic';
    /** Its URL */
    baseUrl: string;
    /** Whether it has a key */
    hasApiKey: boolean;
    /** Its known models; if there are none, any can be called as `provider/model` */
    models: ProviderModel[];
};
export type ListProvidersInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type ListProvidersOutput = {
    /** The items of this page */
    data: Provider[];
    /** Send it as `after` to get the next page; empty on the last page */
    next: string;
    /** Providers from the environment, and servers that were found on this machine */
    fixed: FixedProvider[];
};
export type AddProviderInput = {
    /** The name of the provider here: lower-case letters, digits and inner hyphens, at most 40 characters */
    name: string;
    /** The format of its API; default: that of its kind */
    wire?: 'openai' | 'anthropic';
    /** Which provider it is; by default `compatible`, which is any server with the OpenAI format, or `anthropic` if `wire` says so */
    kind?: 'openai' | 'anthropic' | 'google' | 'mistral' | 'groq' | 'together' | 'openrouter' | 'azure' | 'bedrock' | 'ollama' | 'vllm' | 'llamacpp' | 'compatible';
    /** Its URL, without the path of an operation; `/v1` if it has no path */
    baseUrl: string;
    /** Its key; it is stored encrypted and never shown */
    apiKey?: string;
    /** Its models, at most 500 */
    models: ProviderModel[];
};
export type UpdateProviderInput = {
    /** The name of the provider here: lower-case letters, digits and inner hyphens, at most 40 characters */
    name: string;
    /** Its URL, without the path of an operation; `/v1` if it has no path */
    baseUrl?: string;
    /** Its key; it is stored encrypted and never shown */
    apiKey?: string | null;
    /** Its models, at most 500 */
    models?: ProviderModel[];
};
export type DeleteProviderInput = {
    /** The name of the provider here: lower-case letters, digits and inner hyphens, at most 40 characters */
    name: string;
};
/** A model call in the log */
export type ModelRequest = {
    /** The id of the request */
    id: string;
    /** When it began */
    created: string;
    /** The model, as the client named it */
    model: string;
    /** The model that answered, if it is another: behind an alias, or a fallback */
    answeredModel?: string;
    /** Who answered */
    provider?: string;
    /** The format of the client */
    wire: string;
    /** Whether the answer was streamed */
    streamed: boolean;
    /** The key that called */
    key?: string;
    /** The project */
    project?: string;
    /** Why it failed: the code of the fault, or `interrupted` if the client disconnected */
    error?: string;
    /** How many times a provider was called */
    attempts: number;
    /** Milliseconds until the first part of the answer */
    firstTokenMs?: number;
    /** Milliseconds until the end of the answer */
    totalMs: number;
    /** Tokens of the input */
    inputTokens: number;
    /** Tokens of the output */
    outputTokens: number;
    /** Tokens of the output per second after the first part */
    tokensPerSecond?: number;
    /** Whether the tokens were counted here */
    estimated: boolean;
    /** The cost in cents */
    cost?: number;
    /** The transfer in the journal */
    transactionId?: string;
};
export type ListModelRequestsInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type GetModelRequestInput = {
    /** The id of the request */
    id: string;
};
/** Another name for a model */
export type ModelAlias = {
    /** The name that clients use: 1 to 200 visible ASCII characters */
    name: string;
    /** The model that is then called: 1 to 200 visible ASCII characters */
    model: string;
};
/** The models that are called when another one fails */
export type ModelFallback = {
    /** The model, or an alias: 1 to 200 visible ASCII characters */
    model: string;
    /** The models that are called instead, in this order: up to 5, of the same kind */
    to: string[];
};
/** The organisation's aliases of models, and the models to use when another one fails */
export type AiSettings = {
    /** Other names for models: up to 100; default none */
    aliases: ModelAlias[];
    /** The models to call when a model cannot be reached or is busy: up to 100 entries; default none */
    fallbacks: ModelFallback[];
};
export type GetAiSettingsInput = Record<string, never>;
export type UpdateAiSettingsInput = {
    /** Other names for models: up to 100; default none */
    aliases?: ModelAlias[];
    /** The models to call when a model cannot be reached or is busy: up to 100 entries; default none */
    fallbacks?: ModelFallback[];
};
/** The prices of a model */
export type ModelPrice = {
    /** Input, in cents per million tokens */
    input: number;
    /** Output, in cents per million tokens */
    output: number;
    /** Input from the provider's cache, in cents per million tokens */
    cachedInput?: number;
    /** Input that is written to the provider's cache, in cents per million tokens */
    cacheWrite?: number;
    /** Input that is written to the provider's cache for an hour, in cents per million tokens */
    cacheWriteHour?: number;
    /** Reasoning, in cents per million tokens */
    reasoning?: number;
    /** An image, in cents */
    image?: number;
};
/** A model that can be called; without a price, its calls are counted but cost nothing */
export type Model = {
    /** The name for `model` */
    id: string;
    /** Always `model` */
    object: 'model';
    /** Always 0: providers do not agree on it */
    created: number;
    /** The provider */
    owned_by: string;
    /** The kind of model */
    kind: 'chat' | 'embedding';
    /** The prices of a model */
    price?: ModelPrice;
};
/** In the format of the models interface */
export type ModelList = {
    /** Always `list` */
    object: 'list';
    /** The models, by name */
    data: Model[];
};
export type ListModelsInput = Record<string, never>;
/** An event that was received */
export type ReceivedEvent = {
    /** Its id */
    id: string;
    /** When it arrived */
    received: string;
    /** When it happened, corrected for the clock of the client */
    timestamp: string;
    /** Its name, as it was sent */
    event: string;
    /** How it was sent: the form of Stoa, or that of an SDK */
    wire: string;
    /** The project that it belongs to */
    project?: string;
    /** The workspace whose token wrote it */
    workspace?: string;
    /** Who did it */
    distinctId?: string;
    /** The id of the visitor before the person was identified */
    anonymousId?: string;
    /** The session of the visitor */
    sessionId?: string;
    /** The amount that was paid */
    revenue?: number;
    /** The currency of the revenue */
    currency?: string;
    /** How many bytes of `properties` were left out, because the answer would be too long */
    propertiesOmitted?: number;
    /** Everything else about it; empty if `propertiesOmitted` is present */
    properties: Record<string, unknown>;
};
export type ListEventsInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
/** The time that was read */
export type LensRange = {
    /** From when on */
    from: string;
    /** Until when */
    to: string;
    /** The time zone of its days */
    zone: string;
};
/** Errors with the same fingerprint */
export type ErrorGroup = {
    /** Identical for errors of the same kind */
    fingerprint: string;
    /** The class of the newest of them */
    type?: string;
    /** Its message */
    message?: string;
    /** How many of them in this time */
    count: number;
    /** How many distinct visitors they happened to */
    people: number;
    /** When the first of them happened, also before this time */
    firstSeen: string;
    /** When the last of them happened, also after this time */
    lastSeen: string;
    /** The releases that they happened in, at most 20 */
    releases: string[];
    /** Their number in 24 parts of the time, the oldest first */
    sparkline: number[];
    /** The id of the newest of them */
    lastExample?: string;
};
/** How exact the numbers of visitors are */
export type DistinctMethod = {
    /** How visitors were counted: exactly, or, if there are more than 10,000, by an estimate (HyperLogLog) */
    method: 'exact' | 'sketch';
    /** How much the estimate may deviate, as a share; 0 if it is exact */
    error: number;
};
/** Errors by fingerprint */
export type ErrorGroups = {
    /** The time that was read */
    range: LensRange;
    /** The groups of this page */
    data: ErrorGroup[];
    /** When the first part of each sparkline begins, perhaps before the time */
    sparklineFrom: string;
    /** Send it as `after` to get the next page; empty on the last page */
    next: string;
    /** How exact the numbers of visitors are */
    distinct: DistinctMethod;
};
export type ListErrorGroupsInput = {
    /** Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h` */
    range?: '24h' | '7d' | '30d' | '12mo' | 'day' | 'week' | 'month' | 'all';
    /** From when on, rounded down to a quarter of an hour. With it, `range` is ignored */
    from?: string;
    /** Until when, rounded up to a quarter of an hour; default now */
    to?: string;
    /** The time zone of days, weeks and months; default that of the organisation's settings */
    zone?: string;
    /** Only events for which all of these are true, each as `field:operator:value`. Fields are `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; operators are `is`, `not`, `contains`, `starts`, `in` (values separated by commas), `gt`, `lt` and `set` (`true`, the default, or `false`). Repeat the parameter for several */
    where?: string[];
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
/** An event, and who and what it counts as */
export type CountedEvent = {
    /** Its id */
    id: string;
    /** Its place in the order in which the events of the organisation arrived */
    arrival: number;
    /** When it arrived */
    received: string;
    /** When it happened, corrected for the clock of the client */
    timestamp: string;
    /** Its name */
    event: string;
    /** How it was sent: the form of Stoa, or that of an SDK */
    wire: string;
    /** Who it counts as */
    visitor: string;
    /** The session that it belongs to */
    session: string;
    /** The project that it belongs to */
    project?: string;
    /** The workspace whose token wrote it */
    workspace?: string;
    /** Who did it */
    distinctId?: string;
    /** The id of the visitor before the person was identified */
    anonymousId?: string;
    /** The session that the SDK named */
    sessionId?: string;
    /** The amount that was paid */
    revenue?: number;
    /** The currency of the revenue */
    currency?: string;
    /** Of errors: identical for those of the same kind */
    fingerprint?: string;
    /** The path of the page */
    path?: string;
    /** What led there */
    source?: string;
    /** The campaign */
    campaign?: string;
    /** The country */
    country?: string;
    /** The kind of device */
    device?: string;
    /** The browser */
    browser?: string;
    /** The operating system */
    system?: string;
    /** The version of the program */
    release?: string;
    /** Everything else about it */
    properties: Record<string, unknown>;
};
/** The events of a time */
export type CountedEvents = {
    /** The time that was read */
    range: LensRange;
    /** The events of this page */
    data: CountedEvent[];
    /** Send it as `after` to get the next page; empty on the last page */
    next: string;
};
export type ListRawEventsInput = {
    /** Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h` */
    range?: '24h' | '7d' | '30d' | '12mo' | 'day' | 'week' | 'month' | 'all';
    /** From when on, rounded down to a quarter of an hour. With it, `range` is ignored */
    from?: string;
    /** Until when, rounded up to a quarter of an hour; default now */
    to?: string;
    /** The time zone of days, weeks and months; default that of the organisation's settings */
    zone?: string;
    /** Only events for which all of these are true, each as `field:operator:value`. Fields are `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; operators are `is`, `not`, `contains`, `starts`, `in` (values separated by commas), `gt`, `lt` and `set` (`true`, the default, or `false`). Repeat the parameter for several */
    where?: string[];
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type ExportEventsInput = {
    /** Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h` */
    range?: '24h' | '7d' | '30d' | '12mo' | 'day' | 'week' | 'month' | 'all';
    /** From when on, rounded down to a quarter of an hour. With it, `range` is ignored */
    from?: string;
    /** Until when, rounded up to a quarter of an hour; default now */
    to?: string;
    /** The time zone of days, weeks and months; default that of the organisation's settings */
    zone?: string;
    /** Only events for which all of these are true, each as `field:operator:value`. Fields are `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; operators are `is`, `not`, `contains`, `starts`, `in` (values separated by commas), `gt`, `lt` and `set` (`true`, the default, or `false`). Repeat the parameter for several */
    where?: string[];
    /** JSON lines, the default, or CSV */
    format?: 'ndjson' | 'csv';
};
/** The events with a name */
export type NamedEvent = {
    /** The name */
    event: string;
    /** How many of them */
    count: number;
    /** How many distinct visitors */
    people: number;
    /** When the first of them happened in this time */
    firstSeen: string;
    /** When the last of them happened in this time */
    lastSeen: string;
};
/** The names of events */
export type NamedEvents = {
    /** The time that was read */
    range: LensRange;
    /** The names of this page */
    data: NamedEvent[];
    /** Send it as `after` to get the next page; empty on the last page */
    next: string;
    /** How exact the numbers of visitors are */
    distinct: DistinctMethod;
};
export type ListEventNamesInput = {
    /** Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h` */
    range?: '24h' | '7d' | '30d' | '12mo' | 'day' | 'week' | 'month' | 'all';
    /** From when on, rounded down to a quarter of an hour. With it, `range` is ignored */
    from?: string;
    /** Until when, rounded up to a quarter of an hour; default now */
    to?: string;
    /** The time zone of days, weeks and months; default that of the organisation's settings */
    zone?: string;
    /** Only events for which all of these are true, each as `field:operator:value`. Fields are `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; operators are `is`, `not`, `contains`, `starts`, `in` (values separated by commas), `gt`, `lt` and `set` (`true`, the default, or `false`). Repeat the parameter for several */
    where?: string[];
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
/** How to add the tag to a page */
export type Install = {
    /** The two lines, for the `head` of each page; absent without a key */
    html?: string;
    /** The publishable key in `html`; absent if the caller may see none */
    key?: {
        /** Its id */
        id: string;
        /** Its name */
        name: string;
        /** Its text, which may be public */
        key: string;
    };
    /** How to make a key; absent if there is one */
    create?: string;
    /** The address of the script, with the hash of its content */
    tag: string;
    /** What a content security policy must allow: the first line by its hash, the script, and the address of events */
    policy: string;
    /** Whether an event has arrived */
    received: boolean;
    /** When the first event happened */
    firstEvent?: string;
};
export type GetInstallInput = Record<string, never>;
/** The same of the time before */
export type Figures = {
    /** How many distinct visitors */
    visitors: number;
    /** How many sessions began */
    sessions: number;
    /** How many page views */
    pageviews: number;
    /** How many events, page views included */
    events: number;
    /** The share of sessions with one page view and under 10 seconds; 0 if there is no session */
    bounceRate: number;
    /** How long a session lasted on average, in seconds */
    visitSeconds: number;
    /** The revenue by currency; `` if an event names none */
    revenue: Record<string, number>;
    /** How many model calls were settled; absent for workspaces and with conditions */
    requests?: number;
    /** How many tokens they used */
    tokens?: number;
    /** What they cost, in cents */
    spend?: number;
};
/** The figures of a time */
export type Overview = {
    /** The time that was read */
    range: LensRange;
    /** How many distinct visitors */
    visitors: number;
    /** How many sessions began */
    sessions: number;
    /** How many page views */
    pageviews: number;
    /** How many events, page views included */
    events: number;
    /** The share of sessions with one page view and under 10 seconds; 0 if there is no session */
    bounceRate: number;
    /** How long a session lasted on average, in seconds */
    visitSeconds: number;
    /** The revenue by currency; `` if an event names none */
    revenue: Record<string, number>;
    /** How many model calls were settled; absent for workspaces and with conditions */
    requests?: number;
    /** How many tokens they used */
    tokens?: number;
    /** What they cost, in cents */
    spend?: number;
    /** How exact the numbers of visitors are */
    distinct: DistinctMethod;
    /** The same of the time before */
    previous?: Figures;
    /** How many stored events of the organisation are not included yet, because a former version stored them; 100000 means at least so many */
    uncounted?: number;
};
export type GetEventOverviewInput = {
    /** Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h` */
    range?: '24h' | '7d' | '30d' | '12mo' | 'day' | 'week' | 'month' | 'all';
    /** From when on, rounded down to a quarter of an hour. With it, `range` is ignored */
    from?: string;
    /** Until when, rounded up to a quarter of an hour; default now */
    to?: string;
    /** The time zone of days, weeks and months; default that of the organisation's settings */
    zone?: string;
    /** Only events for which all of these are true, each as `field:operator:value`. Fields are `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; operators are `is`, `not`, `contains`, `starts`, `in` (values separated by commas), `gt`, `lt` and `set` (`true`, the default, or `false`). Repeat the parameter for several */
    where?: string[];
    /** Whether `previous` has the same of the time before; default true */
    compare?: boolean;
};
/** The organisation's settings for events */
export type EventSettings = {
    /** The time zone of days, weeks and months; default `UTC` */
    zone: string;
    /** Whether the client address is stored with its events, as `$ip`; default false */
    storeAddresses: boolean;
    /** Whether texts that look like secrets or card numbers are removed before events are stored; default false */
    scrub: boolean;
    /** After how many days events are deleted; null, the default, keeps them */
    retentionDays?: number | null;
};
export type GetEventSettingsInput = Record<string, never>;
export type UpdateEventSettingsInput = {
    /** The time zone of days, weeks and months; default `UTC` */
    zone?: string;
    /** Whether the client address is stored with its events, as `$ip`; default false */
    storeAddresses?: boolean;
    /** Whether texts that look like secrets or card numbers are removed before events are stored; default false */
    scrub?: boolean;
    /** After how many days events are deleted; null, the default, keeps them */
    retentionDays?: number | null;
};
export type GetTagInput = {
    /** The hash of the script that is meant */
    v?: string;
    [field: string]: unknown;
};
/** A point of a series */
export type SeriesPoint = {
    /** When it begins */
    at: string;
    /** The figure */
    value: number;
};
/** A figure over time */
export type Series = {
    /** The metric, or the value of the breakdown */
    name: string;
    /** Every point, the oldest first; 0 where nothing happened */
    points: SeriesPoint[];
};
/** Figures over time */
export type Timeseries = {
    /** The time that was read */
    range: LensRange;
    /** The time between two points */
    interval: string;
    /** The series */
    series: Series[];
    /** The series of the time before */
    previous?: Series[];
    /** How exact the numbers of visitors are */
    distinct: DistinctMethod;
};
export type GetEventTimeseriesInput = {
    /** Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h` */
    range?: '24h' | '7d' | '30d' | '12mo' | 'day' | 'week' | 'month' | 'all';
    /** From when on, rounded down to a quarter of an hour. With it, `range` is ignored */
    from?: string;
    /** Until when, rounded up to a quarter of an hour; default now */
    to?: string;
    /** The time zone of days, weeks and months; default that of the organisation's settings */
    zone?: string;
    /** Only events for which all of these are true, each as `field:operator:value`. Fields are `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; operators are `is`, `not`, `contains`, `starts`, `in` (values separated by commas), `gt`, `lt` and `set` (`true`, the default, or `false`). Repeat the parameter for several */
    where?: string[];
    /** The time between two points, at most 2000 of them; by default it depends on the range */
    interval?: '15m' | 'hour' | 'day' | 'week' | 'month';
    /** Only this figure; by default `visitors`, `sessions`, `pageviews`, `events`, or the visitors of a breakdown */
    metric?: 'visitors' | 'sessions' | 'pageviews' | 'events' | 'bounceRate' | 'visitSeconds';
    /** A breakdown: a series for each of the 8 values with the most visitors. The same fields as in `where` */
    by?: string;
    /** Whether `previous` has the same of the time before; default false */
    compare?: boolean;
};
/** A value, and how many visitors had it */
export type TopValue = {
    /** The value */
    value: string;
    /** How many distinct visitors */
    visitors: number;
    /** How many events */
    events: number;
    /** The share of all visitors of the time */
    share: number;
};
/** The values with the most visitors */
export type Top = {
    /** The time that was read */
    range: LensRange;
    /** The field */
    by: string;
    /** The values, that with the most visitors first */
    data: TopValue[];
    /** How exact the numbers of visitors are */
    distinct: DistinctMethod;
};
export type GetEventTopInput = {
    /** Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h` */
    range?: '24h' | '7d' | '30d' | '12mo' | 'day' | 'week' | 'month' | 'all';
    /** From when on, rounded down to a quarter of an hour. With it, `range` is ignored */
    from?: string;
    /** Until when, rounded up to a quarter of an hour; default now */
    to?: string;
    /** The time zone of days, weeks and months; default that of the organisation's settings */
    zone?: string;
    /** Only events for which all of these are true, each as `field:operator:value`. Fields are `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; operators are `is`, `not`, `contains`, `starts`, `in` (values separated by commas), `gt`, `lt` and `set` (`true`, the default, or `false`). Repeat the parameter for several */
    where?: string[];
    /** The field: `event`, `path`, `source`, `campaign`, `country`, `device`, `browser`, `system`, `release` or `properties.<name>`; default `path` */
    by?: string;
    /** How many; default 10, at most 100 */
    limit?: number;
};
/** A handler for events with certain subjects */
export type Consumer = {
    /** Its id */
    name: string;
    /** When the oldest event that it has not read was published; absent if it has read all */
    behindSince?: string;
    /** Events that wait because an earlier one of the same organisation failed, or because too many arrived at the same time */
    waiting: number;
    /** Events that failed too often */
    deadLetters: number;
    /** True if this version has no consumer with this id: nothing reads its events, which are kept for a week */
    isUndeclared?: true;
};
export type ListConsumersInput = Record<string, never>;
export type ListConsumersOutput = {
    /** Sorted by name */
    consumers: Consumer[];
};
/** An event that a consumer failed to handle 20 times */
export type DeadLetter = {
    /** The id of a dead letter */
    id: string;
    /** The consumer that failed to handle it */
    consumer: string;
    /** When it became a dead letter */
    at: string;
    /** The error of the last attempt */
    error: string;
    /** What identifies the event; its data belongs to the organisation and is not shown */
    event: {
        /** The id of the event */
        id: string;
        /** The subject of the event */
        subject: string;
        /** The organisation of the event */
        tenant: string;
        /** When it happened */
        time: string;
    };
};
export type ListDeadLettersInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type RetryDeadLetterInput = {
    /** The id of a dead letter */
    id: string;
};
/** A database or server that this host depends on */
export type Engine = {
    /** What it is for: the database, the event log, the events that analytics reads, or mail */
    name: 'db' | 'log' | 'warehouse' | 'mail';
    /** What implements it */
    driver: string;
    /** `full`: its disk is; `busy`: it answers, but calls wait */
    status: 'up' | 'busy' | 'down' | 'full';
    /** The version of its server */
    version?: string;
    /** Its size on disk */
    bytes?: number;
    /** Connections to its server */
    connections?: {
        /** The open connections to its server, of all its clients */
        used: number;
        /** How many the server allows */
        max: number;
    };
};
export type ListEnginesInput = Record<string, never>;
export type ListEnginesOutput = {
    /** The database first */
    engines: Engine[];
};
/** A mail that was written to a file */
export type KeptMail = {
    /** The id of a kept mail, which begins with its time */
    id: string;
    /** When it was written */
    at: string;
    /** The recipient */
    to: string;
};
export type ListKeptMailInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type ListKeptMailOutput = {
    /** Whether mail is kept; false if a mail server is set, and mail is sent */
    kept: boolean;
    /** The items of this page */
    data: KeptMail[];
    /** Send it as `after` to get the next page; empty on the last page */
    next: string;
};
/** A mail that was written to a file, with its text */
export type KeptMailText = {
    /** The id of a kept mail, which begins with its time */
    id: string;
    /** When it was written */
    at: string;
    /** The recipient */
    to: string;
    /** The sender */
    from: string;
    /** The subject, which may have a code */
    subject: string;
    /** The text, cut at 64 KiB */
    text: string;
};
export type GetKeptMailInput = {
    /** The id of a kept mail, which begins with its time */
    id: string;
};
/** A queue of background jobs */
export type Queue = {
    /** Its id */
    name: string;
    /** Jobs that have not ended, including running ones */
    waiting: number;
    /** Keys, such as webhook endpoints, that have jobs or their own limits */
    keys: number;
    /** Keys whose jobs a process runs now */
    held: number;
    /** Keys that are paused */
    paused: number;
    /** When the oldest job that no process has started was due; absent if there is none */
    dueSince?: string;
};
export type ListQueuesInput = Record<string, never>;
export type ListQueuesOutput = {
    /** Sorted by name */
    queues: Queue[];
};
/** The requests of an hour */
export type RequestHour = {
    /** When the hour began */
    at: string;
    /** Requests that its credentials were sent with */
    requests: number;
    /** Those answered with a status of 400 to 499 */
    refused: number;
    /** Those answered with a status of 500 or more */
    failed: number;
};
/** The requests of an organisation */
export type RequestCounts = {
    /** Requests that its credentials were sent with */
    requests: number;
    /** Those answered with a status of 400 to 499 */
    refused: number;
    /** Those answered with a status of 500 or more */
    failed: number;
    /** Every hour, the oldest first; the last one is not over yet */
    data: RequestHour[];
};
export type GetRequestsInput = {
    /** How many hours or days, up to now; default `24h` */
    range?: '24h' | '7d' | '30d';
};
/** A table of the database */
export type TableSize = {
    /** Its name */
    name: string;
    /** The service that it belongs to */
    service: string;
    /** The estimated number of rows, from the last statistics */
    rows: number;
    /** Its size on disk, including indexes */
    bytes: number;
    /** The organisations with the most rows, from the last statistics; with `org`, only that one, counted exactly up to 100000 */
    organisations: {
        /** An organisation: lower-case letters, digits and inner hyphens, at most 40 characters */
        org: string;
        /** How many of the rows belong to the organisation */
        rows: number;
    }[];
};
export type ListTablesInput = {
    /** Only this organisation: lower-case letters, digits and inner hyphens, at most 40 characters */
    org?: string;
};
export type ListTablesOutput = {
    /** Sorted by name */
    tables: TableSize[];
};
/** The money of an organisation */
export type Balance = {
    /** The currency of the cents: its ISO 4217 code, a setting of this service */
    currency: string;
    /** The credits less the usage, in cents */
    balance: number;
    /** What is held for running calls, in cents */
    holds: number;
    /** The balance less the holds, in cents */
    available: number;
};
export type GetBalanceInput = Record<string, never>;
/** Credit that the operator gave to an organisation */
export type Credit = {
    /** The id of the transfer in the journal */
    transactionId: string;
    /** The amount; negative if it was taken back, in cents */
    amount: number;
    /** The currency of the cents: its ISO 4217 code, a setting of this service */
    currency: string;
    /** The reason */
    reason: string;
    /** When it was credited */
    created: string;
};
export type ListCreditsInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
export type AddCreditInput = {
    /** The organisation: lower-case letters, digits and inner hyphens, at most 40 characters */
    org: string;
    /** The amount in cents, a whole number up to 100000000; negative to take credit back */
    amount: number;
    /** The reason, shown to the organisation: one line, not blank, at most 120 characters */
    reason: string;
};
/** An amount that was moved from one account to another */
export type Transfer = {
    /** The id of the transfer in the journal */
    transactionId: string;
    /** When it was written */
    created: string;
    /** The account that it takes from: `balance` is the balance of the organisation, `credits` what it was given, `revenue` what it spent */
    from: 'balance' | 'credits' | 'revenue';
    /** The account that it adds to: `balance` is the balance of the organisation, `credits` what it was given, `revenue` what it spent */
    to: 'balance' | 'credits' | 'revenue';
    /** The amount, never below 0, in cents */
    amount: number;
    /** The product that was used; absent if there is none */
    product?: string;
    /** The model; absent if there is none */
    model?: string;
    /** The key; absent if there is none */
    key?: string;
    /** The project; absent if there is none */
    project?: string;
    /** For usage, what the amount was calculated from; for credits, the `reason` */
    metadata: Record<string, unknown>;
};
/** The transfers of an organisation */
export type Journal = {
    /** The currency of the cents: its ISO 4217 code, a setting of this service */
    currency: string;
    /** The balance when this page was read, in cents */
    balance: number;
    /** The transfers of this page */
    data: Transfer[];
    /** Send it as `after` to get the next page; empty on the last page */
    next: string;
};
export type ListJournalInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
    /** The format of the answer, `json` or `csv`; defaults to the one in the header Accept, otherwise to `json` */
    format?: 'json' | 'csv';
};
/** The organisation's alerts on its spending and balance */
export type BillingSettings = {
    /** The spending in a UTC calendar month at which the event `billing.alert.spend_reached` is sent: up to 10 amounts in cents; default none */
    spendAlerts: number[];
    /** The balance in cents below which the event `billing.alert.balance_reached` is sent; null, the default, for no alert */
    balanceAlert?: number | null;
};
export type GetBillingSettingsInput = Record<string, never>;
export type UpdateBillingSettingsInput = {
    /** The spending in a UTC calendar month at which the event `billing.alert.spend_reached` is sent: up to 10 amounts in cents; default none */
    spendAlerts?: number[];
    /** The balance in cents below which the event `billing.alert.balance_reached` is sent; null, the default, for no alert */
    balanceAlert?: number | null;
};
/** One settled call */
export type UsageRow = {
    /** The cost, in cents */
    amount: number;
    /** When it was settled */
    createdAt: string;
    /** What was used: `product`, `model`, `key`, `project`, the tokens, and the price in force in cents per million tokens */
    metadata: Record<string, unknown>;
    /** The id of the transfer in the journal */
    transactionId: string;
};
/** The usage of an organisation */
export type Usage = {
    /** The currency of the cents: its ISO 4217 code, a setting of this service */
    currency: string;
    /** How many rows there are on all pages */
    count: number;
    /** Their total cost, in cents */
    amount: number;
    /** The rows of this page */
    usage: UsageRow[];
    /** Send it as `after` to get the next page; empty on the last page */
    next: string;
};
export type ListUsageInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
    /** Only usage settled at or after this time */
    since?: string;
    /** Only usage settled before this time */
    until?: string;
    /** Only usage of this key */
    key?: string;
    /** Only usage in this project */
    project?: string;
    /** Only calls to this model */
    model?: string;
    /** Only usage of this product */
    product?: string;
};
/** A group of usage */
export type UsageGroup = {
    /** The day in UTC; absent if not grouped by it */
    day?: string;
    /** The key; absent if there is none, or not grouped by it */
    key?: string;
    /** The model; absent if there is none, or not grouped by it */
    model?: string;
    /** The project; absent if there is none, or not grouped by it */
    project?: string;
    /** The product; absent if there is none, or not grouped by it */
    product?: string;
    /** How many calls were settled */
    count: number;
    /** Their cost, in cents */
    amount: number;
};
/** The usage of an organisation, added up */
export type UsageSummary = {
    /** The currency of the cents: its ISO 4217 code, a setting of this service */
    currency: string;
    /** How many calls were settled in all groups, on all pages */
    count: number;
    /** Their total cost, in cents */
    amount: number;
    /** The groups of this page */
    data: UsageGroup[];
    /** Send it as `after` to get the next page; empty on the last page */
    next: string;
};
export type GetUsageSummaryInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
    /** Only usage settled at or after this time */
    since?: string;
    /** Only usage settled before this time */
    until?: string;
    /** Only usage of this key */
    key?: string;
    /** Only usage in this project */
    project?: string;
    /** Only calls to this model */
    model?: string;
    /** Only usage of this product */
    product?: string;
    /** What to group by: one or more of `day`, `key`, `model`, `project`, `product`, separated by commas; default `day` */
    by?: string;
    /** The format of the answer, `json` or `csv`; defaults to the one in the header Accept, otherwise to `json` */
    format?: 'json' | 'csv';
};
/** Where events are sent */
export type WebhookEndpoint = {
    /** An endpoint's id, `wh_…` */
    id: string;
    /** Where events are sent: an https URL of a public address */
    url: string;
    /** Which events are sent: patterns of their subjects, at most 64; if empty, all are sent */
    events: string[];
    /** What it is for, at most 1,024 characters */
    description: string;
    /** Whether events are sent. Only people change it; failed deliveries never do */
    status: 'active' | 'disabled';
    /** How often a failed delivery is retried: `standard`, the default, after 1 s and 5 s; `long` also after 5 min, 30 min, 2 h, 8 h and 24 h. It applies to later deliveries */
    retry: 'standard' | 'long';
    /** When it was created */
    created: string;
    /** When it was last changed */
    updated: string;
    /** Deliveries that ended in the last seven days */
    deliveries7d: number;
    /** Deliveries of the last seven days of which every attempt failed */
    failures7d: number;
};
export type ListWebhooksInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
/** An endpoint with its secret */
export type NewWebhookEndpoint = {
    /** An endpoint's id, `wh_…` */
    id: string;
    /** Where events are sent: an https URL of a public address */
    url: string;
    /** Which events are sent: patterns of their subjects, at most 64; if empty, all are sent */
    events: string[];
    /** What it is for, at most 1,024 characters */
    description: string;
    /** Whether events are sent. Only people change it; failed deliveries never do */
    status: 'active' | 'disabled';
    /** How often a failed delivery is retried: `standard`, the default, after 1 s and 5 s; `long` also after 5 min, 30 min, 2 h, 8 h and 24 h. It applies to later deliveries */
    retry: 'standard' | 'long';
    /** When it was created */
    created: string;
    /** When it was last changed */
    updated: string;
    /** The secret that signs its deliveries; it is shown once */
    secret: string;
};
export type CreateWebhookInput = {
    /** Where events are sent: an https URL of a public address */
    url: string;
    /** Which events are sent: patterns of their subjects, at most 64; if empty, all are sent */
    events?: string[];
    /** What it is for, at most 1,024 characters */
    description?: string;
    /** How often a failed delivery is retried: `standard`, the default, after 1 s and 5 s; `long` also after 5 min, 30 min, 2 h, 8 h and 24 h. It applies to later deliveries */
    retry?: 'standard' | 'long';
};
/** An event that can be sent to endpoints */
export type WebhookSubject = {
    /** The subject */
    subject: string;
    /** What happened */
    what: string;
    /** An example of the body */
    example: Record<string, unknown>;
};
/** The events of this service */
export type WebhookSubjects = {
    /** All events, by subject */
    data: WebhookSubject[];
};
export type ListWebhookSubjectsInput = Record<string, never>;
export type GetWebhookInput = {
    /** An endpoint's id, `wh_…` */
    id: string;
};
export type UpdateWebhookInput = {
    /** An endpoint's id, `wh_…` */
    id: string;
    /** Where events are sent: an https URL of a public address */
    url?: string;
    /** Which events are sent: patterns of their subjects, at most 64; if empty, all are sent */
    events?: string[];
    /** What it is for, at most 1,024 characters */
    description?: string;
    /** Whether events are sent. Only people change it; failed deliveries never do */
    status?: 'active' | 'disabled';
    /** How often a failed delivery is retried: `standard`, the default, after 1 s and 5 s; `long` also after 5 min, 30 min, 2 h, 8 h and 24 h. It applies to later deliveries */
    retry?: 'standard' | 'long';
};
export type DeleteWebhookInput = {
    /** An endpoint's id, `wh_…` */
    id: string;
};
/** One attempt to deliver an event */
export type WebhookDelivery = {
    /** The attempt's id */
    id: string;
    /** A delivery's id: a UUID, the same in all its attempts */
    delivery: string;
    /** The event's subject */
    subject: string;
    /** Which attempt it was, from 1 */
    attempt: number;
    /** It succeeded; it failed and another attempt follows; or it failed and was the last one */
    status: 'ok' | 'retrying' | 'failed';
    /** The status that the endpoint answered */
    httpStatus?: number;
    /** Why it failed */
    error?: string;
    /** The beginning of the response */
    response?: string;
    /** How long the attempt took, in milliseconds */
    durationMs: number;
    /** A delivery's id: a UUID, the same in all its attempts */
    resendOf?: string;
    /** When it was sent */
    created: string;
};
export type ListWebhookDeliveriesInput = {
    /** An endpoint's id, `wh_…` */
    id: string;
    /** It succeeded; it failed and another attempt follows; or it failed and was the last one */
    status?: 'ok' | 'retrying' | 'failed';
    /** The event's subject */
    subject?: string;
    /** Only attempts at or after this time */
    since?: string;
    /** Only attempts before this time */
    until?: string;
    /** How many to return; default 50, at most 200 */
    limit?: number;
    /** The `next` of the previous page; omitted or empty for the first page */
    after?: string;
};
/** A delivery with its body */
export type WebhookDeliveryDetails = {
    /** A delivery's id: a UUID, the same in all its attempts */
    delivery: string;
    /** The event's subject */
    subject: string;
    /** The body that was sent, byte for byte; absent if its event is no longer stored */
    body?: string;
    /** The finished attempts, oldest first */
    attempts: WebhookDelivery[];
};
export type GetWebhookDeliveryInput = {
    /** An endpoint's id, `wh_…` */
    id: string;
    /** A delivery's id: a UUID, the same in all its attempts */
    delivery: string;
};
/** The new delivery */
export type WebhookResent = {
    /** A delivery's id: a UUID, the same in all its attempts */
    delivery: string;
};
export type ResendWebhookDeliveryInput = {
    /** An endpoint's id, `wh_…` */
    id: string;
    /** A delivery's id: a UUID, the same in all its attempts */
    delivery: string;
};
/** The result of sending failed deliveries again */
export type WebhookResentAll = {
    /** How many deliveries are sent again */
    count: number;
};
export type ResendFailedWebhookDeliveriesInput = {
    /** An endpoint's id, `wh_…` */
    id: string;
    /** Deliveries whose last attempt was at or after this time */
    since: string;
};
export type RotateWebhookSecretInput = {
    /** An endpoint's id, `wh_…` */
    id: string;
    /** How many seconds the former secret signs too, at most a day; default 0 */
    overlap?: number;
};
/** The result of a test delivery */
export type WebhookTest = {
    /** A delivery's id: a UUID, the same in all its attempts */
    delivery: string;
    /** Whether it succeeded */
    delivered: boolean;
    /** The status that the endpoint answered */
    httpStatus?: number;
    /** Why it failed */
    error?: string;
    /** How long the attempt took, in milliseconds */
    durationMs: number;
};
export type TestWebhookInput = {
    /** An endpoint's id, `wh_…` */
    id: string;
};
/** A publisher that contributes to a set */
export type ReferenceSource = {
    /** The name of the source */
    source: string;
    /** What permits its use: a licence, a registry, the publication of an operator, or own data */
    basis: 'licence' | 'registry' | 'operator' | 'own' | 'none';
    /** The licence, registry or publication that the basis refers to */
    terms: string;
    /** The exact address of the data */
    origin: string;
    /** Digest of the data it last supplied */
    version?: string;
    /** When this source was current */
    asOf?: string;
    /** Members it contributed */
    keys: number;
    /** Why the last import failed, if it did */
    refusal?: string;
};
/** A published set of members that keys are looked up in */
export type ReferenceSet = {
    /** The name of a set; GET /v1/risk/reference lists them */
    set: string;
    /** What the set contains */
    what: string;
    /** `fetch` is downloaded from publishers, `local` is computed here, `attest` is stored by the component that screens against it, and `seam` needs a licence that is not held */
    kind: 'fetch' | 'local' | 'attest' | 'seam';
    /** How a key is compared with the members */
    match: 'exact' | 'domain' | 'net' | 'digits' | 'pattern' | 'range';
    /** Number of members */
    keys: number;
    /** Every contributing source with the digest of its data */
    version: string;
    /** When the oldest contributing source was current */
    asOf?: string;
    /** The time since `asOf`, such as 192h0m0s */
    age?: string;
    /** Whether the set is older than its maximum age; it still answers */
    stale: boolean;
    /** Why the set cannot be consulted. If present, `hit` has no meaning */
    refusal?: string;
    /** The maximum age, such as 192h0m0s */
    maxAge: string;
    /** Number of overrides that the caller's organisation has on the set */
    overrides: number;
    /** The sources that contribute to it */
    sources: ReferenceSource[];
};
export type ListReferenceInput = Record<string, never>;
export type ListReferenceOutput = {
    /** Every set, always in the same order */
    sets: ReferenceSet[];
    /** Sets older than their maximum age */
    stale: string[];
    /** Sets that cannot be consulted: a key checked against one is unknown, not clean */
    refused: string[];
};
/** What the component that screens against a set has loaded from a source */
export type ReferenceReceipt = {
    /** The source that was loaded */
    source: string;
    /** Digest of the loaded data */
    version?: string;
    /** Number of designations loaded */
    keys?: number;
    /** When the load happened; by default the time of the request */
    asOf?: string;
    /** Why the load failed, if it did */
    refusal?: string;
};
/** The result of a refresh for one source */
export type ReferenceTaken = {
    /** The source */
    source: string;
    /** Digest of the current data of the source */
    version: string;
    /** Members it contributes */
    keys: number;
    /** Members written by this run */
    wrote: number;
    /** Whether the source publishes the same data as before */
    unchanged: boolean;
    /** Whether the run continued a partially imported version */
    resumed: boolean;
    /** Why nothing was imported from the source */
    refusal?: string;
};
export type RefreshReferenceInput = {
    /** The name of a set; GET /v1/risk/reference lists them */
    set: string;
    /** Accepts a list that grew or shrank more than tenfold; never one that is empty or cannot be read */
    force?: boolean;
    /** Only for sets that are stored elsewhere */
    receipts?: ReferenceReceipt[];
};
export type RefreshReferenceOutput = {
    /** The name of a set; GET /v1/risk/reference lists them */
    set: string;
    /** The version of the set after the refresh */
    version: string;
    /** Whether the set is still older than its maximum age */
    stale: boolean;
    /** The result for each source */
    took: ReferenceTaken[];
};
/** The effect of an override: a key with `deny` counts as a member of the set, one with `allow` does not */
export type Verdict = 'allow' | 'deny';
/** The answer of one set for one key */
export type ReferenceAnswer = {
    /** The name of a set; GET /v1/risk/reference lists them */
    set: string;
    /** The key as requested */
    key: string;
    /** Whether the key is a member. Has no meaning if there is a `refusal` */
    hit: boolean;
    /** The member or override that covers the key */
    matched?: string;
    /** Whether an override of the organisation answered, or the published members */
    from?: 'override' | 'baseline';
    /** The effect of an override: a key with `deny` counts as a member of the set, one with `allow` does not */
    verdict?: Verdict;
    /** Properties of the member, or the note of the override */
    value?: Record<string, string>;
    /** Published risk weight, where the source gives one */
    score?: number;
    /** Every contributing source with the digest of its data */
    version: string;
    /** When the oldest contributing source was current */
    asOf?: string;
    /** The time since `asOf`, such as 192h0m0s */
    age?: string;
    /** Whether the set is older than its maximum age; it still answers */
    stale: boolean;
    /** Why the set cannot be consulted. If present, `hit` has no meaning */
    refusal?: string;
};
/** The version of a set that was consulted */
export type ReferenceVersion = {
    /** The name of a set; GET /v1/risk/reference lists them */
    set: string;
    /** Every contributing source with the digest of its data */
    version: string;
    /** When the oldest contributing source was current */
    asOf?: string;
    /** Whether the set is older than its maximum age; it still answers */
    stale: boolean;
    /** Why the set cannot be consulted. If present, `hit` has no meaning */
    refusal?: string;
};
export type ResolveReferenceInput = {
    /** What to look up; at most 100 keys */
    keys: string[];
    /** Which sets to consult; by default every set that can read a key */
    sets?: string[];
};
export type ResolveReferenceOutput = {
    /** One for each set and key consulted */
    answers: ReferenceAnswer[];
    /** Every set that took part */
    consulted: ReferenceVersion[];
    /** Consulted sets that are older than their maximum age */
    stale: string[];
    /** Sets that could not be consulted: a key checked against one is unknown, not clean */
    refused: string[];
};
/** An entry of the organisation for a key, which takes precedence over the members of the set */
export type ReferenceOverride = {
    /** The key that it applies to, in its normal form */
    key: string;
    /** The effect of an override: a key with `deny` counts as a member of the set, one with `allow` does not */
    verdict: Verdict;
    /** The reason that was given */
    note?: string;
    /** The e-mail address of the person who wrote it */
    by: string;
    /** When it was written */
    at: string;
};
export type GetReferenceInput = {
    /** The name of a set; GET /v1/risk/reference lists them */
    set: string;
    /** The last key of the previous page */
    after?: string;
    /** Page size; 200 by default, at most 1000 */
    limit?: number;
};
export type GetReferenceOutput = {
    /** A published set of members that keys are looked up in */
    set: ReferenceSet;
    /** The overrides of this page */
    overrides: ReferenceOverride[];
    /** The value of `after` for the next page; empty on the last page */
    next: string;
};
/** An override to write */
export type ReferenceOverrideIn = {
    /** What to look up: an e-mail address or domain, an IP address or network, a card number prefix, a user agent, an AS number or a digest; at most 512 bytes */
    key: string;
    /** The effect of an override: a key with `deny` counts as a member of the set, one with `allow` does not */
    verdict: Verdict;
    /** Why, at most 512 bytes */
    note?: string;
};
export type SetReferenceInput = {
    /** The name of a set; GET /v1/risk/reference lists them */
    set: string;
    /** The overrides; of several on the same key the last one counts */
    entries: ReferenceOverrideIn[];
};
export type SetReferenceOutput = {
    /** The name of a set; GET /v1/risk/reference lists them */
    set: string;
    /** Number of overrides written by this call */
    written: number;
    /** Number of overrides that the organisation now has on the set */
    overrides: number;
};
export type ClearReferenceInput = {
    /** The name of a set; GET /v1/risk/reference lists them */
    set: string;
    /** What to look up: an e-mail address or domain, an IP address or network, a card number prefix, a user agent, an AS number or a digest; at most 512 bytes */
    key: string;
};
export type ClearReferenceOutput = {
    /** The name of a set; GET /v1/risk/reference lists them */
    set: string;
    /** The key as requested */
    key: string;
    /** False if there was no such override, which is not an error */
    cleared: boolean;
    /** Number of overrides that remain */
    overrides: number;
};
/** A frame of the call stack */
export type Frame = {
    /** The function that was called */
    function?: string;
    /** The file of the call */
    file?: string;
    /** The line in the file */
    line?: number;
    /** The column in the line */
    column?: number;
    /** Whether it is in application code, not in a library */
    inApp?: boolean;
};
/** An exception and its stack */
export type Exception = {
    /** The class of the error */
    type?: string;
    /** Its message */
    message?: string;
    /** The stack trace as text */
    stack?: string;
    /** Whether the program caught it */
    handled?: boolean;
    /** The stack frames, innermost first */
    frames: Frame[];
};
/** An error that a client captured */
export type CapturedError = {
    /** The id of the event */
    id: string;
    /** The name of the event */
    event: string;
    /** When it happened, corrected for the clock of the client */
    timestamp: string;
    /** The user it happened to */
    distinctId?: string;
    /** The session in which it happened */
    sessionId?: string;
    /** The project it happened in */
    product?: string;
    /** The address of the page */
    url?: string;
    /** The path of that address */
    path?: string;
    /** The SDK that captured it */
    library?: string;
    /** The version of the SDK */
    libraryVersion?: string;
    /** The version of the program */
    release?: string;
    /** Where the program runs */
    environment?: string;
    /** Identical for errors of the same kind */
    fingerprint: string;
    /** An exception and its stack */
    exception: Exception;
    /** How many bytes of `properties` were left out, because the answer would be too long */
    propertiesOmitted?: number;
    /** All properties that were sent; empty if `propertiesOmitted` is present */
    properties: Record<string, unknown>;
};
export type ListErrorsInput = {
    /** How many to return; default 50, at most 200 */
    limit?: number;
};
export type ListErrorsOfGroupInput = {
    /** Its fingerprint */
    fingerprint: string;
    /** How many to return; default 50 */
    limit?: number;
};
export type Stoa = {
    /**
     * Lists the services of this host.
     * `GET /v1`
     */
    listServices(input?: ListServicesInput, options?: CallOptions): Call<ListServicesOutput>;
    /**
     * Checks whether the host can serve requests; a 503 names the engine that is down or whose disk is full.
     * `GET /v1/health`
     */
    getHealth(input?: GetHealthInput, options?: CallOptions): Call<GetHealthOutput>;
    /**
     * Returns this API as an OpenAPI 3.1 document.
     * `GET /v1/openapi.json`
     */
    getOpenapi(input?: GetOpenapiInput, options?: CallOptions): Call<Response>;
    /**
     * Lists the organisation's apps, by client id and brand.
     * `GET /v1/iam/apps`
     */
    listApps(input?: ListAppsInput, options?: CallOptions): Call<Page<App>>;
    /** The same, as an iterator over the items of all pages. */
    listAppsAll(input?: ListAppsInput, options?: CallOptions): AsyncGenerator<App, void, undefined>;
    /**
     * Registers an app; for a confidential app, only this response contains the secret.
     * `POST /v1/iam/apps`
     */
    createApp(input: CreateAppInput, options?: CreateOptions): Call<CreateAppOutput>;
    /**
     * Returns one app, without its secret.
     * `GET /v1/iam/apps/{id}`
     */
    getApp(input: GetAppInput, options?: CallOptions): Call<App>;
    /**
     * Changes the given fields of an app.
     * `PATCH /v1/iam/apps/{id}`
     */
    updateApp(input: UpdateAppInput, options?: CallOptions): Call<App>;
    /**
     * Deletes an app; people can no longer sign in to it, and its tokens end.
     * `DELETE /v1/iam/apps/{id}`
     */
    deleteApp(input: DeleteAppInput, options?: CallOptions): Call<void>;
    /**
     * Replaces the secret of a confidential app immediately, and returns the new one.
     * `POST /v1/iam/apps/{id}/secret`
     */
    rotateAppSecret(input: RotateAppSecretInput, options?: CallOptions): Call<RotateAppSecretOutput>;
    /**
     * Lists the audit trail: who did what to which object, when and from where, newest first.
     * `GET /v1/iam/audit`
     */
    listAudit(input?: ListAuditInput, options?: CallOptions): Call<Page<AuditEntry>>;
    /** The same, as an iterator over the items of all pages. */
    listAuditAll(input?: ListAuditInput, options?: CallOptions): AsyncGenerator<AuditEntry, void, undefined>;
    /**
     * Lists the open invites, newest first.
     * `GET /v1/iam/invites`
     */
    listInvites(input?: ListInvitesInput, options?: CallOptions): Call<Page<Invite>>;
    /** The same, as an iterator over the items of all pages. */
    listInvitesAll(input?: ListInvitesInput, options?: CallOptions): AsyncGenerator<Invite, void, undefined>;
    /**
     * Invites a person by mail, with a link that is valid for a week; an earlier invite to the same address ends.
     * `POST /v1/iam/invites`
     */
    createInvite(input: CreateInviteInput, options?: CreateOptions): Call<Invite>;
    /**
     * Withdraws an invite: its link is no longer valid.
     * `DELETE /v1/iam/invites/{id}`
     */
    deleteInvite(input: DeleteInviteInput, options?: CallOptions): Call<void>;
    /**
     * Returns who the caller is: the person, their organisation and the credential in use.
     * `GET /v1/iam/me`
     */
    getMe(input?: GetMeInput, options?: CallOptions): Call<Me>;
    /**
     * Changes the caller's name, which apps see with the scope `profile`.
     * `PATCH /v1/iam/me`
     */
    updateMe(input: UpdateMeInput, options?: CallOptions): Call<UpdateMeOutput>;
    /**
     * Deletes the caller's account, within 15 minutes of signing in.
     * `DELETE /v1/iam/me`
     */
    deleteMe(input?: DeleteMeInput, options?: CallOptions): Call<void>;
    /**
     * Mails a link to a new address for the caller's account, to confirm the change.
     * `POST /v1/iam/me/email`
     */
    changeEmail(input: ChangeEmailInput, options?: CallOptions): Call<ChangeEmailOutput>;
    /**
     * Lists the open invitations to the caller's address, newest first.
     * `GET /v1/iam/me/invitations`
     */
    listMyInvitations(input?: ListMyInvitationsInput, options?: CallOptions): Call<Page<Invitation>>;
    /** The same, as an iterator over the items of all pages. */
    listMyInvitationsAll(input?: ListMyInvitationsInput, options?: CallOptions): AsyncGenerator<Invitation, void, undefined>;
    /**
     * Accepts an invitation: the caller becomes a member of the organisation.
     * `POST /v1/iam/me/invitations/{id}/accept`
     */
    acceptInvitation(input: AcceptInvitationInput, options?: CallOptions): Call<AcceptInvitationOutput>;
    /**
     * Declines an invitation: it ends, and its link is no longer valid.
     * `POST /v1/iam/me/invitations/{id}/decline`
     */
    declineInvitation(input: DeclineInvitationInput, options?: CallOptions): Call<void>;
    /**
     * Changes the caller's password and ends all their other sessions.
     * `POST /v1/iam/me/password`
     */
    changePassword(input: ChangePasswordInput, options?: CallOptions): Call<void>;
    /**
     * Lists the organisation's members, by e-mail address.
     * `GET /v1/iam/members`
     */
    listMembers(input?: ListMembersInput, options?: CallOptions): Call<Page<Member>>;
    /** The same, as an iterator over the items of all pages. */
    listMembersAll(input?: ListMembersInput, options?: CallOptions): AsyncGenerator<Member, void, undefined>;
    /**
     * Creates an account for a new member; people who already have an account, or who become admin or owner, are invited instead.
     * `POST /v1/iam/members`
     */
    addMember(input: AddMemberInput, options?: CreateOptions): Call<Member>;
    /**
     * Changes a member's role.
     * `PATCH /v1/iam/members/{user}`
     */
    updateMember(input: UpdateMemberInput, options?: CallOptions): Call<Member>;
    /**
     * Removes a member and ends their keys and sessions immediately; members can remove themselves.
     * `DELETE /v1/iam/members/{user}`
     */
    removeMember(input: RemoveMemberInput, options?: CallOptions): Call<void>;
    /**
     * Removes a member from the team and creates a customer account with the same address.
     * `POST /v1/iam/members/{user}/to-user`
     */
    makeMemberUser(input: MakeMemberUserInput, options?: CreateOptions): Call<User>;
    /**
     * Lists the caller's organisation, or all organisations for superadmins, by slug.
     * `GET /v1/iam/orgs`
     */
    listOrgs(input?: ListOrgsInput, options?: CallOptions): Call<Page<Organisation>>;
    /** The same, as an iterator over the items of all pages. */
    listOrgsAll(input?: ListOrgsInput, options?: CallOptions): AsyncGenerator<Organisation, void, undefined>;
    /**
     * Creates an organisation with its owner; only this answer contains `key`, an unlimited key of the owner.
     * `POST /v1/iam/orgs`
     */
    createOrg(input: CreateOrgInput, options?: CreateOptions): Call<CreateOrgOutput>;
    /**
     * Returns one organisation.
     * `GET /v1/iam/orgs/{slug}`
     */
    getOrg(input: GetOrgInput, options?: CallOptions): Call<Organisation>;
    /**
     * Renames an organisation.
     * `PATCH /v1/iam/orgs/{slug}`
     */
    updateOrg(input: UpdateOrgInput, options?: CallOptions): Call<Organisation>;
    /**
     * Deletes an organisation and its data; `confirm` must repeat its slug, which cannot be reused.
     * `DELETE /v1/iam/orgs/{slug}`
     */
    deleteOrg(input: DeleteOrgInput, options?: CallOptions): Call<void>;
    /**
     * Lists the caller's sign-ins, or those of the whole team for an owner or admin, newest first.
     * `GET /v1/iam/sessions`
     */
    listSessions(input?: ListSessionsInput, options?: CallOptions): Call<Page<Session>>;
    /** The same, as an iterator over the items of all pages. */
    listSessionsAll(input?: ListSessionsInput, options?: CallOptions): AsyncGenerator<Session, void, undefined>;
    /**
     * Ends a sign-in immediately, with its tokens and its browser session.
     * `DELETE /v1/iam/sessions/{id}`
     */
    endSession(input: EndSessionInput, options?: CallOptions): Call<void>;
    /**
     * Returns the branding of the pages and mails for customers.
     * `GET /v1/iam/settings`
     */
    getIamSettings(input?: GetIamSettingsInput, options?: CallOptions): Call<IamSettings>;
    /**
     * Changes the branding of the pages and mails for customers.
     * `PATCH /v1/iam/settings`
     */
    updateIamSettings(input?: UpdateIamSettingsInput, options?: CallOptions): Call<IamSettings>;
    /**
     * Publishes new signing keys, which sign after an hour; old keys stay published until their tokens have expired.
     * `POST /v1/iam/signing-keys`
     */
    rotateSigningKeys(input?: RotateSigningKeysInput, options?: CreateOptions): Call<RotateSigningKeysOutput>;
    /**
     * Lists the organisation's customers, newest first; search results are sorted by the matching text.
     * `GET /v1/iam/users`
     */
    listUsers(input?: ListUsersInput, options?: CallOptions): Call<Page<User>>;
    /** The same, as an iterator over the items of all pages. */
    listUsersAll(input?: ListUsersInput, options?: CallOptions): AsyncGenerator<User, void, undefined>;
    /**
     * Creates a customer account.
     * `POST /v1/iam/users`
     */
    createUser(input: CreateUserInput, options?: CreateOptions): Call<User>;
    /**
     * Streams all customers, oldest first, with their password hashes.
     * `GET /v1/iam/users/export`
     */
    exportUsers(input?: ExportUsersInput, options?: CallOptions): Call<Response>;
    /**
     * Imports customers from another system, with their password hashes.
     * `POST /v1/iam/users/import`
     */
    importUsers(input: ImportUsersInput, options?: CreateOptions): Call<UserImportStarted>;
    /**
     * Returns the progress of a customer import, and the records that were not imported.
     * `GET /v1/iam/users/imports/{id}`
     */
    getUserImport(input: GetUserImportInput, options?: CallOptions): Call<UserImport>;
    /**
     * Returns one customer.
     * `GET /v1/iam/users/{user}`
     */
    getUser(input: GetUserInput, options?: CallOptions): Call<User>;
    /**
     * Changes the given fields of a customer; fields of `metadata` are merged, and null removes one.
     * `PATCH /v1/iam/users/{user}`
     */
    updateUser(input: UpdateUserInput, options?: CallOptions): Call<User>;
    /**
     * Deletes a customer: the account, its sign-ins, and the personal data that this service stores.
     * `DELETE /v1/iam/users/{user}`
     */
    deleteUser(input: DeleteUserInput, options?: CallOptions): Call<void>;
    /**
     * Lists the organisation's workspaces, newest first.
     * `GET /v1/iam/workspaces`
     */
    listWorkspaces(input?: ListWorkspacesInput, options?: CallOptions): Call<Page<Workspace>>;
    /** The same, as an iterator over the items of all pages. */
    listWorkspacesAll(input?: ListWorkspacesInput, options?: CallOptions): AsyncGenerator<Workspace, void, undefined>;
    /**
     * Creates a workspace.
     * `POST /v1/iam/workspaces`
     */
    createWorkspace(input: CreateWorkspaceInput, options?: CreateOptions): Call<Workspace>;
    /**
     * Deletes a workspace; its tokens end immediately.
     * `DELETE /v1/iam/workspaces/{id}`
     */
    deleteWorkspace(input: DeleteWorkspaceInput, options?: CallOptions): Call<void>;
    /**
     * Issues a token that writes page views, errors and clicks for a workspace; it can be used in browsers.
     * `POST /v1/iam/workspaces/{id}/tokens`
     */
    createWorkspaceToken(input: CreateWorkspaceTokenInput, options?: CreateOptions): Call<CreateWorkspaceTokenOutput>;
    /**
     * Completes a sign-in: starts the browser session and redirects to the path given at login.
     * `GET /v1/account/callback`
     */
    finishLogin(input: FinishLoginInput, options?: CallOptions): Call<Response>;
    /**
     * Returns the token that a browser session must send as X-CSRF-Token with every write; bearer credentials need none.
     * `GET /v1/account/csrf`
     */
    getCsrf(input?: GetCsrfInput, options?: CallOptions): Call<GetCsrfOutput>;
    /**
     * Lists the caller's keys, newest first; for an owner or admin, all keys of the organisation.
     * `GET /v1/account/keys`
     */
    listKeys(input?: ListKeysInput, options?: CallOptions): Call<Page<Key>>;
    /** The same, as an iterator over the items of all pages. */
    listKeysAll(input?: ListKeysInput, options?: CallOptions): AsyncGenerator<Key, void, undefined>;
    /**
     * Creates a key; only this answer contains the full text of a secret key, in `key`.
     * `POST /v1/account/keys`
     */
    createKey(input: CreateKeyInput, options?: CreateOptions): Call<CreateKeyOutput>;
    /**
     * Changes the given fields of the caller's own key; null, and for `limit` also [], removes a bound.
     * `PATCH /v1/account/keys/{id}`
     */
    updateKey(input: UpdateKeyInput, options?: CallOptions): Call<Key>;
    /**
     * Revokes one key; it stays listed, with who revoked it and when.
     * `DELETE /v1/account/keys/{id}`
     */
    deleteKey(input: DeleteKeyInput, options?: CallOptions): Call<void>;
    /**
     * Replaces the text of the caller's own key; only this answer contains the new text of a secret key, in `key`.
     * `POST /v1/account/keys/{id}/rotate`
     */
    rotateKey(input: RotateKeyInput, options?: CreateOptions): Call<RotateKeyOutput>;
    /**
     * Redirects a browser to the sign-in page, from which it returns with a session.
     * `GET /v1/account/login`
     */
    startLogin(input?: StartLoginInput, options?: CallOptions): Call<Response>;
    /**
     * Signs out: ends the session or token it is called with, and all others from the same sign-in.
     * `POST /v1/account/logout`
     */
    logout(input?: LogoutInput, options?: CallOptions): Call<Response>;
    /**
     * Lists the organisation's projects, by slug.
     * `GET /v1/projects`
     */
    listProjects(input?: ListProjectsInput, options?: CallOptions): Call<Page<Project>>;
    /** The same, as an iterator over the items of all pages. */
    listProjectsAll(input?: ListProjectsInput, options?: CallOptions): AsyncGenerator<Project, void, undefined>;
    /**
     * Creates a project.
     * `POST /v1/projects`
     */
    createProject(input: CreateProjectInput, options?: CreateOptions): Call<Project>;
    /**
     * Returns one project.
     * `GET /v1/projects/{slug}`
     */
    getProject(input: GetProjectInput, options?: CallOptions): Call<Project>;
    /**
     * Renames a project.
     * `PATCH /v1/projects/{slug}`
     */
    updateProject(input: UpdateProjectInput, options?: CallOptions): Call<Project>;
    /**
     * Deletes a project and detaches its domains.
     * `DELETE /v1/projects/{slug}`
     */
    deleteProject(input: DeleteProjectInput, options?: CallOptions): Call<void>;
    /**
     * Lists the project's hosts, by name.
     * `GET /v1/projects/{slug}/domains`
     */
    listDomains(input: ListDomainsInput, options?: CallOptions): Call<Page<Domain>>;
    /** The same, as an iterator over the items of all pages. */
    listDomainsAll(input: ListDomainsInput, options?: CallOptions): AsyncGenerator<Domain, void, undefined>;
    /**
     * Attaches a host to the project, pending until it is verified; returns the existing one if already attached.
     * `POST /v1/projects/{slug}/domains`
     */
    attachDomain(input: AttachDomainInput, options?: CreateOptions): Call<Domain>;
    /**
     * Detaches a host; its pages may no longer call this service.
     * `DELETE /v1/projects/{slug}/domains/{host}`
     */
    detachDomain(input: DetachDomainInput, options?: CallOptions): Call<void>;
    /**
     * Looks up the TXT record; the host becomes live if it is found, and pending if it is missing or was removed.
     * `POST /v1/projects/{slug}/domains/{host}/verify`
     */
    verifyDomain(input: VerifyDomainInput, options?: CallOptions): Call<Domain>;
    /**
     * Lists the providers that were added, by name.
     * `GET /v1/ai/providers`
     */
    listProviders(input?: ListProvidersInput, options?: CallOptions): Call<ListProvidersOutput>;
    /**
     * Adds a provider; its models can be called immediately.
     * `POST /v1/ai/providers`
     */
    addProvider(input: AddProviderInput, options?: CreateOptions): Call<Provider>;
    /**
     * Changes the given fields of a provider.
     * `PATCH /v1/ai/providers/{name}`
     */
    updateProvider(input: UpdateProviderInput, options?: CallOptions): Call<Provider>;
    /**
     * Deletes a provider; running calls continue.
     * `DELETE /v1/ai/providers/{name}`
     */
    deleteProvider(input: DeleteProviderInput, options?: CallOptions): Call<void>;
    /**
     * Lists the organisation's model calls, newest first.
     * `GET /v1/ai/requests`
     */
    listModelRequests(input?: ListModelRequestsInput, options?: CallOptions): Call<Page<ModelRequest>>;
    /** The same, as an iterator over the items of all pages. */
    listModelRequestsAll(input?: ListModelRequestsInput, options?: CallOptions): AsyncGenerator<ModelRequest, void, undefined>;
    /**
     * Returns one model call from the log.
     * `GET /v1/ai/requests/{id}`
     */
    getModelRequest(input: GetModelRequestInput, options?: CallOptions): Call<ModelRequest>;
    /**
     * Returns the organisation's aliases of models, and the models to use when another one fails.
     * `GET /v1/ai/settings`
     */
    getAiSettings(input?: GetAiSettingsInput, options?: CallOptions): Call<AiSettings>;
    /**
     * Changes the organisation's aliases of models, and the models to use when another one fails.
     * `PATCH /v1/ai/settings`
     */
    updateAiSettings(input?: UpdateAiSettingsInput, options?: CallOptions): Call<AiSettings>;
    /**
     * Calls a chat model, in the chat-completions format.
     * `POST /v1/chat/completions`
     * With `stream: true` the answer is an iterator over its parts.
     */
    createChatCompletion(input: CreateChatCompletionInput & {
        stream: true;
    }, options?: CallOptions): AsyncGenerator<ChatCompletionChunk, void, undefined>;
    createChatCompletion(input: CreateChatCompletionInput & {
        stream?: false;
    }, options?: CreateOptions): Call<ChatCompletion>;
    /**
     * Turns texts into vectors.
     * `POST /v1/embeddings`
     */
    createEmbedding(input: CreateEmbeddingInput, options?: CreateOptions): Call<Embeddings>;
    /**
     * Calls a chat model, in the messages format.
     * `POST /v1/messages`
     * With `stream: true` the answer is an iterator over its parts.
     */
    createMessage(input: CreateMessageInput & {
        stream: true;
    }, options?: CallOptions): AsyncGenerator<ModelMessageEvent, void, undefined>;
    createMessage(input: CreateMessageInput & {
        stream?: false;
    }, options?: CreateOptions): Call<ModelMessage>;
    /**
     * Lists the models that can be called.
     * `GET /v1/models`
     */
    listModels(input?: ListModelsInput, options?: CallOptions): Call<ModelList>;
    /**
     * Calls a chat model, in the responses format.
     * `POST /v1/responses`
     * With `stream: true` the answer is an iterator over its parts.
     */
    createResponse(input: CreateResponseInput & {
        stream: true;
    }, options?: CallOptions): AsyncGenerator<ModelResponseEvent, void, undefined>;
    createResponse(input: CreateResponseInput & {
        stream?: false;
    }, options?: CreateOptions): Call<ModelResponse>;
    /**
     * Lists the events that arrived, newest first.
     * `GET /v1/event`
     */
    listEvents(input?: ListEventsInput, options?: CallOptions): Call<Page<ReceivedEvent>>;
    /** The same, as an iterator over the items of all pages. */
    listEventsAll(input?: ListEventsInput, options?: CallOptions): AsyncGenerator<ReceivedEvent, void, undefined>;
    /**
     * Lists errors by fingerprint, those that happened last first.
     * `GET /v1/event/errors`
     */
    listErrorGroups(input?: ListErrorGroupsInput, options?: CallOptions): Call<ErrorGroups>;
    /**
     * Lists the events of a time, those that happened last first.
     * `GET /v1/event/events`
     */
    listRawEvents(input?: ListRawEventsInput, options?: CallOptions): Call<CountedEvents>;
    /**
     * Streams the events of a time as JSON lines or CSV, those that happened last first.
     * `GET /v1/event/export`
     */
    exportEvents(input?: ExportEventsInput, options?: CallOptions): Call<Response>;
    /**
     * Lists the names of events with their number and people, the most frequent first.
     * `GET /v1/event/insights/events`
     */
    listEventNames(input?: ListEventNamesInput, options?: CallOptions): Call<NamedEvents>;
    /**
     * The two lines that add the tag to a page, and whether the first event has arrived.
     * `GET /v1/event/install`
     */
    getInstall(input?: GetInstallInput, options?: CallOptions): Call<Install>;
    /**
     * Returns visitors, sessions, page views, events, revenue and model usage of a time.
     * `GET /v1/event/overview`
     */
    getEventOverview(input?: GetEventOverviewInput, options?: CallOptions): Call<Overview>;
    /**
     * Returns the organisation's settings for events.
     * `GET /v1/event/settings`
     */
    getEventSettings(input?: GetEventSettingsInput, options?: CallOptions): Call<EventSettings>;
    /**
     * Changes the organisation's settings for events.
     * `PATCH /v1/event/settings`
     */
    updateEventSettings(input?: UpdateEventSettingsInput, options?: CallOptions): Call<EventSettings>;
    /**
     * The script that records page views, clicks and errors in a page.
     * `GET /v1/event/tag.js`
     */
    getTag(input?: GetTagInput, options?: CallOptions): Call<Response>;
    /**
     * Returns visitors, sessions, page views and events of a time, point by point.
     * `GET /v1/event/timeseries`
     */
    getEventTimeseries(input?: GetEventTimeseriesInput, options?: CallOptions): Call<Timeseries>;
    /**
     * Returns the values of a field with the most visitors, such as paths or sources.
     * `GET /v1/event/top`
     */
    getEventTop(input?: GetEventTopInput, options?: CallOptions): Call<Top>;
    /**
     * Lists the consumers of the event log and their backlogs.
     * `GET /v1/o11y/consumers`
     */
    listConsumers(input?: ListConsumersInput, options?: CallOptions): Call<ListConsumersOutput>;
    /**
     * Lists the dead letters: events that a consumer failed to handle too often, newest first.
     * `GET /v1/o11y/dead-letters`
     */
    listDeadLetters(input?: ListDeadLettersInput, options?: CallOptions): Call<Page<DeadLetter>>;
    /** The same, as an iterator over the items of all pages. */
    listDeadLettersAll(input?: ListDeadLettersInput, options?: CallOptions): AsyncGenerator<DeadLetter, void, undefined>;
    /**
     * Retries a dead letter: its consumer receives the event again.
     * `POST /v1/o11y/dead-letters/{id}/retry`
     */
    retryDeadLetter(input: RetryDeadLetterInput, options?: CallOptions): Call<void>;
    /**
     * Lists the engines of this host, such as its database and mail server, and whether they answer.
     * `GET /v1/o11y/engines`
     */
    listEngines(input?: ListEnginesInput, options?: CallOptions): Call<ListEnginesOutput>;
    /**
     * Lists the mail that was written to files because no mail server is set, newest first.
     * `GET /v1/o11y/mail`
     */
    listKeptMail(input?: ListKeptMailInput, options?: CallOptions): Call<ListKeptMailOutput>;
    /**
     * Returns a mail that was written to a file.
     * `GET /v1/o11y/mail/{id}`
     */
    getKeptMail(input: GetKeptMailInput, options?: CallOptions): Call<KeptMailText>;
    /**
     * Lists the queues of background work and their waiting jobs.
     * `GET /v1/o11y/queues`
     */
    listQueues(input?: ListQueuesInput, options?: CallOptions): Call<ListQueuesOutput>;
    /**
     * Returns how many requests the organisation made by hour, and how many were refused or failed.
     * `GET /v1/o11y/requests`
     */
    getRequests(input?: GetRequestsInput, options?: CallOptions): Call<RequestCounts>;
    /**
     * Lists the tables of the database, their sizes, and the organisations with the most rows.
     * `GET /v1/o11y/tables`
     */
    listTables(input?: ListTablesInput, options?: CallOptions): Call<ListTablesOutput>;
    /**
     * Returns the organisation's balance, and what is held for running calls.
     * `GET /v1/billing/balance`
     */
    getBalance(input?: GetBalanceInput, options?: CallOptions): Call<Balance>;
    /**
     * Lists the organisation's credits, newest first.
     * `GET /v1/billing/credits`
     */
    listCredits(input?: ListCreditsInput, options?: CallOptions): Call<Page<Credit>>;
    /** The same, as an iterator over the items of all pages. */
    listCreditsAll(input?: ListCreditsInput, options?: CallOptions): AsyncGenerator<Credit, void, undefined>;
    /**
     * Adds credit to an organisation, or takes it back.
     * `POST /v1/billing/credits`
     */
    addCredit(input: AddCreditInput, options?: CreateOptions): Call<Credit>;
    /**
     * Lists every transfer of the organisation, oldest first.
     * `GET /v1/billing/journal`
     */
    listJournal(input?: Omit<ListJournalInput, 'format'>, options?: CallOptions): Call<Journal>;
    /** The same as CSV. */
    listJournalCsv(input?: Omit<ListJournalInput, 'format'>, options?: CallOptions): Call<Response>;
    /**
     * Returns the organisation's alerts on its spending and balance.
     * `GET /v1/billing/settings`
     */
    getBillingSettings(input?: GetBillingSettingsInput, options?: CallOptions): Call<BillingSettings>;
    /**
     * Changes the organisation's alerts on its spending and balance.
     * `PATCH /v1/billing/settings`
     */
    updateBillingSettings(input?: UpdateBillingSettingsInput, options?: CallOptions): Call<BillingSettings>;
    /**
     * Lists the organisation's usage, newest first.
     * `GET /v1/billing/usage`
     */
    listUsage(input?: ListUsageInput, options?: CallOptions): Call<Usage>;
    /**
     * Returns what the organisation used and spent, added up by day, key, model, project or product.
     * `GET /v1/billing/usage/summary`
     */
    getUsageSummary(input?: Omit<GetUsageSummaryInput, 'format'>, options?: CallOptions): Call<UsageSummary>;
    /** The same as CSV. */
    getUsageSummaryCsv(input?: Omit<GetUsageSummaryInput, 'format'>, options?: CallOptions): Call<Response>;
    /**
     * Lists the organisation's endpoints, newest first.
     * `GET /v1/webhooks`
     */
    listWebhooks(input?: ListWebhooksInput, options?: CallOptions): Call<Page<WebhookEndpoint>>;
    /** The same, as an iterator over the items of all pages. */
    listWebhooksAll(input?: ListWebhooksInput, options?: CallOptions): AsyncGenerator<WebhookEndpoint, void, undefined>;
    /**
     * Creates an endpoint, to which events are sent from now on.
     * `POST /v1/webhooks`
     */
    createWebhook(input: CreateWebhookInput, options?: CreateOptions): Call<NewWebhookEndpoint>;
    /**
     * Lists the events that can be sent to endpoints, with an example of each.
     * `GET /v1/webhooks/subjects`
     */
    listWebhookSubjects(input?: ListWebhookSubjectsInput, options?: CallOptions): Call<WebhookSubjects>;
    /**
     * Returns one endpoint.
     * `GET /v1/webhooks/{id}`
     */
    getWebhook(input: GetWebhookInput, options?: CallOptions): Call<WebhookEndpoint>;
    /**
     * Changes the given fields of an endpoint.
     * `PATCH /v1/webhooks/{id}`
     */
    updateWebhook(input: UpdateWebhookInput, options?: CallOptions): Call<WebhookEndpoint>;
    /**
     * Deletes an endpoint and the log of its deliveries.
     * `DELETE /v1/webhooks/{id}`
     */
    deleteWebhook(input: DeleteWebhookInput, options?: CallOptions): Call<void>;
    /**
     * Lists the attempts to deliver events to an endpoint, newest first.
     * `GET /v1/webhooks/{id}/deliveries`
     */
    listWebhookDeliveries(input: ListWebhookDeliveriesInput, options?: CallOptions): Call<Page<WebhookDelivery>>;
    /** The same, as an iterator over the items of all pages. */
    listWebhookDeliveriesAll(input: ListWebhookDeliveriesInput, options?: CallOptions): AsyncGenerator<WebhookDelivery, void, undefined>;
    /**
     * Returns one delivery: the body that was sent, and its attempts with the responses of the endpoint.
     * `GET /v1/webhooks/{id}/deliveries/{delivery}`
     */
    getWebhookDelivery(input: GetWebhookDeliveryInput, options?: CallOptions): Call<WebhookDeliveryDetails>;
    /**
     * Sends a delivery again, with a new delivery id.
     * `POST /v1/webhooks/{id}/deliveries/{delivery}/resend`
     */
    resendWebhookDelivery(input: ResendWebhookDeliveryInput, options?: CreateOptions): Call<WebhookResent>;
    /**
     * Sends all failed deliveries since a given time again.
     * `POST /v1/webhooks/{id}/resend`
     */
    resendFailedWebhookDeliveries(input: ResendFailedWebhookDeliveriesInput, options?: CreateOptions): Call<WebhookResentAll>;
    /**
     * Replaces the secret of an endpoint.
     * `POST /v1/webhooks/{id}/secret`
     */
    rotateWebhookSecret(input: RotateWebhookSecretInput, options?: CreateOptions): Call<NewWebhookEndpoint>;
    /**
     * Sends a test delivery and returns its result.
     * `POST /v1/webhooks/{id}/test`
     */
    testWebhook(input: TestWebhookInput, options?: CallOptions): Call<WebhookTest>;
    /**
     * Lists every set with its version and age. Read `stale` and `refused` first.
     * `GET /v1/risk/reference`
     */
    listReference(input?: ListReferenceInput, options?: CallOptions): Call<ListReferenceOutput>;
    /**
     * Imports what the sources of a set publish now; `force` accepts a list that grew or shrank more than tenfold.
     * `POST /v1/risk/reference/refresh`
     */
    refreshReference(input: RefreshReferenceInput, options?: CallOptions): Call<RefreshReferenceOutput>;
    /**
     * Looks keys up, first in the organisation's overrides, then in the published members. Read `refused` before `hit`.
     * `POST /v1/risk/reference/resolve`
     */
    resolveReference(input: ResolveReferenceInput, options?: CallOptions): Call<ResolveReferenceOutput>;
    /**
     * Returns one set and the organisation's overrides on it, in key order.
     * `GET /v1/risk/reference/{set}`
     */
    getReference(input: GetReferenceInput, options?: CallOptions): Call<GetReferenceOutput>;
    /**
     * Writes overrides of the organisation on a set, all or none; an earlier override of a key is replaced.
     * `PUT /v1/risk/reference/{set}`
     */
    setReference(input: SetReferenceInput, options?: CallOptions): Call<SetReferenceOutput>;
    /**
     * Removes an override of the organisation; published members cannot be removed.
     * `DELETE /v1/risk/reference/{set}`
     */
    clearReference(input: ClearReferenceInput, options?: CallOptions): Call<ClearReferenceOutput>;
    /**
     * Lists the organisation's errors, newest first.
     * `GET /v1/errors`
     */
    listErrors(input?: ListErrorsInput, options?: CallOptions): Call<Page<CapturedError>>;
    /**
     * Lists the errors with a fingerprint, newest first.
     * `GET /v1/errors/{fingerprint}`
     */
    listErrorsOfGroup(input: ListErrorsOfGroupInput, options?: CallOptions): Call<Page<CapturedError>>;
};
export declare function createStoa(options: StoaOptions): Stoa;
export {};
