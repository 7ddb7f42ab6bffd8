// The error pages: for an app's invalid requests and for failures on our side.
import type { ServerResponse } from 'node:http'
import { errors } from 'oidc-provider'
import { EngineUnavailable } from '../engines/engines.ts'
import { show } from './forms.ts'
import { problemPage } from './pages.ts'
import type { StartLimiter } from './password-limiter.ts'
import { RETRY_S } from './provider.ts'
import { ClientLeft, thisRequest } from './request.ts'

export const ENDED = problemPage('This sign-in is no longer valid', 'Go back to the app and sign in again.')
export const NO_APP = problemPage('Unknown app', 'No app has the client_id in this address.')

const OUR_SIDE = problemPage('Something went wrong', 'There is a problem on our side. Please try again in a moment.')

/** `says` describes what is invalid in the app's request; null means a failure on our side. */
export const requestProblem = (says: string | null) =>
  says === null
    ? OUR_SIDE
    : problemPage(
        'Something went wrong',
        `The app that sent you here made an invalid request (${says}). Go back and try again. If this keeps happening, contact the app's developers.`,
      )

function tooManySignIns(response: ServerResponse, waitS: number): void {
  response.setHeader('retry-after', waitS)
  show(
    response,
    429,
    problemPage('Too many sign-ins', 'Too many sign-ins were started from your network. Please try again in a minute.'),
  )
}

/** Authorization requests are stored until they end or expire, even unauthenticated ones. */
const QUERY_CHARS_MAX = 2048

function queryProblem(query: string): string | null {
  if (query.length > QUERY_CHARS_MAX) return `more than ${QUERY_CHARS_MAX} characters`
  const modes = new URLSearchParams(query).getAll('response_mode')
  return modes.includes('form_post') ? 'response_mode form_post is not supported' : null
}

type Starts = { starts: StartLimiter; onTooMany: () => void }

/** Whether an authorization request is refused; if so, it has been answered. */
export function isStartRefused({ starts, onTooMany }: Starts, query: string, response: ServerResponse): boolean {
  const problem = queryProblem(query)
  const waitS = problem ? 0 : starts(thisRequest().client)
  if (problem) show(response, 400, requestProblem(problem))
  else if (waitS > 0) {
    onTooMany()
    tooManySignIns(response, waitS)
  }
  return problem !== null || waitS > 0
}

export function answerFailure(error: unknown, response: ServerResponse, onError: (error: unknown) => void): void {
  if (error instanceof ClientLeft || (error as NodeJS.ErrnoException).code === 'ECONNRESET') return
  // The session or the sign-in ended while the form was being sent.
  if (error instanceof errors.SessionNotFound && !response.headersSent) {
    show(response, 400, ENDED)
    return
  }
  onError(error)
  if (response.headersSent) return void response.destroy()
  const status = error instanceof EngineUnavailable ? 503 : 500
  if (status === 503) response.setHeader('retry-after', RETRY_S)
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(OUR_SIDE)
}
