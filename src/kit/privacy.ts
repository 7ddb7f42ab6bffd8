// Do Not Track and Global Privacy Control: nothing is stored about clients that send one of them with events.
import type { IncomingHttpHeaders } from 'node:http'

export const wantsPrivacy = (headers: IncomingHttpHeaders): boolean => isOn(headers.dnt) || isOn(headers['sec-gpc'])

/** A header sent several times arrives as a list: a browser extension or a proxy may have added one. */
function isOn(value: string | string[] | undefined): boolean {
  if (value === undefined || value === '1') return value === '1'
  return [value].flat().some(one => one.split(',').some(part => part.trim() === '1'))
}
