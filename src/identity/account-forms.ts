// What the account pages of the team and of customers share: the forms and the list of browsers.
import { escaped } from './pages.ts'

export type Shown = {
  /** The CSRF token that every form contains. */
  csrf: string
  /** The session of this browser. */
  session: string
  /** The submitted form, and what was wrong with it. */
  form: string | null
  problem: string | null
  /** The change that was made before this page was loaded. */
  done: string | null
}

/** A page: the query of its URL, and the forms that show their problem next to the field. */
export type FormsOf = { query: string; fields: readonly string[] }

const alertOf = (problem: string) => `<p role="alert" id="problem">${escaped(problem)}</p>`

export const focusIf = ({ form, problem }: Shown, path: string) =>
  problem !== null && form === path ? ' autofocus aria-describedby="problem"' : ''

export function formsOf({ query, fields: own }: FormsOf) {
  /** A problem is shown in its own form if that form has a place for it, otherwise at the top. */
  function statusOf({ form, problem, done }: Shown, says: ReadonlyMap<string, string>): string {
    if (problem !== null) return own.includes(form ?? '') ? '' : alertOf(problem)
    const text = says.get(done ?? '')
    return text === undefined ? '' : `<p role="status">${escaped(text)}</p>`
  }

  function formTo(path: string, { csrf, form, problem }: Shown, fields: string): string {
    const alert = problem !== null && form === path && own.includes(path) ? alertOf(problem) : ''
    return `<form method="post" action="/account${path}${escaped(query)}"><input type="hidden" name="csrf" value="${csrf}">${alert}${fields}</form>`
  }

  const details = (title: string, path: string, shown: Shown, fields: string) =>
    `<details${shown.form === path ? ' open' : ''}><summary>${escaped(title)}</summary>${formTo(path, shown, fields)}</details>`

  /** One row per browser, with a button that signs it out unless it is this one. */
  function browserRows(
    browsers: readonly Browser[],
    shown: Shown,
    { end, endOf, since, here, at }: BrowserTexts,
  ): string {
    const rows = browsers.map(({ id, since: began, name }) => {
      const button = `<button class="plain" name="id" value="${id}" aria-label="${escaped(endOf(at(began)))}">${escaped(end)}</button>`
      const isThis = id === shown.session
      const when = `<small>${escaped(since)} <time datetime="${began}">${at(began)}</time>${isThis ? escaped(here) : ''}</small>`
      return `<li><span>${escaped(name)} ${when}</span>${isThis ? '' : formTo('/end', shown, button)}</li>`
    })
    return `<ul>${rows.join('')}</ul>`
  }

  return { statusOf, formTo, details, browserRows }
}

type Browser = { id: string; since: string; name: string }
export type BrowserTexts = {
  end: string
  endOf: (at: string) => string
  since: string
  here: string
  /** Formats a time. */
  at: (time: string) => string
}

/** Formats times in a language, in UTC because the person's time zone is unknown. */
export function timesIn(language: string): (at: string) => string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return at => `${format.format(new Date(at))} UTC`
}
