// Do Not Track and Global Privacy Control: nothing is stored about whoever sends one of them with events.
import type { IncomingHttpHeaders } from 'node:http'

export const wantsPrivacy = (headers: IncomingHttpHeaders): boolean => headers.dnt === '1' || headers['sec-gpc'] === '1'
