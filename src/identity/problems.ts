// What is told when a request cannot be answered: that the app asked for something wrong, or that it was us.
import type { ServerResponse } from 'node:http'
import { EngineUnavailable } from '../engines/engines.ts'
import { problemPage } from './pages.ts'
import { RETRY_S } from './provider.ts'

/** Whoever sees this was sent here by an app that asked for something wrong. */
const OUR_SIDE = problemPage('That did not work', 'Something went wrong on our side. Try again in a moment.')

export const requestProblem = (says: string | null) =>
  says === null
    ? OUR_SIDE
    : problemPage(
        'That did not work',
        `The app that sent you here asked for something it may not have (${says}). Go back and try again; if it stays so, tell its makers.`,
      )

/** What is asked is kept for an hour, whoever asks. */
const QUERY_CHARS_MAX = 4096

export function queryProblem(query: string): string | null {
  if (query.length > QUERY_CHARS_MAX) return `more than ${QUERY_CHARS_MAX} characters`
  const modes = new URLSearchParams(query).getAll('response_mode')
  return modes.includes('form_post') ? 'response_mode form_post is not offered' : null
}

export function answerFailure(error: unknown, response: ServerResponse, failed: (error: unknown) => void): void {
  if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return // The client left in the middle of its own words.
  failed(error)
  if (response.headersSent) return void response.destroy()
  const status = error instanceof EngineUnavailable ? 503 : 500
  if (status === 503) response.setHeader('retry-after', RETRY_S)
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(OUR_SIDE)
}
